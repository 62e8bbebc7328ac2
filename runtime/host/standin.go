package host

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// standIns keep the two channels of results while the SDK carries short texts in their place. The SDK
// encodes a result inside a response inside a message, and package json reads each of them again byte by
// byte: for a page of records that was a third of a call. What is kept is written once, when the message
// leaves. It is one session's, or one HTTP request's, so nothing of one caller can be put into the answer
// of another (R-HOST-5).
type standIns struct {
	mu   sync.Mutex
	kept []keptResult
}

type keptResult struct {
	text       string
	structured json.RawMessage // a JSON object
	free       bool
}

// standInMark begins every stand-in. It is random and never leaves the process, so no client and no resource
// server can write one.
var standInMark = rand.Text()

// The ends of a stand-in say which channel it stands for.
const (
	textStandIn       = 't'
	structuredStandIn = 's'
)

// keep takes the channels of a result and gives the one that the SDK carries.
func (s *standIns) keep(result *mcp.CallToolResult, kept *tool.Result) *mcp.CallToolResult {
	if s == nil || kept.Structured == nil {
		return result
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	place := 0
	for place < len(s.kept) && !s.kept[place].free {
		place++
	}
	if place == len(s.kept) {
		s.kept = append(s.kept, keptResult{})
	}
	s.kept[place] = keptResult{text: kept.Text, structured: kept.Structured}
	name := standInMark + strconv.Itoa(place)
	result.Content = []mcp.Content{&mcp.TextContent{Text: name + string(textStandIn)}}
	result.StructuredContent = name + string(structuredStandIn)
	return result
}

// restore appends a message with what was kept in the place of its stand-ins.
func (s *standIns) restore(out, message []byte) []byte {
	quotedMark := []byte(`"` + standInMark)
	var restored []int
	for {
		start := bytes.Index(message, quotedMark)
		if start < 0 {
			break
		}
		rest := message[start+len(quotedMark):]
		length := bytes.IndexByte(rest, '"')
		place, err := strconv.Atoi(string(rest[:max(0, length-1)]))
		if length < 1 || err != nil {
			break // the mark is ours, and what follows it too
		}
		out = append(out, message[:start]...)
		kept := s.at(place)
		if rest[length-1] == textStandIn {
			out = rawjson.AppendQuote(out, kept.text)
		} else {
			out = append(out, kept.structured...)
			restored = append(restored, place)
		}
		message = rest[length+1:]
	}
	s.forget(restored)
	return append(out, message...)
}

// has tells whether a message holds stand-ins.
func (s *standIns) has(message []byte) bool {
	return bytes.Contains(message, []byte(standInMark))
}

func (s *standIns) at(place int) keptResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[place]
}

func (s *standIns) forget(places []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, place := range places {
		s.kept[place] = keptResult{free: true}
	}
}

// restoringWriter restores the answer of one HTTP request. In JSON mode the SDK writes it at once.
type restoringWriter struct {
	http.ResponseWriter
	kept *standIns
}

// answerBuffers are as large as answers were.
var answerBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Write writes the restored answer.
func (w *restoringWriter) Write(answer []byte) (int, error) {
	if !w.kept.has(answer) {
		return w.ResponseWriter.Write(answer)
	}
	buffer := answerBuffers.Get().(*[]byte)
	defer answerBuffers.Put(buffer)
	*buffer = w.kept.restore((*buffer)[:0], answer)
	if header := w.Header(); header.Get("Content-Type") == "application/json" {
		header.Set("Content-Length", strconv.Itoa(len(*buffer)))
	}
	if _, err := w.ResponseWriter.Write(*buffer); err != nil {
		return 0, err
	}
	return len(answer), nil
}

// Unwrap gives the writer that knows the connection.
func (w *restoringWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
