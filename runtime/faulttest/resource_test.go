package faulttest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/faulttest"
)

// misfortune is a fault of the resource server, and what a read that meets it comes to.
type misfortune struct {
	name  string
	fault faulttest.Fault
	times int    // that it happens; 0: until it is over
	code  string // of the error; empty: an answer
	says  string // a part of the message
	tries int    // that the resource server sees of one read
}

const (
	unreachable = "rs_unreachable"
	overdue     = "rs_timeout"
	invalid     = "rs_invalid_response"
	tooLarge    = "rs_response_too_large"
	redirected  = "rs_redirect"
)

// elsewhere is where redirects lead. Nothing may ever come there.
const elsewhere = "http://192.0.2.1"

var misfortunes = []misfortune{
	{"latency within the deadline", faulttest.Latency(50 * time.Millisecond), 0, "", "", 1},
	{"latency past the deadline", faulttest.Latency(time.Minute), 0, overdue, "did not answer within", 1},
	{"hang", faulttest.Hang, 0, overdue, "did not answer within", 1},
	{"hang-up", faulttest.HangUp, 0, unreachable, "cannot be reached", 3},
	{"reset", faulttest.Reset, 0, unreachable, "cannot be reached", 3},
	{"reset twice", faulttest.Reset, 2, "", "", 3},
	{"reset in the body", faulttest.ResetInBody, 0, unreachable, "broke during its answer", 1},
	{"truncated body", faulttest.Truncated, 0, invalid, "was cut off", 1},
	{"truncated chunk", faulttest.TruncatedChunks, 0, invalid, "was cut off", 1},
	{"slow header", faulttest.SlowHeader(20 * time.Millisecond), 0, overdue, "did not answer within", 1},
	{"slow body", faulttest.SlowBody(20 * time.Millisecond), 0, overdue, "did not answer within", 1},
	{"endless body", faulttest.Endless, 0, tooLarge, "16777216 bytes", 1},
	{"not HTTP", faulttest.Garbage, 0, unreachable, "cannot be reached", 1},
	{"long headers", faulttest.LongHeader(128 << 10), 0, unreachable, "cannot be reached", 1},

	{"429 without Retry-After", faulttest.Status(429), 0, "rate_limit_exceeded", "wait", 1},
	{"429 with Retry-After", faulttest.Status(429, "0"), 1, "", "", 2},
	{"429 with Retry-After, for good", faulttest.Status(429, "0"), 0, "rate_limit_exceeded", "wait", 3},
	{"429 with a long Retry-After", faulttest.Status(429, "60"), 0, "rate_limit_exceeded", "wait", 1},
	{"500", faulttest.Status(500), 0, "api_error", "try again later", 1},
	{"burst of 502", faulttest.Status(502), 2, "", "", 3},
	{"burst of 503", faulttest.Status(503), 2, "", "", 3},
	{"burst of 504", faulttest.Status(504), 2, "", "", 3},
	{"503 for good", faulttest.Status(503), 0, "api_error", "try again later", 3},
	{"503 with a long Retry-After", faulttest.Status(503, "60"), 0, "api_error", "try again later", 1},
	{"401", faulttest.Status(401), 0, "authentication_error", "connect again", 1},
	{"403", faulttest.Status(403), 0, "permission_error", "broader", 1},
	{"nothing (204)", faulttest.Status(204), 0, invalid, "has no body", 1},
	{"redirect to another host", faulttest.Redirect(elsewhere), 0, redirected, "set the provider URL", 1},

	{"a sign-in page", faulttest.Page, 0, invalid, "is not JSON", 1},
	{"JSON declared as text", faulttest.Declared("text/plain"), 0, "", "", 1},
	{"corrupt body", faulttest.Corrupted, 0, invalid, "is not JSON", 1},
	{"corrupt gzip", faulttest.CorruptedGzip, 0, invalid, "cannot be decoded", 1},
	{"truncated gzip", faulttest.TruncatedGzip, 0, invalid, "was cut off", 1},
	{"an encoding not asked for", faulttest.OtherEncoding, 0, invalid, "cannot be decoded", 1},
	{"gzip bomb", faulttest.GzipBomb(64 << 20), 0, tooLarge, "16777216 bytes", 1},
	{"invalid UTF-8", faulttest.Prefixed("\"x\":\"\xff\xfe\""), 0, invalid, "not valid UTF-8", 1},
	{"nested too deep", faulttest.Prefixed(`"x":` + faulttest.Nested(100_000)), 0, invalid, "is not JSON", 1},
	{"nested deeper than clients read", faulttest.Prefixed(`"x":` + faulttest.Nested(1_000)), 0, invalid, "deeper than 512 levels", 1},
	{"duplicate keys", faulttest.Prefixed(`"object":"list","data":[],"has_more":false`), 0, invalid, "a member twice", 1},
	{"a list in place of an object", faulttest.Replaced(`[{}]`), 0, invalid, "not an object", 1},
}

