package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// slowLine is the line of a slow call.
type slowLine struct {
	Level     string
	Method    string
	Tool      string
	Code      string
	Duration  float64 `json:"duration_ms"`
	RequestID string  `json:"request_id"`
	Caller    string
	TraceID   string `json:"trace_id"`
	Reads     []slowRead
	Others    int `json:"other_reads"`
}

type slowRead struct {
	URL      string
	Status   int
	Requests int
	Again    int
	Duration float64 `json:"duration_ms"`
	Longest  float64 `json:"longest_ms"`
	Bytes    int64
}

func slowLines(t *testing.T, log *hosttest.Journal) (found []slowLine) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, `"msg":"slow call"`) {
			continue
		}
		var slow slowLine
		if err := json.Unmarshal([]byte(line), &slow); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		found = append(found, slow)
	}
	return found
}

// readingMany returns a tool that reads a page of a stream as often as its path says, and each status below it once.
func readingMany(pages int, statuses ...int) tool.Definition {
	return running("many", func(ctx context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
		for page := range pages {
			_, _ = env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "streams", "planted"+strconv.Itoa(page), "records")})
		}
		for _, status := range statuses {
			_, _ = env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "streams", strconv.Itoa(status), "aggregate")})
		}
		return &tool.Result{Text: "planted"}, nil
	})
}

func answerStatus(w http.ResponseWriter, r *http.Request) {
	if status, err := strconv.Atoi(strings.Split(r.URL.Path, "/")[3]); err == nil {
		w.WriteHeader(status)
	}
	_, _ = io.WriteString(w, `{"planted":1}`)
}

// Covers R-OPS-1: a call that takes too long is logged with what it read, added up by template and status, and with the
// ids under which the rest is found. It contains no name or value of the call.
func TestSlowCall(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	h := newHosted(t, func(with *hostedWith) {
		with.options.SlowCall = 1
		with.surface, with.answer = testSurface(readingMany(40, 404, 503)), answerStatus
	})
	h.post(t, callOf("many", `{"q":"planted"}`), "Request-Id", "req_of_a_test", "Traceparent",
		"00-"+trace+"-b7ad6b7169203331-01")
	lines := slowLines(t, h.log)
	if len(lines) != 1 {
		t.Fatalf("%d lines: %s", len(lines), h.log)
	}
	got := lines[0]
	want := slowLine{
		Level: "WARN", Method: "tools/call", Tool: "many", Code: "ok", RequestID: "req_of_a_test", TraceID: trace,
		Caller: got.Caller, Duration: got.Duration,
		Reads: []slowRead{
			{URL: "/v1/streams/{stream}/records", Status: 200, Requests: 40, Bytes: 40 * 13},
			{URL: "/v1/streams/{stream}/aggregate", Status: 404, Requests: 1, Bytes: 13},
			{URL: "/v1/streams/{stream}/aggregate", Status: 503, Requests: 3, Again: 2, Bytes: 3 * 13},
		},
	}
	for i, read := range got.Reads {
		if read.Longest <= 0 || read.Duration < read.Longest || read.Longest > got.Duration {
			t.Errorf("the reads took %v ms, the longest %v ms, of %v ms", read.Duration, read.Longest, got.Duration)
		}
		got.Reads[i].Duration, got.Reads[i].Longest = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got.Caller) != 16 {
		t.Error(diff)
	}
	if strings.Contains(h.log.String(), "planted") {
		t.Errorf("the log holds a name or a value: %s", h.log)
	}
}

// Covers R-OPS-1: the line is bounded, whatever comes back.
func TestSlowCallIsBounded(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.options.SlowCall = 1
		with.surface, with.answer = testSurface(readingMany(0, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409,
			410)), answerStatus
	})
	h.post(t, callOf("many", `{}`))
	if got := slowLines(t, h.log); len(got) != 1 || len(got[0].Reads) != 8 || got[0].Others != 3 {
		t.Errorf("%+v", got)
	}
}

// Covers R-OPS-1: calls that are fast enough are not logged so, nor any where it is turned off.
func TestFastCalls(t *testing.T) {
	for _, longer := range []time.Duration{0, time.Hour} {
		h := newHosted(t, func(with *hostedWith) { with.options.SlowCall = longer })
		h.post(t, callOf("fetch", `{}`))
		if log := h.log.String(); strings.Contains(log, "slow call") || !strings.Contains(log, `"tool":"fetch"`) {
			t.Errorf("with %v: %s", longer, log)
		}
	}
}

// Covers R-OPS-1: lists, completions and resources are logged by their methods, over both transports.
func TestSlowRequests(t *testing.T) {
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://record/messages:m1"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/resource",` +
			`"uri":"pdpp://stream/{name}"},"argument":{"name":"name","value":"m"}}}`,
	}
	want := []string{
		"resources/read fetch 1", "resources/list resources/list 1",
		"completion/complete completion/complete 1",
	}
	check := func(t *testing.T, log *hosttest.Journal) {
		t.Helper()
		var got []string
		for _, line := range slowLines(t, log) {
			got = append(got, fmt.Sprint(line.Method, " ", line.Tool, " ", len(line.Reads)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", diff, log)
		}
	}
	answer := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"bearer":{"token_kind":"client"},"connectors":[]}`)
	}
	t.Run("over HTTP", func(t *testing.T) {
		h := newHosted(t, func(with *hostedWith) { with.options.SlowCall, with.answer = 1, answer })
		for _, message := range messages {
			h.post(t, message)
		}
		check(t, h.log)
	})
	t.Run("over stdio", func(t *testing.T) {
		log := &hosttest.Journal{}
		options := hosttest.Options
		options.SlowCall, options.Logger = 1, slog.New(slog.NewJSONHandler(log, nil))
		client, err := rs.NewClient(rs.Options{BaseURL: newResourceServer(t, answer).URL, Bearer: rs.NewSecret(bearer)})
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, testSurface(), options, reading(client))
		if _, err := session.ReadResource(t.Context(),
			&mcp.ReadResourceParams{URI: "pdpp://record/messages:m1"}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.ListResources(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "pdpp://stream/{name}"},
			Argument: mcp.CompleteParamsArgument{Name: "name", Value: "m"},
		}); err != nil {
			t.Fatal(err)
		}
		check(t, log)
	})
}
