package host

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// lineReader passes on the lines that hold JSON-RPC messages, save plain calls. Other lines are answered with a
// JSON-RPC error and dropped, because the SDK ends the session on the first one.
type lineReader struct {
	source  *bufio.Reader
	closer  io.Closer
	answers *lineWriter
	calls   *localCalls
	pending []byte // the rest of a line that was read
}

func newLineReader(source io.ReadCloser, answers *lineWriter, calls *localCalls) *lineReader {
	return &lineReader{source: bufio.NewReaderSize(source, 64<<10), closer: source, answers: answers, calls: calls}
}

// Read gives bytes of good lines. At the end of the input it waits for the plain calls under way.
func (r *lineReader) Read(buffer []byte) (int, error) {
	for len(r.pending) == 0 {
		line, err := r.next()
		if errors.Is(err, errLineTooLong) {
			r.answers.refuse(jsonrpc.CodeInvalidRequest, "the message is longer than 4194304 bytes; send less at once")
			continue
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 && r.check(line) && !r.calls.take(line) {
			r.pending = append(line, '\n')
			break // an error that came with a whole line comes again with the next read
		}
		if err != nil {
			r.calls.wait(r.calls.lifetime)
			return 0, err
		}
	}
	count := copy(buffer, r.pending)
	r.pending = r.pending[count:]
	return count, nil
}

// Close closes the source, which ends a read that waits for it where the system allows that.
func (r *lineReader) Close() error { return r.closer.Close() }

var errLineTooLong = errors.New("line too long")

// next reads one line. A line beyond the limit is skipped to its end.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.source.ReadSlice('\n')
		if len(line)+len(bytes.TrimRight(part, "\r\n")) > LongestLine {
			tooLong = true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			return nil, errLineTooLong
		}
		return line, err
	}
}

// check tells whether a line is a message or a batch of messages, and answers it if it is not.
func (r *lineReader) check(line []byte) bool {
	if !rawjson.Valid(line) {
		r.answers.refuse(jsonrpc.CodeParseError, "the line is not JSON; send one JSON-RPC message on each line")
		return false
	}
	if isPlainRequest(line) {
		return true
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		// Valid JSON that begins with a bracket is an array.
		_ = json.Unmarshal(line, &messages)
	}
	for _, message := range messages {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			r.answers.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message")
			return false
		}
	}
	if len(messages) == 0 {
		r.answers.refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
		return false
	}
	return true
}

// isPlainRequest tells the usual requests and notifications, which the SDK's decoder surely takes, without
// decoding them: it takes a buffer of 32 kB for every value.
func isPlainRequest(line []byte) bool {
	object, ok := rawjson.ParseObject(line)
	if !ok {
		return false
	}
	seen := map[string]bool{}
	for _, member := range object {
		if seen[member.Name] {
			return false
		}
		seen[member.Name] = true
		kind := rawjson.Kind(member.Value)
		switch member.Name {
		case "jsonrpc":
			ok = string(member.Value) == `"2.0"`
		case "id":
			_, err := strconv.ParseInt(string(member.Value), 10, 53)
			ok = kind == rawjson.StringValue || err == nil
		case "method":
			ok = kind == rawjson.StringValue
		case "params":
			ok = kind == rawjson.ObjectValue
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return seen["jsonrpc"] && seen["method"]
}

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	mu          sync.Mutex
	destination io.Writer
	kept        *standIns
	restored    []byte // room for the next line
}

// Write writes one message with its line end. The SDK passes a message at once.
func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.kept.has(line) {
		return w.destination.Write(line)
	}
	w.restored = w.kept.restore(w.restored[:0], line)
	if _, err := w.destination.Write(w.restored); err != nil {
		return 0, err
	}
	return len(line), nil
}

// answer writes the answer to a plain call.
func (w *lineWriter) answer(call plainCall, result *tool.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restored = append(call.appendAnswer(w.restored[:0], result), '\n')
	// If nobody reads the answers, the next write of the SDK fails too and ends the session.
	_, _ = w.destination.Write(w.restored)
}

// Close does nothing: standard output stays open until the process ends.
func (w *lineWriter) Close() error { return nil }

// refuse answers a line that has no usable id (JSON-RPC 2.0, section 5: the id is then null).
func (w *lineWriter) refuse(code int, message string) {
	var answer struct {
		JSONRPC string  `json:"jsonrpc"`
		ID      *string `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	answer.JSONRPC, answer.Error.Code, answer.Error.Message = "2.0", code, message
	encoded, err := json.Marshal(answer)
	if err != nil { // cannot happen: the struct holds strings and an integer
		panic(err)
	}
	// If nobody reads the answers, the next write of the SDK fails too and ends the session.
	_, _ = w.Write(append(encoded, '\n'))
}