// ways are the three ways to a resource server.
var ways = []struct {
	name  string
	start func(*testing.T, *faulttest.Proxy) *adapter
}{
	{"stdio", func(t *testing.T, resource *faulttest.Proxy) *adapter { return overStdio(t, resource, transport(t)) }},
	{"hosted, client token", func(t *testing.T, resource *faulttest.Proxy) *adapter {
		return overHTTP(t, resource, authority(t), "everything", transport(t))
	}},
	{"hosted, package token", func(t *testing.T, resource *faulttest.Proxy) *adapter {
		return overHTTP(t, resource, authority(t), "package", transport(t))
	}},
}

func authority(t *testing.T) *faulttest.Proxy {
	t.Helper()
	proxy := faulttest.New(t)
	proxy.Serve(box().Handler())
	return proxy
}

const (
	query  = `{"stream":"messages","connection_id":"cin_gmail_personal","limit":2}`
	phrase = `{"q":"meeting","limit":8}`
)

// read is the call that the tests make: one read, or with a package one of each source.
func (a *adapter) read() said {
	if a.children > 1 {
		return a.call("search", phrase)
	}
	return a.call("query_records", query)
}

// limit is what one read may take.
func (a *adapter) limit() time.Duration {
	if a.children > 1 {
		return childWithin*6/5 + slack
	}
	return readWithin + slack
}

// R-ERR-4, R-ERR-2, R-ERR-3, R-HOST-5: whatever the resource server does, a call gets one answer within its deadline, both
// channels say what is wrong and what to do, each try is counted and has the caller's own bearer, nothing is left behind, and
// the next call works.
func TestFaultsOfTheResourceServer(t *testing.T) {
	for _, way := range ways {
		for _, fault := range misfortunes {
			t.Run(way.name+"/"+fault.name, func(t *testing.T) {
				watch(t)
				resource := faulttest.New(t)
				resource.Serve(box().Handler())
				a := way.start(t, resource)
				a.mustAnswer("before the fault")
				a.beginAnew()
				resource.Inject(faulttest.Plan{Fault: fault.fault, Times: fault.times})
				got := a.read()
				if got.took > a.limit() {
					t.Errorf("the call took %s, more than %s", got.took, a.limit())
				}
				if fault.code == "" {
					got.assertAnswer(t, a)
				} else {
					got.assertError(t, fault.code, fault.says, a.children)
				}
				a.assertTries(fault)
				resource.Heal()
				a.mustAnswer("after the fault")
			})
		}
	}
}

// Connections that are refused, and a server that comes back.
func TestResourceServerIsDown(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			watch(t)
			resource := faulttest.New(t)
			resource.Serve(box().Handler())
			a := way.start(t, resource)
			a.mustAnswer("before")
			resource.Stop(0)
			got := a.read()
			got.assertError(t, unreachable, "cannot be reached", a.children)
			if got.took > a.limit() {
				t.Errorf("the call took %s", got.took)
			}
			resource.Start()
			a.mustAnswer("after")
		})
	}
}

// A local server that starts while the resource server is in trouble answers what it says, and reads as soon as it can
// (R-STDIO-3).
func TestFaultsAtTheStart(t *testing.T) {
	for _, fault := range misfortunes {
		if fault.code == "" {
			continue
		}
		t.Run(fault.name, func(t *testing.T) {
			watch(t)
			resource := faulttest.New(t)
			resource.Serve(box().Handler())
			resource.Inject(faulttest.Plan{Fault: fault.fault})
			a := overStdio(t, resource, transport(t))
			a.read().assertError(t, fault.code, fault.says, 1)
			resource.Heal()
			a.mustAnswer("after")
		})
	}
}

