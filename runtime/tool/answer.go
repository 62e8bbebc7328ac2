package tool

import (
	"context"
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Ask checks the arguments of one call and sends its requests. Nil or empty arguments are a call without arguments.
// Its error is a *Error, an *rs.Error or an *rs.Failure, or a *Explained with one of the first two as its cause; Failed renders
// any of them. It is safe for concurrent use.
type Ask func(ctx context.Context, env Env, arguments json.RawMessage) (*Answer, error)

// Answer is the answer to one call before it is rendered. It belongs to that call and ends with its context.
type Answer struct {
	// Response is nil if the answer was made of several responses or of the bytes of a file.
	Response *rs.Response
	// Render returns what a model may see. It may send more requests, such as for a smaller page. Its error is one of Ask's.
	Render func() (*Result, error)
}

// Run asks and renders. Its error is one of Ask's.
func (ask Ask) Run(ctx context.Context, env Env, arguments json.RawMessage) (*Result, error) {
	answer, err := ask(ctx, env, arguments)
	if err != nil {
		return nil, err
	}
	return answer.Render()
}

// Answered returns the answer that has this result, or the error.
func Answered(result *Result, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return &Answer{Render: func() (*Result, error) { return result, nil }}, nil
}
