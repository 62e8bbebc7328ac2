package operation_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// strict returns a resource server that refuses some parameters, with or without their name, and otherwise returns its
// whole schema. It records the queries of its only client.
func strict(t *testing.T, named bool, refused ...string) (tool.Env, *[]string) {
	t.Helper()
	full, saw := fixture(t, "captured/015"), []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/schema" { // this server has no records
			http.NotFound(w, r)
			return
		}
		saw = append(saw, r.URL.RawQuery)
		for _, name := range refused {
			if !r.URL.Query().Has(name) {
				continue
			}
			param := ""
			if named {
				param = `,"param":"` + name + `"`
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"code":"invalid_request","message":"unknown parameter"` + param + `}}`))
			return
		}
		_, _ = w.Write([]byte(full))
	}))
	t.Cleanup(server.Close)
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("token-of-a-test-1")})
	if err != nil {
		t.Fatal(err)
	}
	return tool.Env{RS: client}, &saw
}

// R-SCH-1: a server that refuses the view, the detail or the scope is asked without it, and the adapter applies the
// scope.
func TestSchemaSelectorsRejected(t *testing.T) {
	const stream, connection = "stream=threads", "connection_id=cin_gmail_work"
	tests := map[string]struct {
		refused []string
		named   bool
		detail  *string
		saw     []string
	}{
		"the view": {
			[]string{"view"},
			true, nil,
			[]string{"view=compact&" + stream + "&" + connection, stream + "&" + connection},
		},
		"the detail": {
			[]string{"detail"},
			true, pointer("full"),
			[]string{"detail=full&" + stream + "&" + connection, stream + "&" + connection},
		},
		"the stream": {
			[]string{"stream"},
			true, nil,
			[]string{"view=compact&" + stream + "&" + connection, "view=compact&" + connection},
		},
		"the connection": {
			[]string{"connection_id"},
			true, nil,
			[]string{"view=compact&" + stream + "&" + connection, "view=compact&" + stream},
		},
		"all, without a name": {
			[]string{"view", "stream"},
			false, nil,
			[]string{"view=compact&" + stream + "&" + connection, stream + "&" + connection, ""},
		},
		"the view, not by name": {
			[]string{"view"},
			false, nil,
			[]string{"view=compact&" + stream + "&" + connection, stream + "&" + connection},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			env, saw := strict(t, test.named, test.refused...)
			input := operation.SchemaInput{
				Stream: pointer("threads"), ConnectionID: pointer("cin_gmail_work"),
				Detail: test.detail,
			}
			result, err := schemaResult(t.Context(), env, input)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.saw, *saw); diff != "" {
				t.Errorf("the RS saw (-want +got):\n%s", diff)
			}
			shown := result.Text + string(result.Structured)
			if !strings.Contains(shown, "cin_gmail_work") {
				t.Errorf("the source is missing: %s", shown)
			}
			for _, other := range []string{"cin_gmail_personal", "message_bodies"} {
				if strings.Contains(shown, other) {
					t.Errorf("%s is not in the scope:\n%s", other, shown)
				}
			}
		})
	}
}

// R-ERR-1: an error of the reader is returned.
func TestSchemaRefused(t *testing.T) {
	for _, err := range []error{&rs.Error{Status: 403, Code: "grant_revoked"}, &rs.Failure{Reason: rs.Timeout}} {
		s := &server{answers: []served{{err: err}}}
		if _, got := schemaResult(context.Background(), tool.Env{RS: s}, operation.SchemaInput{}); !errors.Is(got, err) ||
			len(s.read) != 1 {
			t.Errorf("%v after %s", got, s.read)
		}
	}
}
