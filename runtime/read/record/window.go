// Package record reads one record: a window of one of its text fields, the text of a file to which a field refers, or
// the record as a document. Generated code calls it. It sends every request that an answer needs.
package record

import (
	"context"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// FieldWindowInput has the arguments of a call for a window of a field. A nil member was not given.
type FieldWindowInput struct {
	Call        answer.Given
	Target      recordid.Target
	FieldPath   string
	OffsetChars *int64
	Cursor      *string
	Q           *string
	LimitChars  *int64
	BeforeChars *int64
	AfterChars  *int64
}

// FieldWindow reads a window of a text field, or of the file to which the field refers. With words to find, it also
// reads ahead for their later matches. Its error is the reader's, or a *tool.Error about the file.
func FieldWindow(ctx context.Context, env tool.Env, request rs.Request, input FieldWindowInput) (*tool.Answer, error) {
	found, err := readWindow(ctx, env, request, input)
	if err != nil {
		return nil, err
	}
	return tool.Answered(found, render.Window), nil
}

func readWindow(ctx context.Context, env tool.Env, request rs.Request, input FieldWindowInput) (*answer.Window, error) {
	read := func(offset, limit int64) *answer.Window { return windowAt(ctx, env, request, offset, limit) }
	w, err := requestWindow(ctx, env, request)
	if refused, ok := errors.AsType[*rs.Error](err); ok && refused.Code == queryNotFound && input.Q != nil {
		if found := windowAround(input, read); found != nil {
			w, err = found, nil
		}
	}
	if err != nil {
		return fileOf(ctx, env, err, input)
	}
	w.Call, w.Target, w.FieldPath = input.Call, input.Target, input.FieldPath
	if input.Q != nil {
		w.Matches = laterMatches(w, *input.Q, read)
	}
	return w, nil
}

func requestWindow(ctx context.Context, env tool.Env, request rs.Request) (*answer.Window, error) {
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	return windowIn(response)
}

// windowAt reads a window by its offset. It returns nil if that fails.
func windowAt(ctx context.Context, env tool.Env, request rs.Request, offset, limit int64) *answer.Window {
	request.Query = request.Query.Without(tool.FieldQ, wire.BeforeChars, wire.AfterChars).
		With(tool.FieldLimitChars, strconv.FormatInt(limit, 10)).With(tool.FieldOffsetChars, strconv.FormatInt(offset, 10))
	w, err := requestWindow(ctx, env, request)
	if err != nil {
		return nil
	}
	return w
}

// windowIn returns the window of a response. Older servers wrap it in one more data object.
func windowIn(response *rs.Response) (*answer.Window, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get("window") == nil {
		body = inner
	}
	members, ok := rawjson.ParseObject(body.Get("window"))
	text, hasText := rawjson.Text(members.Get("text"))
	if !ok || !hasText {
		return nil, response.Unusable("the resource server's answer holds no window with a text", "")
	}
	field, _ := rawjson.ParseObject(body.Get(wire.Field))
	return &answer.Window{Origin: originOf(response), Field: field, Text: text, Range: recounted(members, text), Warnings: warningsOf(body)}, nil
}

// recounted corrects the offsets of a server that counts starts in code points but lengths in UTF-16. The range is then
// longer than the text (R-WIN-1).
func recounted(members rawjson.Object, text string) rawjson.Object {
	start, hasStart := members.Int("start_chars")
	sent, hasEnd := members.Int("end_chars")
	characters := int64(utf8.RuneCountInString(text))
	if !hasStart || !hasEnd || start < 0 || characters == 0 || characters >= sent-start {
		return members
	}
	end, more := start+characters, members.True("has_more")
	if total, known := members.Int("total_chars"); known { // the wrong end may be past it
		more = end < total
	}
	next := rawjson.Raw("next_offset_chars", rawjson.Value("null"))
	if more {
		next.Value = strconv.AppendInt(nil, end, 10)
	}
	members = members.WithAll(rawjson.Int("end_chars", end), rawjson.Bool("has_more", more), rawjson.Bool("complete", start == 0 && !more), next)

	from, hasStart := members.Int("match_start_chars")
	to, hasEnd := members.Int("match_end_chars")
	runes := []rune(text)
	if !hasStart || !hasEnd || from < start || from-start > int64(len(runes)) {
		return members
	}
	end = from // the start of a match is counted in code points
	for units := to - from; units > 0 && end-start < int64(len(runes)); end++ {
		units -= int64(utf16.RuneLen(runes[end-start]))
	}
	return members.WithAll(rawjson.Int("match_end_chars", end))
}
