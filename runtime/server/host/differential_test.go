package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// mutationsVariable is the environment variable with the number of requests to compare on each transport. 100,000 take
// a few minutes:
//
//	PDPP_MUTATIONS=100000 go test -run Differential -v -timeout 30m ./runtime/server/host
const mutationsVariable = "PDPP_MUTATIONS"

// mutationsUsual is the default number.
const mutationsUsual = 1_500

// mutationsForAll is a number at which each difference occurs.
const mutationsForAll = 50_000

func mutationsWanted(t *testing.T) int {
	t.Helper()
	wanted, err := strconv.Atoi(os.Getenv(mutationsVariable))
	if err != nil {
		return mutationsUsual
	}
	return wanted
}

// tally counts the differences of a run and reports unexpected ones.
type tally struct {
	t     *testing.T
	seen  map[string]int
	wrong int
}

const theSame = "the same"

func (c *tally) compare(m mutation, got, want verdict) {
	c.t.Helper()
	if got.same(want) {
		c.seen[theSame]++
		return
	}
	for _, each := range differences {
		if each.is(comparison{m, got, want}) {
			c.seen[each.reason]++
			return
		}
	}
	if c.wrong++; c.wrong > 20 {
		c.t.Fatal("and more")
	}
	c.t.Errorf("%.1500s\n  %v\n  got %s\n  bare SDK %s", m.body, m.header, got, want)
}

func (c *tally) report(t *testing.T, started time.Time) {
	t.Helper()
	for reason, count := range c.seen {
		t.Logf("%6d %s", count, reason)
	}
	t.Logf("in %.1f s", time.Since(started).Seconds())
}

// Covers R-HOST-1 and R-STDIO-7: every response equals the SDK's, over HTTP and stdio, except for the listed
// differences. Each listed difference occurs.
func TestDifferential(t *testing.T) {
	met, compared := map[string]bool{}, 0
	for name, compare := range map[string]func(*testing.T, *tally){"HTTP": compareOverHTTP, "stdio": compareOverStdio} {
		t.Run(name, func(t *testing.T) {
			counts := &tally{t: t, seen: map[string]int{}}
			compare(t, counts)
			compared++
			for reason := range counts.seen {
				met[reason] = true
			}
		})
	}
	for _, each := range differences {
		if !met[each.reason] && compared == 2 && mutationsWanted(t) >= mutationsForAll {
			t.Errorf("no request met: %s", each.reason)
		}
	}
}

// differentialSurface has tools with constant results.
func differentialSurface() tool.Surface {
	surface := callSurface()
	surface.Tools = slices.DeleteFunc(surface.Tools,
		func(definition tool.Definition) bool { return definition.Name == "whole" })
	return surface
}

// compareOverHTTP sends each request to both servers.
func compareOverHTTP(t *testing.T, counts *tally) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = differentialSurface()
		with.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, grantedSchema) }
		with.options.Limits.PerSecond, with.options.Limits.Burst = 1e9, 1e9
		with.options.Logger = nil
	})
	options := host.Options{Name: "pdpp-mcp", Version: "test"}
	reader := reporting(grantedSchema)
	reader.url = h.rs.URL // which errors name
	bare := host.NewBareSDK(differentialSurface(), options, h.url, reading(reader))
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, host.TransportOptions())
	serve := func(handler http.Handler, m mutation) verdict {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", strings.NewReader(m.body))
		request.Header = m.header.Clone()
		request.Header.Set("Authorization", "Bearer "+bearer)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return readVerdict(t, recorder)
	}
	r, started := mutations{rand.New(rand.NewPCG(1, 2))}, time.Now()
	for range mutationsWanted(t) {
		m := r.next()
		counts.compare(m, serve(h.Handler, m), serve(sdk, m))
	}
	counts.report(t, started)
	if strings.Contains(h.log.String(), "a call came to the SDK") {
		t.Error("the SDK was to run a call")
	}
}

// spokenLines is a session whose lines are compared.
type spokenLines struct {
	in      io.WriteCloser
	out     *bufio.Reader
	counted int
}

// ask sends a line and returns its responses. A request gets one response. Responses to any other line come before that
// to the ping after it.
func (s *spokenLines) ask(t *testing.T, line string, isRequest bool) verdict {
	t.Helper()
	s.counted++
	last := fmt.Sprintf(`"the-last-%d"`, s.counted)
	go func() {
		_, _ = io.WriteString(s.in, line+"\n"+`{"jsonrpc":"2.0","id":`+last+`,"method":"ping"}`+"\n")
	}()
	var found verdict
	for sawLast := false; !sawLast || isRequest && len(found.answers) == 0; {
		text, err := s.out.ReadBytes('\n')
		if err != nil {
			found.isOver = true
			return found
		}
		if answer := readAnswer(t, text); answer.id == last {
			sawLast = true
		} else {
			found.answers = append(found.answers, answer)
		}
	}
	return found
}

func speak(t *testing.T, revision string, serve func(in io.ReadCloser, out io.WriteCloser)) *spokenLines {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	go serve(input, output)
	spoken := &spokenLines{in: toServer, out: bufio.NewReader(fromServer)}
	go func() { _, _ = io.WriteString(toServer, initializeOf(revision)) }()
	if _, err := spoken.out.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close() })
	return spoken
}

// compareOverStdio sends each line to sessions of both servers. TestBatchesOverStdio covers batches, because the SDK
// never answers one with a notification.
func compareOverStdio(t *testing.T, counts *tally) {
	options := host.Options{Name: "pdpp-mcp", Version: "test"}
	ours := func(in io.ReadCloser, out io.WriteCloser) {
		local := admission.New(t.Context(), reporting(grantedSchema), "", nil)
		_ = host.ServeLocal(t.Context(), differentialSurface(), options, local, host.Streams{In: in, Out: out})
		_ = out.Close()
	}
	server := host.NewBareSDK(differentialSurface(), options, "", reading(reporting(grantedSchema)))
	bare := func(in io.ReadCloser, out io.WriteCloser) {
		_ = server.Run(context.WithoutCancel(t.Context()), &mcp.IOTransport{Reader: in, Writer: out})
		_ = out.Close()
	}
	own, sdk := map[string]*spokenLines{}, map[string]*spokenLines{}
	for _, revision := range differentialRevisions {
		own[revision], sdk[revision] = speak(t, revision, ours), speak(t, revision, bare)
	}
	r, started := mutations{rand.New(rand.NewPCG(3, 4))}, time.Now()
	for range mutationsWanted(t) {
		m := r.next()
		m.body, m.header = strings.ReplaceAll(m.body, "\n", " "), nil
		if isBatch(m.body) || strings.TrimSpace(m.body) == "" {
			continue
		}
		decoded, err := jsonrpc.DecodeMessage([]byte(m.body))
		request, isRequest := decoded.(*jsonrpc.Request)
		isRequest = err == nil && isRequest && request.IsCall()
		// a text that is not JSON ends its session, or is taken for the beginning of a longer text
		want := verdict{isOver: true}
		if json.Valid([]byte(m.body)) {
			// The SDK takes a blank behind a message for the end of the session.
			if want = sdk[m.begun].ask(t, strings.TrimSpace(m.body), isRequest); want.isOver {
				sdk[m.begun] = speak(t, m.begun, bare)
			}
		}
		counts.compare(m, own[m.begun].ask(t, m.body, isRequest), want)
	}
	counts.report(t, started)
}
