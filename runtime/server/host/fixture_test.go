package host_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const bearer = "scoped-token-that-is-never-printed"

// recordingRS answers reads with a function and records the requests.
type recordingRS struct {
	url    string // empty: of the example
	answer func(ctx context.Context, request string) (*rs.Response, error)

	mu       sync.Mutex
	requests []string
}

func (r *recordingRS) ProviderURL() string { return cmp.Or(r.url, "https://pdpp.example") }

func (r *recordingRS) Get(ctx context.Context, asked rs.Request) (*rs.Response, error) {
	request := string(asked.Path)
	if query := asked.Query.Encoded(); query != "" {
		request += "?" + query
	}
	r.mu.Lock()
	r.requests = append(r.requests, request)
	r.mu.Unlock()
	return r.answer(ctx, request)
}

func (r *recordingRS) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.requests...)
}

const question = "/v1/schema?view=compact"

// reporting answers requests for the schema with a schema, and all others with {}.
func reporting(schema string) *recordingRS {
	return &recordingRS{answer: func(_ context.Context, request string) (*rs.Response, error) {
		if request == question {
			return rs.Response{Status: 200}.WithBody([]byte(schema))
		}
		return rs.Response{Status: 200}.WithBody([]byte(`{}`))
	}}
}

const clientSchema = `{"object":"schema","bearer":{"token_kind":"client"}}`

var (
	objectSchema = json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)
	errPlain     = errors.New("an unclassified error, " + bearer)
)

// echo returns a tool that reads /v1/echo and returns its arguments.
func echo(name string) tool.Definition {
	return tool.Definition{
		Name: name, Title: "Title of " + name, Description: "Reads. Read-only.",
		InputSchema: objectSchema, OutputSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		Ask: func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
			if _, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "echo")}); err != nil {
				return nil, err
			}
			return tool.Rendered(&tool.Result{
				Text:       name + " " + string(arguments),
				Structured: json.RawMessage(`{"tool":"` + name + `"}`),
				Meta:       map[string]json.RawMessage{"example/uri": json.RawMessage(`"pdpp://record/x"`)},
			}, nil)
		},
	}
}

func running(name string, run func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error)) tool.Definition {
	definition := echo(name)
	definition.Ask = func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
		return tool.Rendered(run(ctx, env, arguments))
	}
	return definition
}

func failing(name string, err error) tool.Definition {
	return running(name, func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) { return nil, err })
}

func template(name, answeredBy string) tool.Template {
	return tool.Template{
		Name: name, Title: "Title of " + name, URITemplate: "pdpp://" + name, Description: "One of them.",
		MIMEType: "text/plain", Tool: answeredBy,
	}
}

func testSurface(more ...tool.Definition) tool.Surface {
	return tool.Surface{
		Instructions: "Start with schema.",
		Tools:        append([]tool.Definition{echo("schema"), echo("fetch"), echo("read_record_field")}, more...),
		Templates: []tool.Template{
			{
				Name: "stream", Title: "Title of stream", URITemplate: "pdpp://stream/{name}", Description: "One of them.",
				MIMEType: "text/plain", Tool: "schema", Complete: tool.CompleteStream,
			},
			template("record/{handle}", "fetch"),
			template("field-window/{handle}", "read_record_field"),
		},
		Prompts: []tool.Prompt{{
			Name: "one_word", Title: "One word", Description: "Where a word stands.",
			Arguments: []tool.PromptArgument{
				{Name: "word", Description: "The word.", Required: true},
				{Name: "stream", Description: "The stream.", Complete: tool.CompleteStream},
				{Name: "connection", Description: "The connection.", Complete: tool.CompleteConnection},
			},
			Parts: []tool.PromptPart{
				{Before: "Look for ", Argument: "word"},
				{Before: " in ", Argument: "stream"},
				{Before: "."},
			},
		}},
	}
}

// connect serves the surface over a session in memory.
func connect(t *testing.T, surface tool.Surface, options host.Options,
	environment toolcall.Environment,
) *mcp.ClientSession {
	t.Helper()
	if options.Name == "" {
		options.Name, options.Version = hosttest.Options.Name, hosttest.Options.Version
	}
	return hosttest.Connect(t, surface, options, environment)
}

func reading(reader rs.Reader) toolcall.Environment {
	return func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
}
