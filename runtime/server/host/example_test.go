package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A hand-written tool next to the generated ones. It reads with the bearer of its caller.
func ExampleServeSession() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	defer provider.Close()
	surface := gen.Surface()
	surface.Tools = append(surface.Tools, tool.Definition{
		Name:         "where",
		Description:  "Show which path is read. Read-only.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		OutputSchema: json.RawMessage(`{"type":"object"}`),
		Ask: func(ctx context.Context, env tool.Env, _ json.RawMessage) (*tool.Answer, error) {
			response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "where")})
			if err != nil {
				return nil, err // an *rs.Error or *rs.Failure becomes a result that a model can act on
			}
			return tool.Rendered(&tool.Result{Text: string(response.Body()), Structured: response.Body()}, nil)
		},
	})
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret("a-scoped-token-of-a-test")})
	if err != nil {
		fmt.Println(err)
		return
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	ctx := context.Background()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	go func() {
		// A program that is started by its client passes os.Stdin and os.Stdout.
		_ = host.ServeSession(ctx, surface, host.Options{Name: "my-adapter", Version: "1.0.0"}, environment,
			host.Streams{In: input, Out: output})
	}()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "where"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	// Output: {"path":"/v1/where"}
}

// The hosted server is an http.Handler. On the origin of a provider it is mounted at host.Paths.
func ExampleNewHandler() {
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: "https://as.pdpp.example",
		ClientID:            "pdpp-mcp",
		ClientSecret:        rs.NewSecret("a-secret"),
		Audiences:           []string{"https://pdpp.example", "https://pdpp.example/mcp"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	adapter, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options:             host.Options{Name: "my-adapter", Version: "1.0.0"},
		Verifier:            verifier,
		AuthorizationServer: "https://as.pdpp.example",
		ProviderURL:         "https://pdpp.example",
		PublicURL:           "https://pdpp.example",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	for _, path := range host.Paths() {
		mux.Handle(path, adapter)
	}

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "https://pdpp.example/mcp", http.NoBody))
	fmt.Println(answer.Code, answer.Header().Get("WWW-Authenticate"))
	// Output: 401 Bearer resource_metadata="https://pdpp.example/.well-known/oauth-protected-resource/mcp"
}
