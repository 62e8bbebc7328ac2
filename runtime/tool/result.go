package tool

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Ask checks the arguments of one call and sends its requests. Nil or empty arguments are a call without arguments. Its
// error is a *Error, an *rs.Error or an *rs.Failure, or a *Explained with one of the first two as its cause; Failed
// renders any of them. It is safe for concurrent use.
type Ask func(ctx context.Context, env Env, arguments json.RawMessage) (*Answer, error)

// Run sends the requests of a call and renders the answer. Its error is one of Ask's.
func (ask Ask) Run(ctx context.Context, env Env, arguments json.RawMessage) (*Result, error) {
	answer, err := ask(ctx, env, arguments)
	if err != nil {
		return nil, err
	}
	return answer.Render()
}

// Answer is the answer to one call before it is rendered. It belongs to that call and ends with its context.
type Answer struct {
	Found answer.Answer // what the call found; nil for a kind of answer that has only a result
	// Draw returns what a model may see. A page may be in parts. Its error is one of Ask's.
	Draw func() (*Result, error)
}

// Render returns what a model may see, joined. Its error is one of Ask's.
func (a *Answer) Render() (*Result, error) {
	result, err := a.Draw()
	if err == nil {
		result.Join()
	}
	return result, err
}

// Answered returns what a call found, with the function that renders it.
func Answered[Found answer.Answer](found Found, render func(Found) (*Result, error)) *Answer {
	return &Answer{Found: found, Draw: func() (*Result, error) { return render(found) }}
}

// Rendered returns an answer that renders this result, or the error.
func Rendered(result *Result, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return &Answer{Draw: func() (*Result, error) { return result, nil }}, nil
}

// Result is the result of one call for a model. Text and Structured are each complete alone (R-BUD-1).
type Result struct {
	Text       string
	Structured json.RawMessage            // a JSON object
	Meta       map[string]json.RawMessage // for hosts, not for models; may be nil
	IsError    bool
	Rows       int // records, hits or groups that it shows

	// File is a file that is not text (R-BLOB-3, R-BLOB-4), or nil. A host shows a model only pictures, as an image next
	// to the text. It serves any file to a client that reads it as a resource.
	File *File

	Page *Page // a page whose channels are still in parts; nil: Text and Structured are the result
}

// Page is both channels of a page in parts: before its rows, the rows, and after them. The rows are in borrowed
// buffers, so that a host, which copies them into its response, needs no memory for the joined channels.
type Page struct {
	Text, Structured [3][]byte
	Borrowed         []*[]byte
}

// Join joins the parts of a page.
func (r *Result) Join() {
	if page := r.Page; page != nil {
		var text strings.Builder
		text.Grow(size(page.Text))
		for _, part := range page.Text {
			text.Write(part)
		}
		r.Text, r.Structured = text.String(), slices.Concat(page.Structured[:]...)
		r.Release()
	}
}

// Release returns the buffers of a page. Its parts must not be used afterwards.
func (r *Result) Release() {
	if r.Page != nil {
		for _, buffer := range r.Page.Borrowed {
			rawjson.Return(buffer)
		}
		r.Page = nil
	}
}

// Size returns the length of both channels in bytes.
func (r *Result) Size() int {
	if r.Page != nil {
		return size(r.Page.Text) + size(r.Page.Structured)
	}
	return len(r.Text) + len(r.Structured)
}

func size(parts [3][]byte) int { return len(parts[0]) + len(parts[1]) + len(parts[2]) }

// AppendText appends the text as a JSON string.
func (r *Result) AppendText(out []byte) []byte {
	if r.Page == nil {
		return rawjson.AppendQuote(out, r.Text)
	}
	out = append(out, '"')
	for _, part := range r.Page.Text {
		out = rawjson.AppendEscaped(out, part)
	}
	return append(out, '"')
}

// AppendStructured appends the structured output, if there is any, after a prefix.
func (r *Result) AppendStructured(out []byte, prefix string) []byte {
	switch {
	case r.Page != nil:
		out = append(out, prefix...)
		for _, part := range r.Page.Structured {
			out = append(out, part...)
		}
	case r.Structured != nil:
		out = append(append(out, prefix...), r.Structured...)
	}
	return out
}

// File is the checked bytes of a file.
type File struct {
	MediaType string
	Data      []byte
}

// Bounds of what results repeat of a request, in bytes. Longer values are left out.
const (
	maxHost      = 2_000
	maxRequestID = 200
)

// ProviderOrigin returns scheme and host of a URL that was read, as results and errors show it (R-ERR-8), or "" if the
// text has no host.
func ProviderOrigin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || len(parsed.Host) > maxHost {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

// ShownRequestID returns a request id as results show it: "" if it is too long.
func ShownRequestID(id string) string {
	if len(id) > maxRequestID {
		return ""
	}
	return id
}
