package fanout_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// viewing is a resource server of a stream that has its name, with a view on views.
type viewing struct {
	name string
	pass func(*http.Request) bool

	mu  sync.Mutex
	saw []string
}

func (v *viewing) queries() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.saw
}

// newViewing returns the server as a member of a package. It answers a request that pass lets through, and does not
// know the view of others; without pass it answers nothing at all. It has no network, so that a bubble of package
// synctest sees all that waits.
func newViewing(t *testing.T, name string, pass func(*http.Request) bool) (*viewing, fanout.Source) {
	t.Helper()
	server := &viewing{name: name, pass: pass}
	client, err := rs.NewClient(rs.Options{
		BaseURL: provider, Bearer: rs.NewSecret("token-of-a-test-" + name),
		Transport: server,
	})
	if err != nil {
		t.Fatal(err)
	}
	return server, fanout.Source{
		GrantID: "grt_" + name, ConnectionID: "cin_" + name, DisplayName: "The " + name, Reader: client,
	}
}

func (v *viewing) RoundTrip(r *http.Request) (*http.Response, error) {
	v.mu.Lock()
	if r.URL.Path != "/v1/streams" { // the index counts the records as well
		v.saw = append(v.saw, r.URL.RawQuery)
	}
	v.mu.Unlock()
	answer := httptest.NewRecorder()
	switch {
	case v.pass == nil:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case !v.pass(r):
		answer.WriteHeader(http.StatusBadRequest)
		_, _ = answer.WriteString(
			`{"error":{"type":"invalid_request_error","code":"invalid_request","message":"unknown parameter"}}`)
	default:
		_, _ = answer.WriteString(`{"object":"schema","connectors":[{"connector_key":"gmail","streams":[{"name":"stream_` +
			v.name + `"}]}]}`)
	}
	response := answer.Result()
	response.Request = r
	return response, nil
}

// R-SCH-1, R-PKG-6: each source that does not know the compact view is asked for the full one, whatever the others do.
// One that hangs is missing, is asked once, and costs its deadline once.
func TestRefusedView(t *testing.T) {
	const deadline = time.Second
	knowing := func(*http.Request) bool { return true }
	old := func(r *http.Request) bool { return !r.URL.Query().Has("view") }
	for name, passes := range map[string]map[string]func(*http.Request) bool{
		"all old":                    {"a": old, "b": old},
		"old and new":                {"a": old, "b": knowing},
		"all old but one that hangs": {"a": old, "b": old, "c": nil},
		"old, new and hanging":       {"a": old, "b": knowing, "c": nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sources []fanout.Source
				servers := map[string]*viewing{}
				for source, pass := range passes {
					server, member := newViewing(t, source, pass)
					servers[source], sources = server, append(sources, member)
				}
				reader := fanout.New(sources, fanout.Options{ProviderURL: provider, ChildTimeout: deadline})
				started := time.Now()
				result, err := schemaResult(t.Context(), tool.Env{RS: reader}, operation.SchemaInput{})
				took := time.Since(started)
				if err != nil {
					t.Fatal(err)
				}
				if took > deadline {
					t.Errorf("it took %s with a deadline of %s", took, deadline)
				}
				for source, server := range servers {
					want := []string{"view=compact"}
					if pass := passes[source]; pass != nil && !pass(httptest.NewRequest(http.MethodGet, "/?view=compact", nil)) {
						want = append(want, "")
					}
					if diff := gocmp.Diff(want, server.queries()); diff != "" {
						t.Errorf("%s saw (-want +got):\n%s", source, diff)
					}
					shown, wanted := strings.Contains(result.Text, "stream_"+source), passes[source] != nil
					missing := strings.Contains(result.Text, `the source \"The `+source+`\" is missing (rs_timeout)`)
					if shown != wanted || missing == wanted {
						t.Errorf("%s: shown %t, missing %t:\n%s", source, shown, missing, result.Text)
					}
				}
			})
		})
	}
}

// schemaResult returns the rendered answer of a call of schema.
func schemaResult(ctx context.Context, env tool.Env, input operation.SchemaInput) (*tool.Result, error) {
	found, err := operation.Schema(ctx, env, input)
	if err != nil {
		return nil, err
	}
	return found.Render()
}
