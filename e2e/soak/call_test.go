package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// outcome is the response to a call, with its times.
type outcome struct {
	status         int
	code           string // of the error, empty for none
	text           string
	structured     json.RawMessage
	body           string // of an HTTP response that is not an MCP message
	started, ended time.Time
	err            error // of the caller: the connection broke, or it gave up
}

// pace is the pause of a client before each read and write. Zero is no pause.
type pace time.Duration

// slowReader reads in small parts.
type slowReader struct {
	ctx    context.Context //nolint:containedctx // of one call
	source io.Reader
	pause  time.Duration
}

func (s slowReader) Read(buffer []byte) (int, error) {
	wait(s.ctx, s.pause)
	return s.source.Read(buffer[:min(len(buffer), 2048)])
}

// call sends one tools/call and reads its answer to the end.
func (p *provider) call(ctx context.Context, bearer, tool, arguments string, slow pace) (got outcome) {
	got.started = time.Now()
	defer func() { got.ended = time.Now() }()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool,
		arguments)
	var sent io.Reader = bytes.NewReader([]byte(message))
	if slow > 0 {
		sent = slowReader{
			ctx, io.MultiReader(bytes.NewReader([]byte(message[:20])), bytes.NewReader([]byte(message[20:]))),
			time.Duration(slow),
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+auth.MCPPath, sent)
	if err != nil {
		return outcome{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := p.client.Do(request)
	if err != nil {
		got.err = err
		return got
	}
	defer response.Body.Close()
	var source io.Reader = response.Body
	if slow > 0 {
		source = slowReader{ctx, source, time.Duration(slow)}
	}
	body, err := io.ReadAll(source)
	got.status, got.err = response.StatusCode, err
	if err == nil {
		got.read(body)
	}
	return got
}

// read decodes an answer. An answer that is not the result of a call is an error.
func (o *outcome) read(body []byte) {
	o.body = string(body)
	var message struct {
		Result struct {
			IsError bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &message); err != nil {
		o.code = "not_json"
		return
	}
	var failed struct {
		Code string `json:"code"`
	}
	switch {
	case o.status != http.StatusOK:
		_ = json.Unmarshal(message.Error, &failed) // of another shape: the code below
		o.code = failed.Code
		if o.code == "" {
			o.code = "unknown"
		}
	case message.Error != nil || len(message.Result.Content) != 1:
		o.code = "no_result"
	case message.Result.IsError:
		_ = json.Unmarshal([]byte(message.Result.Content[0].Text), &failed)
		o.code = failed.Code
	default:
		o.text, o.structured = message.Result.Content[0].Text, message.Result.Structured
	}
}
