package tool

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
)

// Ask checks the arguments of one call and sends its requests. Nil or empty arguments are a call without arguments. Its error is a *Error,
// an *rs.Error or an *rs.Failure, or a *Explained with one of the first two as its cause; Failed renders any of them. It is safe for
// concurrent use.
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
	// Render returns what a model may see. Its error is one of Ask's.
	Render func() (*Result, error)
}

// Answered returns what a call found, with the function that renders it.
func Answered[Found answer.Answer](found Found, render func(Found) (*Result, error)) *Answer {
	return &Answer{Found: found, Render: func() (*Result, error) { return render(found) }}
}

// Rendered returns an answer that renders this result, or the error.
func Rendered(result *Result, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return &Answer{Render: func() (*Result, error) { return result, nil }}, nil
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

// ProviderOrigin returns scheme and host of a URL that was read, as results and errors show it (R-ERR-8), or "" if the text has no host.
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