// R-PKG-6: one source in trouble costs a search its own hits and no more than its deadline, and the answer names it.
func TestFaultsOfOneSource(t *testing.T) {
	member := box().Authorization().Members("package")[1]
	for _, fault := range misfortunes {
		if fault.code == "" {
			continue
		}
		t.Run(fault.name, func(t *testing.T) {
			watch(t)
			resource := faulttest.New(t)
			resource.Serve(box().Handler())
			a := overHTTP(t, resource, authority(t), "package", transport(t))
			resource.Inject(faulttest.Plan{Fault: fault.fault, Bearer: member.AccessToken})
			got := a.read()
			if got.took > a.limit() {
				t.Errorf("the call took %s, more than %s", got.took, a.limit())
			}
			if got.isError {
				t.Fatalf("the search failed as a whole: %s", got.text)
			}
			for channel, shown := range map[string]string{"text": got.text, "structured": string(got.structured)} {
				for _, part := range []string{"source_unavailable", fault.code, member.ConnectionID} {
					if !strings.Contains(shown, part) {
						t.Errorf("%s does not say %s:\n%s", channel, part, shown)
					}
				}
			}
			resource.Heal()
			a.mustAnswer("after")
		})
	}
}

func (a *adapter) mustAnswer(when string) {
	a.t.Helper()
	got := a.read()
	if got.isError || got.status != 0 && got.status != 200 {
		a.t.Fatalf("%s: %d %s%s", when, got.status, got.text, got.body)
	}
	got.assertAnswer(a.t, a)
}

// beginAnew forgets what was counted, and the connections: package http replaces one that was kept open and turns out
// to be closed, which the resource server sees as one more try.
func (a *adapter) beginAnew() {
	a.carrier.CloseIdleConnections()
	a.rs.Take()
	if a.recorder != nil {
		a.recorder.take()
	}
}

// assertTries compares what the resource server saw with what was promised, and with what the host counted.
func (a *adapter) assertTries(fault misfortune) {
	a.t.Helper()
	want := fault.tries * a.children
	if fault.times > 0 {
		want = a.children + fault.times
	}
	seen := a.rs.Take()
	if len(seen) != want {
		a.t.Errorf("the resource server saw %d requests, want %d", len(seen), want)
	}
	own := map[string]bool{}
	for _, request := range seen {
		own[request.Bearer] = true
		if request.Method != "GET" {
			a.t.Errorf("the resource server saw %s %s", request.Method, request.URI)
		}
	}
	if len(own) != a.children {
		a.t.Errorf("%d bearers were shown, want %d", len(own), a.children)
	}
	if a.recorder == nil {
		return
	}
	if counted := a.recorder.take(); len(counted) != len(seen) {
		a.t.Errorf("the host counted %d requests %v of %d", len(counted), counted, len(seen))
	}
}

// assertAnswer checks that there are records, and no word of trouble.
func (s said) assertAnswer(t *testing.T, a *adapter) {
	t.Helper()
	if s.isError || strings.Contains(s.text, "source_unavailable") {
		t.Errorf("got %s", s.text)
	}
	if a.children == 1 && (strings.Count(s.text, "id=") < 2 || strings.Count(string(s.structured), `"object":"record"`) != 2) {
		t.Errorf("not two records: %s\n%s", s.text, s.structured)
	}
}

// assertError checks that both channels tell one error.
func (s said) assertError(t *testing.T, code, says string, sources int) {
	t.Helper()
	var structured struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(s.structured, &structured); err != nil {
		t.Fatalf("%v: %s", err, s.structured)
	}
	if string(structured.Error) != s.text {
		t.Errorf("the channels differ:\n%s\n%s", s.text, structured.Error)
	}
	var told struct {
		Code        string `json:"code"`
		Message     string `json:"message"`
		Unavailable []struct {
			Reason string `json:"reason"`
		} `json:"unavailable_connections"`
	}
	if err := json.Unmarshal([]byte(s.text), &told); err != nil || !s.isError {
		t.Fatalf("error %v of %v: %s", s.isError, err, s.text)
	}
	if sources > 1 && told.Code == "source_unavailable" {
		// No source has a next step of its own here; the message has that of all.
		says = "try again"
		if len(told.Unavailable) != sources {
			t.Errorf("%d sources are named, want %d", len(told.Unavailable), sources)
		}
		for _, source := range told.Unavailable {
			if source.Reason != code {
				t.Errorf("a source is missing for %s, want %s", source.Reason, code)
			}
		}
	} else if told.Code != code {
		t.Errorf("the code is %s, want %s", told.Code, code)
	}
	if !strings.Contains(strings.ToLower(told.Message), strings.ToLower(says)) {
		t.Errorf("the message is %q, want one with %q", told.Message, says)
	}
	for name, token := range box().Tokens() {
		if strings.Contains(s.text+string(s.structured), token) {
			t.Errorf("the answer holds the token %s", name)
		}
	}
}
