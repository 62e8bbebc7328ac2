package blind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Follow is the continuation that the reader uses: the cursor or the call of a page.
type Follow string

const (
	// ByCursor repeats the question with the cursor of the page.
	ByCursor Follow = "cursor"
	// ByCall makes the call that the page shows.
	ByCall Follow = "call"
)

// pagesMost ends a walk that goes in circles.
const pagesMost = 2_000

var errEndless = errors.New("the pages do not end")

// Walk reads a stream page by page to its end. A limit of 0 is not sent.
func (r *Reader) Walk(ctx context.Context, topic Topic, limit int, follow Follow) ([]Row, error) {
	source, err := r.Source(ctx, topic)
	if err != nil {
		return nil, err
	}
	question := Arguments{"stream": source.Stream, "connection_id": source.ConnectionID}
	if limit > 0 {
		question["limit"] = limit
	}
	rows, _, err := r.walk(ctx, question, follow)
	return rows, err
}

// WalkAll reads a stream of all its connections: a page over several of them shows
// a call that continues in each.
func (r *Reader) WalkAll(ctx context.Context, stream string, limit int) ([]Row, error) {
	call := Arguments{"stream": stream, "limit": limit}.call("query_records")
	page, err := look(ctx, r, call, r.channel.Page)
	if err != nil || !page.HasMore {
		return page.Rows, err
	}
	rows := page.Rows
	for _, next := range page.Next {
		if next.Tool != "query_records" {
			continue
		}
		var arguments Arguments
		if err := json.Unmarshal([]byte(next.Arguments), &arguments); err != nil {
			return nil, puzzled(call, next.Arguments, "arguments", err)
		}
		found, _, err := r.walk(ctx, arguments, ByCall)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// Changes reads the feed of a stream from a bookmark, or from the beginning, to its end, and returns the bookmark with
// which to continue later.
func (r *Reader) Changes(ctx context.Context, topic Topic, bookmark string, follow Follow) ([]Row, string, error) {
	source, err := r.Source(ctx, topic)
	if err != nil {
		return nil, "", err
	}
	if bookmark == "" {
		bookmark = "beginning" // as the argument's description says
	}
	question := Arguments{
		"stream": source.Stream, "connection_id": source.ConnectionID,
		"changes_since": bookmark, "limit": 100,
	}
	rows, last, err := r.walk(ctx, question, follow)
	if err == nil && last.Bookmark == "" {
		err = puzzled(question.call("query_records"), fmt.Sprintf("%+v", last), "next_changes_since", nil)
	}
	return rows, last.Bookmark, err
}

// walk reads from a question to the last page, which it also returns.
func (r *Reader) walk(ctx context.Context, question Arguments, follow Follow) ([]Row, Page, error) {
	var rows []Row
	call := question.call("query_records")
	for range pagesMost {
		var seen string
		page, err := look(ctx, r, call, func(result string) (Page, error) {
			seen = result
			return r.channel.Page(result)
		})
		if err != nil {
			return rows, page, err
		}
		rows = append(rows, page.Rows...)
		if !page.HasMore {
			return rows, page, nil
		}
		next, found := goOn(page, question, follow)
		if !found || next == call {
			return rows, page, puzzled(call, seen, "continuation by "+string(follow), nil)
		}
		call = next
	}
	return rows, Page{}, errEndless
}

// goOn returns the call for what follows a page.
func goOn(page Page, question Arguments, follow Follow) (Call, bool) {
	if follow == ByCall {
		return nextCall(page.Next, "query_records")
	}
	if page.Cursor == "" {
		return Call{}, false
	}
	again := Arguments{"cursor": page.Cursor}
	for name, value := range question {
		if name != "changes_since" { // the cursor of a feed holds it
			again[name] = value
		}
	}
	return again.call("query_records"), true
}
