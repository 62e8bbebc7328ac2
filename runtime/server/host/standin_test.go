package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// whole returns a tool whose result is hard to carry: it is large, and holds what JSON, HTML and scripts escape, and
// what looks like a part of a message. It differs for each argument.
func whole() tool.Definition {
	return running("whole", func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Result, error) {
		return &tool.Result{Text: wholeText(string(arguments)), Structured: wholeStructured(string(arguments))}, nil
	})
}

func wholeText(arguments string) string {
	return arguments + strings.Repeat("<mark>&\"\\ \n\t\u2028é😀\x00 \"}],\"structuredContent\":", 500)
}

func wholeStructured(arguments string) json.RawMessage {
	structured, err := json.Marshal(map[string]any{
		"arguments": arguments, "text": wholeText(arguments),
		"number": json.Number("1.10"),
	})
	if err != nil {
		panic(err)
	}
	return structured
}

const wholeCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"whole","arguments":{"a":"%d"}}}`

// checkWhole compares a response with the tool's result for its id.
func checkWhole(t *testing.T, message []byte) {
	t.Helper()
	var got struct {
		ID     int
		Result struct {
			Content           []struct{ Type, Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(message, &got); err != nil {
		t.Fatalf("%.300s: %v", message, err)
	}
	arguments := fmt.Sprintf(`{"a":"%d"}`, got.ID)
	if len(got.Result.Content) != 1 || got.Result.Content[0].Type != "text" ||
		got.Result.Content[0].Text != wholeText(arguments) {
		t.Errorf("%d: the text is %.300s", got.ID, got.Result.Content)
	}
	if string(got.Result.StructuredContent) != string(wholeStructured(arguments)) {
		t.Errorf("%d: the structured output is %.300s", got.ID, got.Result.StructuredContent)
	}
}

// Concurrent results over stdio are complete, each with its id.
func TestResultsAreWholeOverStdio(t *testing.T) {
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	go func() {
		streams := host.Streams{In: input, Out: output}
		local := admission.New(t.Context(), reporting(clientSchema), "", nil)
		_ = host.ServeLocal(t.Context(), testSurface(whole()),
			host.Options{Name: "pdpp-mcp", Version: "test"}, local, streams)
		_ = output.Close()
	}()
	const calls = 200
	go func() {
		_, _ = io.WriteString(toServer, initialize)
		for id := range calls {
			_, _ = fmt.Fprintf(toServer, wholeCall+"\n", id+1, id+1)
		}
		_ = toServer.Close()
	}()
	answers := bufio.NewReader(fromServer)
	if _, err := answers.ReadBytes('\n'); err != nil { // of initialize
		t.Fatal(err)
	}
	for range calls {
		message, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, message)
	}
}

// R-HOST-1: results over HTTP are complete in each revision and in a batch.
func TestResultsAreWholeOverHTTP(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) { with.surface = testSurface(whole()) })
	for _, revision := range []string{"2025-03-26", "2025-06-18"} {
		got := h.post(t, fmt.Sprintf(wholeCall, 7, 7), "Mcp-Protocol-Version", revision)
		if got.status != 200 || got.header.Get("Content-Length") != fmt.Sprint(len(got.body)) {
			t.Errorf("%s: status %d, %v", revision, got.status, got.header)
		}
		checkWhole(t, []byte(got.body))
	}
	got := h.post(t, `[`+fmt.Sprintf(wholeCall, 1, 1)+`,`+fmt.Sprintf(wholeCall, 2, 2)+`]`,
		"Mcp-Protocol-Version", "2025-03-26")
	var batch []json.RawMessage
	if err := json.Unmarshal([]byte(got.body), &batch); err != nil || len(batch) != 2 {
		t.Fatalf("%d answers (%v): %.300s", len(batch), err, got.body)
	}
	for _, message := range batch {
		checkWhole(t, message)
	}
}
