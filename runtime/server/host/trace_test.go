package host_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const (
	metaParent   = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	headerParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

// tracedMessages are messages that read something, of the kind that is answered here and of the kind that the SDK
// answers; %meta is replaced by more members of params.
var tracedMessages = map[string]string{
	"a call": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{}%meta}}`,
	"a read": `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://record/messages:m1"%meta}}`,
}

// Covers R-MCP-2: what _meta names is the parent, over HTTP before what the headers name; what is malformed is ignored.
func TestTraceOverHTTP(t *testing.T) {
	for name, test := range map[string]struct {
		meta   string
		header []string
		want   [3]string // traceparent, tracestate and baggage that the RS saw
	}{
		"neither": {"", nil, [3]string{}},
		"header":  {"", []string{"Traceparent", headerParent, "Tracestate", "a=1"}, [3]string{headerParent, "a=1"}},
		"_meta": {
			`"traceparent":"` + metaParent + `","tracestate":"b=2","baggage":"c=3"`, nil,
			[3]string{metaParent, "b=2", "c=3"},
		},
		"both": {
			`"traceparent":"` + metaParent + `"`,
			[]string{"Traceparent", headerParent, "Tracestate", "a=1"},
			[3]string{metaParent},
		},
		"malformed": {
			`"traceparent":"` + strings.ToUpper(metaParent) + `","tracestate":"b=2"`,
			[]string{"Traceparent", headerParent},
			[3]string{headerParent},
		},
		"of other types": {`"traceparent":{},"baggage":7`, []string{"Traceparent", headerParent}, [3]string{headerParent}},
		"a line end":     {`"traceparent":"` + metaParent + `","baggage":"a=b\r\nX-Other: y"`, nil, [3]string{metaParent}},
		"proxy's":        {"", []string{"Baggage", "internal=1"}, [3]string{}},
	} {
		for kind, message := range tracedMessages {
			t.Run(name+"/"+kind, func(t *testing.T) {
				h := newHosted(t)
				meta := ""
				if test.meta != "" {
					meta = `,"_meta":{` + test.meta + `}`
				}
				if got := h.post(t, strings.Replace(message, "%meta", meta, 1),
					test.header...); !strings.Contains(got.body, `"result"`) {
					t.Fatalf("answer is %s", got.body)
				}
				seen := h.rs.seen()
				if len(seen) != 1 {
					t.Fatalf("the RS saw %d requests", len(seen))
				}
				wantTrace(t, seen[0].Header, test.want)
			})
		}
	}
}

// Covers R-MCP-2: over stdio each message has the trace that it names, and the next one not.
func TestTraceOverStdio(t *testing.T) {
	seen := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/schema" {
			_, _ = w.Write([]byte(clientSchema))
			return
		}
		seen <- r.Header
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	reader, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret(bearer)})
	if err != nil {
		t.Fatal(err)
	}
	c := converse(t.Context(), t, reader)
	c.send(initialize)
	c.next()
	for kind, message := range tracedMessages {
		for meta, want := range map[string][3]string{
			`,"_meta":{"traceparent":"` + metaParent + `","tracestate":"b=2","baggage":"c=3"}`: {metaParent, "b=2", "c=3"},
			"": {},
		} {
			c.send(strings.Replace(message, "%meta", meta, 1) + "\n")
			if got := c.next(); got.Error != nil {
				t.Fatalf("%s: answer is %+v", kind, got)
			}
			wantTrace(t, <-seen, want)
		}
	}
}

func wantTrace(t *testing.T, header http.Header, want [3]string) {
	t.Helper()
	got := [3]string{header.Get("Traceparent"), header.Get("Tracestate"), header.Get("Baggage")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("traceparent, tracestate and baggage (-want +sent):\n%s", diff)
	}
}
