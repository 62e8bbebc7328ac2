package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// callSurface is tools with every kind of result.
func callSurface() tool.Surface {
	return testSurface(
		whole(),
		running("failing", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) {
			return nil, errors.New("a secret failure")
		}),
		running("pointing", func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Result, error) {
			return &tool.Result{
				Text: string(arguments), Structured: json.RawMessage(`{"a":1.0}`),
				Meta: map[string]json.RawMessage{"z/uris": json.RawMessage(`["b","a"]`), "a/more": json.RawMessage(`{}`)},
			}, nil
		}),
		running("panicking", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) { panic("no") }),
	)
}

// A call does without the SDK in every revision, whose share of the work is larger than the rest.
func TestCallsTakeTheShortWay(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = callSurface()
		with.options.Limits.PerSecond = 1e6
		with.options.Limits.Burst = 1e6
	})
	bare := host.NewBareSDK(callSurface(), host.Options{Name: "pdpp-mcp", Version: "test"}, h.url,
		reading(reporting(clientSchema)))
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, host.TransportOptions())
	for _, revision := range host.Revisions() {
		body, header := message(revision, "tools/call", "pointing", `"name":"pointing","arguments":{}`)
		allocations := func(handler http.Handler) float64 {
			return testing.AllocsPerRun(50, func() {
				request := h.request(t, http.MethodPost, "/mcp", body, append(header, "Authorization", "Bearer "+bearer)...)
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if recorder.Code != http.StatusOK || !strings.Contains(recorder.Body.String(), `"result"`) {
					t.Fatal(recorder.Code, recorder.Body)
				}
			})
		}
		// Authentication and limits are a part of the first only.
		if ours, bySDK := allocations(h.Handler), allocations(sdk); ours > 0.8*bySDK {
			t.Errorf("%s: %.0f allocations for a call, %.0f for the same one by the SDK", revision, ours, bySDK)
		}
	}
}
