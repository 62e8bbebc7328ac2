package packaging_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// retryingOnce sends requests with a bearer, and retries once if the connection breaks or the gateway has no answer.
type retryingOnce struct {
	bearer  string
	retried *atomic.Int64
}

func (c retryingOnce) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.send(request)
	if err == nil && response.StatusCode != http.StatusBadGateway {
		return response, nil
	}
	c.retried.Add(1)
	return c.send(request)
}

// send reads the whole answer and fails if it breaks off.
func (c retryingOnce) send(request *http.Request) (*http.Response, error) {
	copied := request.Clone(request.Context())
	copied.Header.Set("Authorization", "Bearer "+c.bearer)
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		copied.Body = body
	}
	response, err := http.DefaultTransport.RoundTrip(copied)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, err
}

// dial opens a session at a URL. It counts retries in retried.
func dial(t *testing.T, origin, bearer string, retried *atomic.Int64) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: origin + "/mcp", HTTPClient: &http.Client{Transport: retryingOnce{bearer, retried}},
		MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// page has the members of a search result that walk reads.
type page struct {
	Results []struct{ ID string }
	Data    struct {
		NextCursor string `json:"next_cursor"`
	}
}

// walk reads every page of a search and returns the ids of all hits in order.
func walk(t *testing.T, session *mcp.ClientSession, question string, limit int) ([]string, error) {
	var ids []string
	arguments := struct {
		Question string `json:"q"`
		Limit    int    `json:"limit"`
		Cursor   string `json:"cursor,omitempty"`
	}{question, limit, ""}
	for range 200 {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: arguments})
		if err != nil {
			return nil, err
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if result.IsError {
			return nil, fmt.Errorf("the tool says %s", text)
		}
		content, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return nil, err
		}
		var found page
		if err := json.Unmarshal(content, &found); err != nil {
			return nil, err
		}
		for _, hit := range found.Results {
			ids = append(ids, hit.ID)
		}
		if arguments.Cursor = found.Data.NextCursor; arguments.Cursor == "" {
			return ids, nil
		}
	}
	return nil, fmt.Errorf("the search for %q has no end after %d hits", question, len(ids))
}
