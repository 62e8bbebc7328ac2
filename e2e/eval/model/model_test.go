package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/replay"
)

const (
	key         = "sk-replayed-0123456789"
	keyVariable = "EVAL_TEST_KEY"
	asServer    = "EVAL_TEST_SERVER"
)

// TestMain is the MCP server of the tests too.
func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{Instructions: "Count with count."})
	type letters struct {
		Letters string `json:"letters"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "Counts letters."},
		func(_ context.Context, _ *mcp.CallToolRequest, input letters) (*mcp.CallToolResult, any, error) {
			text := strings.Repeat("I", len(input.Letters)) + strings.Join(os.Environ(), " ")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

func task(t *testing.T, api string, server *replay.Server) Task {
	t.Helper()
	listening := httptest.NewServer(server.Handler())
	t.Cleanup(listening.Close)
	t.Setenv(keyVariable, key)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	url := listening.URL
	if api == "openai" {
		url += "/v1"
	}
	return Task{
		API: api, Model: "replay", BaseURL: url, KeyVariable: keyVariable, Prompt: `How many letters are "in" <abc>?`,
		Server: []string{self}, Environment: []string{asServer + "=1"}, MaxTurns: 5, MaxTokens: 1000,
	}
}

func asked(faults ...string) replay.Conversation {
	return replay.Conversation{Prompt: `letters are "in" <abc>`, Turns: []replay.Turn{
		{Tool: "count", Arguments: `{"letters":"abc"}`, Faults: faults},
		{Tool: "count", Arguments: `{"letters":`},
		{Text: "There are three.\nANSWER: 3", Faults: faults},
	}}
}

// R-EVAL-1: a model behind either API answers with the server's tools. Rate limits, an overloaded provider and truncated streams
// are repeated.
func TestModelsAnswer(t *testing.T) {
	for _, api := range []string{"anthropic", "openai"} {
		for name, faults := range map[string][]string{
			"at once":      nil,
			"rate limits":  {replay.RateLimit, replay.RateLimit},
			"overloaded":   {replay.Overloaded},
			"truncated":    {replay.Truncated, replay.Truncated},
			"all of these": {replay.RateLimit, replay.Truncated, replay.Overloaded},
		} {
			t.Run(api+"/"+name, func(t *testing.T) {
				server := replay.New(asked(faults...))
				outcome, err := answer(t.Context(), task(t, api, server))
				if err != nil || outcome.Text != "There are three.\nANSWER: 3" {
					t.Fatalf("the outcome is %+v: %v", outcome, err)
				}
				if outcome.OutputTokens < 3*replay.OutputTokens || outcome.InputTokens < 3*replay.InputTokens {
					t.Errorf("the usage is %+v", outcome)
				}
				if keys := server.Keys(); len(keys) != 1 || !strings.HasSuffix(keys[0], key) {
					t.Errorf("the provider saw the keys %q", keys)
				}
			})
		}
	}
}

// R-EVAL-1: what cannot be repeated ends the attempt, with the provider's words and without the key.
func TestModelsFail(t *testing.T) {
	for _, api := range []string{"anthropic", "openai"} {
		for name, test := range map[string]struct {
			faults []string
			cause  string
		}{
			"refused":           {[]string{replay.Refused}, "the request is refused"},
			"invalid key":       {[]string{replay.InvalidKey}, "the key is invalid"},
			"truncated forever": {slices.Repeat([]string{replay.Truncated}, truncatedTries), "cut off"},
		} {
			t.Run(api+"/"+name, func(t *testing.T) {
				_, err := answer(t.Context(), task(t, api, replay.New(asked(test.faults...))))
				if err == nil || !strings.Contains(err.Error(), test.cause) || strings.Contains(err.Error(), key) {
					t.Errorf("the error is %v, want %q", err, test.cause)
				}
			})
		}
	}
}

// R-EVAL-1: the server does not inherit the key, and a missing one is reported by the name of its variable.
func TestKeyStaysWithTheModel(t *testing.T) {
	made := task(t, "anthropic", replay.New(asked()))
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), serverOf(t.Context(), made), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got := callTool(t.Context(), session, call{"1", "count", `{"letters":"abc"}`})
	if text := got.content[0].(*mcp.TextContent).Text; got.failed || !strings.HasPrefix(text, "III"+asServer) || strings.Contains(text, key) {
		t.Errorf("the server has the environment %q", text)
	}
	t.Setenv(keyVariable, "")
	if _, err := answer(t.Context(), made); !errors.Is(err, errKey) || !strings.Contains(err.Error(), keyVariable) {
		t.Errorf("without a key: %v", err)
	}
}
