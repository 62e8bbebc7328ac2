package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/gen"
)

// trail notes every request of a client and how it was answered.
type trail struct {
	mu    sync.Mutex
	steps []step
}

type step struct {
	Method string
	Path   string
	Status int
}

func (t *trail) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.steps = append(t.steps, step{request.Method, request.URL.Path, response.StatusCode})
	}
	return response, err
}

// taken returns the steps so far.
func (t *trail) taken() []step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.steps)
}

// signInWithin bounds a session with its sign-in. It is reached only when the browser or the server hangs.
const signInWithin = 2 * time.Minute

// connect opens a session with the adapter. A nil handler is a client that cannot sign in.
func connect(t *testing.T, origin string, transport http.RoundTripper,
	signIn auth.OAuthHandler,
) (*mcp.ClientSession, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), signInWithin)
	t.Cleanup(cancel) // not before: the session lives in it
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: origin + "/mcp", HTTPClient: &http.Client{Transport: transport}, DisableStandaloneSSE: true,
		OAuthHandler: signIn,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// servedTools returns the names of the tools of the surface, sorted.
func servedTools() []string {
	var names []string
	for _, tool := range gen.Surface().Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// toolNames returns the tools that a session lists.
func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, each := range listed.Tools {
		names = append(names, each.Name)
	}
	return names
}

// call calls a tool. The result may be an error.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments any) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// searchLimit is the number of hits that fit on a page.
const searchLimit = 15

// searched returns the connections that have hits: on all pages, or on the first page of the connection that is named.
func searched(t *testing.T, session *mcp.ClientSession, q, connectionID string) []string {
	t.Helper()
	connections := map[string]bool{}
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		arguments := map[string]any{"q": q, "limit": searchLimit}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		if connectionID != "" {
			arguments["connection_id"], arguments["limit"] = connectionID, 1
		}
		result := call(t, session, "search", arguments)
		raw, err := json.Marshal(result.StructuredContent)
		if err != nil || result.IsError {
			t.Fatalf("%s %v", raw, err)
		}
		var found struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			Data struct {
				NextCursor string `json:"next_cursor"`
			} `json:"data"`
		}
		if err := json.Unmarshal(raw, &found); err != nil {
			t.Fatal(err)
		}
		for _, hit := range found.Results {
			connection, _, _ := strings.Cut(hit.ID, "/")
			connections[connection] = true
		}
		if cursor = found.Data.NextCursor; connectionID != "" {
			break
		}
	}
	return slices.Sorted(maps.Keys(connections))
}
