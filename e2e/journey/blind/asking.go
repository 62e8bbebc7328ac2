package blind

import (
	"context"
	"encoding/json"
	"fmt"
)

// Index lists every stream of every connection.
func (r *Reader) Index(ctx context.Context) ([]Source, error) {
	return look(ctx, r, Arguments{}.call("schema"), r.channel.Index)
}

// Describe reads what schema says of one stream.
func (r *Reader) Describe(ctx context.Context, arguments Arguments) (Stream, error) {
	return look(ctx, r, arguments.call("schema"), r.channel.Stream)
}

// Aggregate reads a number, or groups.
func (r *Reader) Aggregate(ctx context.Context, arguments Arguments) (Aggregate, error) {
	return look(ctx, r, arguments.call("aggregate"), r.channel.Aggregate)
}

// Fetch reads one record as a document.
func (r *Reader) Fetch(ctx context.Context, arguments Arguments) (Document, error) {
	return look(ctx, r, arguments.call("fetch"), r.channel.Document)
}

// longestWindow is the largest limit_chars that read_record_field takes.
const longestWindow = 16_384

// Field reads a text field from a place on to its end. A place of 0 is the beginning. What the first window does not
// hold is read in the longest windows.
func (r *Reader) Field(ctx context.Context, id, path string, from int) (string, error) {
	question := Arguments{"id": id, "field_path": path}
	if from > 0 {
		question["offset_chars"] = from
	}
	first, err := r.Passage(ctx, question)
	if err != nil || !first.HasMore {
		return first.Text, err
	}
	next, found := nextCall(first.Next, "read_record_field")
	if !found {
		return first.Text, puzzled(question.call("read_record_field"), first.Text, "next window", nil)
	}
	arguments := Arguments{}
	if err := json.Unmarshal([]byte(next.Arguments), &arguments); err != nil {
		return first.Text, err
	}
	arguments["limit_chars"] = longestWindow
	text, _, err := r.readOn(ctx, arguments.call("read_record_field"))
	return first.Text + text, err
}

// ReadOn reads a field of a row to its end, from what the row shows of it on, by the call that the row shows.
func (r *Reader) ReadOn(ctx context.Context, row Row, field string) (string, error) {
	call, shown := row.reads(field)
	if !shown {
		return "", puzzled(Call{}, fmt.Sprint(row), "call that reads "+field, nil)
	}
	text, _, err := r.readOn(ctx, call)
	return row.Clipped[field] + text, err
}

// reads returns the call that the row shows for a field.
func (row Row) reads(field string) (Call, bool) {
	for _, call := range row.Next {
		var names struct {
			Path string `json:"field_path"`
		}
		if json.Unmarshal([]byte(call.Arguments), &names) == nil && names.Path == field {
			return call, true
		}
	}
	return Call{}, false
}

// Passage reads the window of a text field around the first match of some words.
func (r *Reader) Passage(ctx context.Context, arguments Arguments) (Window, error) {
	return look(ctx, r, arguments.call("read_record_field"), r.channel.Window)
}

// Rows reads records page by page, by the calls that the pages show, to the last or until enough says that those read
// will do.
func (r *Reader) Rows(ctx context.Context, question Arguments, enough func([]Row) bool) ([]Row, error) {
	var rows []Row
	call := question.call("query_records")
	for range pagesMost {
		page, err := look(ctx, r, call, r.channel.Page)
		if err != nil {
			return rows, err
		}
		rows = append(rows, page.Rows...)
		if !page.HasMore || enough != nil && enough(rows) {
			return rows, nil
		}
		next, found := nextCall(page.Next, call.Tool)
		if !found || next == call {
			return rows, puzzled(call, "", "next page", nil)
		}
		call = next
	}
	return rows, errEndless
}

// Reads returns the call that the document shows for reading a file or a long field, if there is one.
func (d Document) Reads() (Arguments, bool) {
	call, found := nextCall(d.Next, "read_record_field")
	arguments := Arguments{}
	return arguments, found && json.Unmarshal([]byte(call.Arguments), &arguments) == nil
}
