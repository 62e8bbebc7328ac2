package host_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// progressing returns a tool that reports its progress if the client asked for it. One report is lower than the last,
// and is not sent. The test can report more.
func progressing(heard <-chan bool, afterwards chan<- func(int64, string)) tool.Definition {
	return running("count", func(ctx context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
		if env.Progress == nil {
			return &tool.Result{Text: "not asked"}, nil
		}
		env.Progress(100, `100 records of "messages" read`)
		env.Progress(50, "again")
		select {
		case <-heard:
		case <-ctx.Done(): // the progress came too late
			return nil, ctx.Err()
		}
		afterwards <- env.Progress
		return &tool.Result{Text: "told"}, nil
	})
}

// clientTold returns a client that passes notifications to the test.
func clientTold(notified chan<- *mcp.ProgressNotificationParams, heard chan<- bool) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			notified <- request.Params
			heard <- true
		},
	})
}

// R-SCAN-8: a client that sends a token gets the progress of its call, over both transports, until the response.
func TestProgressIsReportedToThoseWhoAsk(t *testing.T) {
	heard, afterwards := make(chan bool), make(chan func(int64, string), 4)
	surface := testSurface(progressing(heard, afterwards))
	hosted := newHosted(t, func(with *hostedWith) { with.surface = surface })
	reader := reporting(clientSchema)
	for name, transport := range map[string]mcp.Transport{
		"stdio": hosttest.Serve(t, surface, hosttest.Options, reading(reader)),
		"HTTP": &mcp.StreamableClientTransport{
			Endpoint: hosted.url + "/mcp", HTTPClient: &http.Client{Transport: hosttest.WithBearer{Token: bearer}},
			DisableStandaloneSSE: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			notified := make(chan *mcp.ProgressNotificationParams, 8)
			session, err := clientTold(notified, heard).Connect(t.Context(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			for _, token := range []any{"call 7 \"x\"", 7} {
				params := &mcp.CallToolParams{Name: "count"}
				params.SetProgressToken(token)
				if text := called(t, session, params); text != "told" {
					t.Fatalf("the answer is %s", text)
				}
				got := <-notified
				same, _ := json.Marshal(got.ProgressToken)
				want, _ := json.Marshal(token)
				if string(same) != string(want) || got.Progress != 100 || got.Message != `100 records of "messages" read` {
					t.Errorf("told %+v", got)
				}
				(<-afterwards)(1_000, "after the answer")
			}
			if text := called(t, session, &mcp.CallToolParams{Name: "count"}); text != "not asked" {
				t.Errorf("without a token the answer is %s", text)
			}
			if len(notified) > 0 {
				t.Errorf("told again: %+v", <-notified)
			}
		})
	}
}

func called(t *testing.T, session *mcp.ClientSession, params *mcp.CallToolParams) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// Over HTTP the response is an event only after another event. A call without progress, and a batch, are answered with
// JSON.
func TestAnswersWithoutProgressAreJSON(t *testing.T) {
	heard := make(chan bool)
	close(heard)
	hosted := newHosted(t, func(with *hostedWith) {
		with.surface = testSurface(progressing(heard, make(chan func(int64, string), 8)))
	})
	for name, test := range map[string]struct{ body, media, begins string }{
		"told": {
			callWithMeta("count", `"progressToken":1`), "text/event-stream",
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"",
		},
		"nothing told": {callWithMeta("fetch", `"progressToken":1`), "application/json", `{"jsonrpc":"2.0","id":1`},
		"no token":     {callWithMeta("count", ""), "application/json", `{"jsonrpc":"2.0","id":1`},
		"a batch": {
			"[" + callWithMeta("count", `"progressToken":1`) + "]", "application/json",
			`[{"jsonrpc":"2.0","id":1`,
		},
		"a token of any": {callWithMeta("count", `"progressToken":{}`), "application/json", `{"jsonrpc":"2.0","id":1`},
	} {
		t.Run(name, func(t *testing.T) {
			got := hosted.post(t, test.body, "Mcp-Protocol-Version", "2025-03-26")
			if media := got.header.Get("Content-Type"); media != test.media || !strings.HasPrefix(got.body, test.begins) {
				t.Errorf("%s: %s", media, got.body)
			}
		})
	}
}

func callWithMeta(name, meta string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name +
		`","arguments":{},"_meta":{` + meta + `}}}`
}
