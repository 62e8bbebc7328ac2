// Package relay runs an MCP server over stdio for a candidate, and notes its tool calls. It shows the candidate one
// channel of each result, so that every candidate and every server are measured in the same way.
package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// The channels that a candidate can be shown.
const (
	Text       = "text"
	Structured = "structured"
)

// Server is an MCP server to run.
type Server struct {
	Command     []string
	Environment []string // all of it; the server inherits nothing
}

// Relay passes messages between a candidate and a server.
type Relay struct {
	Channel string
	Note    func(transcript.Call) // one call at a time

	mu      sync.Mutex
	waiting map[string]request // by the id of the message
}

// request is a request of the candidate that the server has not answered.
type request struct {
	method  string
	call    transcript.Call
	started time.Time
}

// stopWithin is the time within which a server must end after its input is closed.
const stopWithin = 5 * time.Second

// Run runs the server until the candidate closes its side.
func (r *Relay) Run(ctx context.Context, fromCandidate io.Reader, toCandidate io.Writer, server Server) error {
	r.waiting = map[string]request{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(ctx, server.Command[0], server.Command[1:]...)
	complained := &tail{}
	command.Env, command.Stderr, command.WaitDelay = server.Environment, complained, stopWithin
	stdin, err := command.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	go func() {
		_ = eachLine(fromCandidate, stdin, r.asked) // the server notices the end of its input
		_ = stdin.Close()
		time.AfterFunc(stopWithin, cancel)
	}()
	err = eachLine(stdout, toCandidate, r.answered)
	if ended := command.Wait(); ended != nil && err == nil && ctx.Err() == nil {
		err = fmt.Errorf("the server ended: %w\n%s", ended, complained.text)
	}
	r.noteUnanswered()
	return err
}

// tail keeps the end of what a server writes to standard error.
type tail struct{ text []byte }

// tailBytes is the size of a tail.
const tailBytes = 2_000

func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(text), nil
}

// eachLine copies lines, changed by a function.
func eachLine(from io.Reader, to io.Writer, change func([]byte) []byte) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if _, err := to.Write(change(line)); err != nil {
				return fmt.Errorf("pass a message: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
	}
}

// message is a JSON-RPC message of either side.
type message struct {
	Version json.RawMessage `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// asked notes a message of the candidate.
func (r *Relay) asked(line []byte) []byte {
	var asked message
	if json.Unmarshal(line, &asked) != nil || asked.ID == nil || asked.Method == "" {
		return line
	}
	made := request{method: asked.Method, started: time.Now()}
	if asked.Method == "tools/call" {
		var params struct {
			Name      string
			Arguments json.RawMessage
		}
		_ = json.Unmarshal(asked.Params, &params) // the server refuses what is malformed
		made.call = transcript.Call{Tool: params.Name, Arguments: params.Arguments}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[string(asked.ID)] = made
	return line
}

// answered notes a message of the server, and leaves one channel of it.
func (r *Relay) answered(line []byte) []byte {
	var answer message
	if json.Unmarshal(line, &answer) != nil || answer.ID == nil || answer.Method != "" {
		return line
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	made, known := r.waiting[string(answer.ID)]
	if !known {
		return line
	}
	delete(r.waiting, string(answer.ID))
	var changed json.RawMessage
	switch {
	case made.method == "tools/list" && answer.Result != nil:
		changed = withoutOutputSchemas(answer.Result)
	case made.method == "tools/call":
		made.call.Millis = time.Since(made.started).Milliseconds()
		if answer.Result == nil {
			made.call.Failed, made.call.Result = true, string(answer.Error)
		} else {
			changed, made.call.Result, made.call.Failed = r.oneChannel(answer.Result)
		}
		r.Note(made.call)
	}
	if changed == nil {
		return line
	}
	answer.Result = changed
	return append(encode(answer), '\n')
}

// oneChannel leaves one channel of a result as its content, and returns that as text.
func (r *Relay) oneChannel(raw json.RawMessage) (changed json.RawMessage, shown string, failed bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw, string(raw), false
	}
	if structured, has := members["structuredContent"]; has && r.Channel == Structured {
		members["content"] = encode([]map[string]string{{"type": "text", "text": string(structured)}})
	}
	delete(members, "structuredContent")
	failed = string(members["isError"]) == "true"
	return encode(members), text(members["content"]), failed
}

// text returns the texts of a result's content. A picture becomes its type.
func text(content json.RawMessage) string {
	var items []struct{ Type, Text, MimeType string }
	if json.Unmarshal(content, &items) != nil {
		return string(content)
	}
	var lines []byte
	for i, item := range items {
		if i > 0 {
			lines = append(lines, '\n')
		}
		if item.Type == "text" {
			lines = append(lines, item.Text...)
		} else {
			lines = fmt.Appendf(lines, "[%s %s]", item.Type, item.MimeType)
		}
	}
	return string(lines)
}

// withoutOutputSchemas leaves output schemas out of a list of tools: clients refuse a result without the output that
// they declare.
func withoutOutputSchemas(raw json.RawMessage) json.RawMessage {
	var list map[string]json.RawMessage
	var tools []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil || json.Unmarshal(list["tools"], &tools) != nil {
		return raw
	}
	for _, tool := range tools {
		delete(tool, "outputSchema")
	}
	list["tools"] = encode(tools)
	return encode(list)
}

// noteUnanswered notes the calls that have no answer when the server ends.
func (r *Relay) noteUnanswered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, made := range r.waiting {
		if made.method == "tools/call" {
			made.call.Failed, made.call.Result = true, "the server ended before it answered"
			made.call.Millis = time.Since(made.started).Milliseconds()
			r.Note(made.call)
		}
	}
}

// encode encodes a value without the escapes of HTML. All values here can be encoded.
func encode(value any) json.RawMessage {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return bytes.TrimSuffix(encoded.Bytes(), []byte("\n"))
}
