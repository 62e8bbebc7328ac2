package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// callers is the number of concurrent callers, each with its own grant.
const callers = 100

// readAll returns a tool that returns the resource server's answer, errors included.
func readAll(name string) tool.Definition {
	return running(name, func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Result, error) {
		response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "echo"), Sources: rs.OneSource{Stream: "echo"}})
		if err != nil {
			return nil, err
		}
		return &tool.Result{Text: string(response.Body()) + string(arguments), Structured: response.Body()}, nil
	})
}

// manyCallers returns a server whose resource server answers each bearer with its own data. Every third answer is an
// error with the data.
func manyCallers(t testing.TB) *hosted {
	t.Helper()
	h := newHosted(t, func(with *hostedWith) {
		with.surface = testSurface(readAll("read"))
		with.options.Limits = host.Limits{PerSecond: 1e6, Burst: 1e6}
		with.answer = func(w http.ResponseWriter, r *http.Request) {
			canary := canaryOf(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer token-of-a-caller-"))
			if strings.HasSuffix(canary, "3;") {
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprintf(w, `{"error":{"type":"permission_error","code":"field_not_granted","message":%q}}`, canary)
				return
			}
			_, _ = fmt.Fprintf(w, `{"object":"schema","data":%q}`, canary)
		}
	})
	for caller := range callers {
		h.as.says(tokenOf(caller), introspectionOf(caller))
	}
	return h
}

// tokenOf returns the token of a caller. Every other caller has a package, whose token cannot read.
func tokenOf(caller int) string {
	if caller%2 == 1 {
		return fmt.Sprintf("package-of-caller-%d", caller)
	}
	return fmt.Sprintf("token-of-a-caller-%d", caller)
}

// introspectionOf returns the bearer that reads for a caller: its own, or the bearer of the only package member with
// the stream.
func introspectionOf(caller int) string {
	if caller%2 == 1 {
		return fmt.Sprintf(`{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"gpkg_%[1]d","members":[`+
			`{"grant_id":"grt_%[1]d","status":"active","connection_id":"cin_%[1]d","streams":["echo"],`+
			`"access_token":"token-of-a-caller-%[1]d"},`+
			`{"grant_id":"grt_%[1]d_gone","status":"revoked","connection_id":"cin_%[1]d_gone","streams":["echo"]},`+
			`{"grant_id":"grt_%[1]d_other","status":"active","connection_id":"cin_%[1]d_other","streams":["other"],`+
			`"access_token":"token-of-a-caller-%[1]d-other"}]}}`, caller)
	}
	return fmt.Sprintf(`{"active":true,"pdpp_token_kind":"client","grant_id":"grt_%d"}`, caller)
}

func canaryOf(caller string) string { return "canary:" + caller + ";" }

// crowd keeps a connection for each caller.
var crowd = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * callers}}

// askAs reads once as a caller, and returns what is wrong with the answer.
func askAs(t testing.TB, h *hosted, caller int) string {
	name := fmt.Sprint(caller)
	argument := "argument:" + name + ";"
	request := h.request(t, http.MethodPost, "/mcp", callOf("read", `{"x":"`+argument+`"}`), "Authorization",
		"Bearer "+tokenOf(caller))
	response, err := crowd.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	text := string(body)
	own := strings.Count(text, canaryOf(name))
	if own == 0 || own != strings.Count(text, "canary:") ||
		strings.Count(text, argument) != strings.Count(text, "argument:") || strings.Contains(text, "token-") ||
		strings.Contains(text, "package-") {
		return fmt.Sprintf("caller %s reads %s", name, text)
	}
	return ""
}

// Covers R-HOST-5 and R-PKG-1: each of 100 concurrent callers with different grants reads its own data.
func TestCallersDoNotMix(t *testing.T) {
	h := manyCallers(t)
	var reading sync.WaitGroup
	for caller := range callers {
		reading.Go(func() {
			for range 5 {
				if problem := askAs(t, h, caller); problem != "" {
					t.Error(problem)
				}
			}
		})
	}
	reading.Wait()
	for _, seen := range h.rs.seen() {
		if !strings.HasPrefix(seen.Header.Get("Authorization"), "Bearer token-of-a-caller-") {
			t.Fatalf("the RS saw the bearer %q", seen.Header.Get("Authorization"))
		}
	}
}

// BenchmarkInterleavedCallers runs the same for the benchmark's time:
//
//	go test -run '^$' -bench InterleavedCallers -benchtime 10s ./runtime/server/host
func BenchmarkInterleavedCallers(b *testing.B) {
	h := manyCallers(b)
	var next sync.Mutex
	caller := 0
	started := time.Now()
	b.SetParallelism(callers)
	b.RunParallel(func(loop *testing.PB) {
		for loop.Next() {
			next.Lock()
			caller = (caller + 1) % callers
			mine := caller
			next.Unlock()
			if problem := askAs(b, h, mine); problem != "" {
				b.Error(problem)
			}
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(started).Seconds(), "calls/s")
}
