package faulttest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

// ways are the three ways to a resource server.
var ways = []struct {
	name  string
	start func(t *testing.T, resource *faulttest.Proxy, within deadlines) *adapter
}{
	{"stdio", func(t *testing.T, resource *faulttest.Proxy, within deadlines) *adapter {
		return overStdio(t, resource, transport(t), within)
	}},
	{"hosted, client token", func(t *testing.T, resource *faulttest.Proxy, within deadlines) *adapter {
		return overHTTP(t, resource, authority(t), "everything", transport(t), within)
	}},
	{"hosted, package token", func(t *testing.T, resource *faulttest.Proxy, within deadlines) *adapter {
		return overHTTP(t, resource, authority(t), "package", transport(t), within)
	}},
}

func authority(t *testing.T) *faulttest.Proxy {
	t.Helper()
	proxy := faulttest.New(t)
	proxy.Serve(provider())
	return proxy
}

const (
	query  = `{"stream":"messages","connection_id":"cin_gmail_personal","limit":2}`
	phrase = `{"q":"barometer","limit":100}`
)

// read is the call that the tests make: one read, or with a package one of each source. Whatever the outcome, the
// internal address of the resource server is not in the result (R-ERR-1, R-HOST-1).
func (a *adapter) read() outcome {
	a.t.Helper()
	tool, arguments := "query_records", query
	if a.children > 1 {
		tool, arguments = "search", phrase
	}
	got := a.call(tool, arguments)
	if inner := strings.TrimPrefix(a.rs.URL, "http://"); strings.Contains(got.text+string(got.structured)+
		got.body, inner) {
		a.t.Errorf("the result shows where the resource server is read: %s %s", got.text, got.structured)
	}
	return got
}

// limit returns the time that one read may take.
func (a *adapter) limit() time.Duration {
	if a.children > 1 {
		return a.within.read*6/5 + slack
	}
	return a.within.read + slack
}

// R-ERR-4, R-ERR-2, R-ERR-3, R-HOST-5: whatever the resource server does, a call gets one answer within its deadline,
// both channels name the error and the next step, each try is counted and has the caller's bearer, nothing leaks, and
// the next call works.
func TestFaultsOfTheResourceServer(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			watch(t)
			for _, fault := range faultCases {
				t.Run(fault.name, func(t *testing.T) {
					watchOrWait(t, fault.waits())
					resource := faulttest.New(t)
					resource.Serve(provider())
					a := way.start(t, resource, fault.within())
					a.mustAnswer("before the fault")
					a.reset()
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
		})
	}
}

// R-ERR-4: in an outage the callers of one adapter have one budget of further tries (rs.RetryBudget). With all of them,
// the resource server sees hardly more than it is asked.
func TestAnOutageIsNotTripled(t *testing.T) {
	const reads, reserve = 40, 20 // few enough for the pace of one caller
	watch(t)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel() // most of it is waiting from try to try
			resource := faulttest.New(t)
			resource.Serve(provider())
			a := way.start(t, resource, ample)
			a.mustAnswer("before")
			a.reset()
			resource.Inject(faulttest.Plan{Fault: faulttest.Status(503)})
			started := time.Now()
			for range reads {
				a.read()
			}
			asked := reads * a.children
			most := asked + asked/10 + reserve + int(time.Since(started)/time.Second) + 1
			if seen := len(a.rs.Take()); seen > most || seen <= asked {
				t.Errorf("the resource server saw %d requests for %d reads, at most %d were promised", seen, asked, most)
			}
			resource.Heal()
			a.mustAnswer("after")
		})
	}
}

// Connections that are refused, and a server that comes back.
func TestResourceServerIsDown(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			watch(t)
			resource := faulttest.New(t)
			resource.Serve(provider())
			a := way.start(t, resource, ample)
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
	watch(t)
	for _, fault := range faultCases {
		if fault.code == "" {
			continue
		}
		t.Run(fault.name, func(t *testing.T) {
			watchOrWait(t, fault.waits())
			resource := faulttest.New(t)
			resource.Serve(provider())
			resource.Inject(faulttest.Plan{Fault: fault.fault})
			a := overStdio(t, resource, transport(t), fault.within())
			a.read().assertError(t, fault.code, fault.says, 1)
			resource.Heal()
			a.mustAnswer("after")
		})
	}
}

// R-PKG-6: one source in trouble costs a search its own hits and no more than its deadline, and the answer names it.
func TestFaultsOfOneSource(t *testing.T) {
	watch(t)
	member := box().Authorization().Members("package")[1]
	for _, fault := range faultCases {
		if fault.code == "" {
			continue
		}
		t.Run(fault.name, func(t *testing.T) {
			watchOrWait(t, fault.waits())
			resource := faulttest.New(t)
			resource.Serve(provider())
			a := overHTTP(t, resource, authority(t), "package", transport(t), fault.within())
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

// R-PKG-6: all tries of one source have the deadline of one source together.
func TestTriesOfOneSourceHaveItsDeadline(t *testing.T) {
	watch(t)
	member := box().Authorization().Members("package")[1]
	resource := faulttest.New(t)
	resource.Serve(provider())
	a := overHTTP(t, resource, authority(t), "package", transport(t), deadlines{shortly, amply})
	resource.Inject(faulttest.Plan{Fault: faulttest.Late(shortly*5/7, faulttest.Status(503)), Bearer: member.AccessToken})
	got := a.read()
	if got.isError || !strings.Contains(got.text, "source_unavailable") {
		t.Errorf("got %s", got.text)
	}
	tries := 0
	for _, request := range resource.Take() {
		if request.Bearer == member.AccessToken && strings.HasPrefix(request.URI, "/v1/search") {
			tries++
		}
	}
	if tries < 1 || tries > 2 {
		t.Errorf("the source saw %d tries; a third begins after its deadline", tries)
	}
}
