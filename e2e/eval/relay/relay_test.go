package relay_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

const asServer = "RELAY_TEST_SERVER"

// answers are those of the server in the tests, by method and tool. A call of "end" ends it.
var answers = map[string]string{
	"tools/list":   `{"tools":[{"name":"read","inputSchema":{},"outputSchema":{"type":"object"}}],"nextCursor":"x"}`,
	"read":         `{"content":[{"type":"text","text":"a<b"}],"structuredContent":{"n":1,"t":"a<b"},"_meta":{"m":1}}`,
	"refuse":       `{"content":[{"type":"text","text":"no"}],"isError":true}`,
	"show":         `{"content":[{"type":"text","text":"seen"},{"type":"image","data":"AA==","mimeType":"image/png"}]}`,
	"environment":  "",
	"prompts/list": `{"prompts":[]}`,
}

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var asked struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(lines.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		name := asked.Params.Name
		if name == "" {
			name = asked.Method
		}
		answer := answers[name]
		if name == "environment" {
			encoded, _ := json.Marshal(strings.Join(os.Environ(), "\n")) // a text always encodes
			answer = fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, encoded)
		}
		if answer == "" {
			fmt.Fprintln(os.Stderr, "the server gives up")
			os.Exit(3)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", asked.ID, answer)
	}
}

func server(t *testing.T) relay.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return relay.Server{Command: []string{self}, Environment: []string{asServer + "=1"}}
}

// ask writes requests with the ids 1, 2 and so on: a method with a slash, or a tool.
func ask(names ...string) string {
	lines := `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i, name := range names {
		if strings.Contains(name, "/") {
			lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", i+1, name)
		} else {
			lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"a":1}}}`+"\n",
				i+1, name)
		}
	}
	return lines
}

// R-EVAL-1: a candidate is shown one channel of each result, and each call is noted as it was shown.
func TestOneChannelIsShown(t *testing.T) {
	list := `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"x","tools":[{"inputSchema":{},"name":"read"}]}}`
	for channel, want := range map[string]struct{ shown, noted string }{
		relay.Text: {
			`{"jsonrpc":"2.0","id":2,"result":{"_meta":{"m":1},"content":[{"type":"text","text":"a<b"}]}}`,
			"a<b",
		},
		relay.Structured: {`{"jsonrpc":"2.0","id":2,"result":{"_meta":{"m":1},"content":[{"text":"{\"n\":1,\"t\":\"a<b\"}",` +
			`"type":"text"}]}}`, `{"n":1,"t":"a<b"}`},
	} {
		t.Run(channel, func(t *testing.T) {
			var calls []transcript.Call
			passing := relay.Relay{Channel: channel, Note: func(call transcript.Call) { calls = append(calls, call) }}
			var shown bytes.Buffer
			err := passing.Run(t.Context(), strings.NewReader(ask("tools/list", "read", "refuse", "show", "prompts/list")),
				&shown, server(t))
			lines := strings.Split(shown.String(), "\n")
			if err != nil || len(lines) != 6 || lines[0] != list || lines[1] != want.shown ||
				lines[4] != `{"jsonrpc":"2.0","id":5,"result":{"prompts":[]}}` {
				t.Errorf("%v; shown\n%s", err, shown.String())
			}
			if len(calls) != 3 || calls[0].Tool != "read" || string(calls[0].Arguments) != `{"a":1}` ||
				calls[0].Result != want.noted ||
				!calls[1].Failed || calls[1].Result != "no" || calls[2].Failed || calls[2].Result != "seen\n[image image/png]" {
				t.Errorf("noted %+v", calls)
			}
		})
	}
}

// A server that ends is reported with its last words, and its open call is noted as failed.
func TestServerEnds(t *testing.T) {
	var calls []transcript.Call
	passing := relay.Relay{Channel: relay.Text, Note: func(call transcript.Call) { calls = append(calls, call) }}
	err := passing.Run(t.Context(), strings.NewReader(ask("read", "end")), &bytes.Buffer{}, server(t))
	if err == nil || !strings.Contains(err.Error(), "the server gives up") || len(calls) != 2 || calls[0].Failed ||
		!calls[1].Failed {
		t.Errorf("%v; noted %+v", err, calls)
	}
}

// R-EVAL-1: the relay as a program writes the calls to a file, and the server inherits no key.
func TestRelayProgram(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-relay-test")
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	line := relay.CommandLine("eval", relay.Text, path, server(t))
	var shown, complained bytes.Buffer
	if err := relay.Main(t.Context(), line[2:], strings.NewReader(ask("environment")), &shown, &complained); err != nil {
		t.Fatalf("%v\n%s", err, complained.String())
	}
	calls, err := transcript.ReadCalls(path)
	if err != nil || len(calls) != 1 || !strings.Contains(calls[0].Result, asServer+"=1") ||
		strings.Contains(calls[0].Result, "sk-relay-test") {
		t.Errorf("%v; the calls are %+v", err, calls)
	}
}
