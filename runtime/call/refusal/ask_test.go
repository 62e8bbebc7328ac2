package refusal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-LOCAL-2, R-ERR-7: a refusal has the command that requests more access only if the grant ended, or if the schema
// shows that a field exists and is not granted.
func TestRefusalsAskTheOwner(t *testing.T) {
	mismatch, notAllowed := fmt.Sprintf(failedClosed, "instance_mismatch"), fmt.Sprintf(failedClosed, "stream_not_allowed")
	for name, test := range map[string]struct {
		schema, arguments string
		status            int
		body              string
		want              string // what is asked for; empty: nothing
	}{
		"a stream":                 {"813d", `{"stream":"calendar"}`, 401, notAllowed, ""},
		"a stream of a connection": {"813d", `{"stream":"calendar","connection_id":"cin_gmail_work"}`, 401, notAllowed, ""},
		"a connection":             {"813d", `{"stream":"messages","connection_id":"cin_nope"}`, 401, mismatch, ""},
		"a stream that it has not": {"813b", `{"stream":"notes","connection_id":"cin_lab_a"}`, 401, mismatch, ""},
		"a field": {
			"813i", `{"stream":"samples","fields":["qtty"]}`, 403,
			fmt.Sprintf(forbidden, "field_not_granted", "no"), "",
		},
		"a field that is not granted": {
			"ungranted", `{"stream":"samples","fields":["code"]}`, 403, fmt.Sprintf(forbidden, "field_not_granted", "no"),
			`{"ConnectionID":"","Stream":"samples","Field":"code"}`,
		},
		"a revoked grant": {
			"813d", `{"stream":"messages","connection_id":"cin_gmail_work"}`, 403,
			fmt.Sprintf(forbidden, "grant_revoked", "no"), "AGAIN",
		},
		"an expired grant": {
			"813d", `{"stream":"messages"}`, 403, fmt.Sprintf(forbidden, "grant_expired", "no"),
			"AGAIN",
		},
		"a bad login": {
			"813d", `{"stream":"messages"}`, 401, fmt.Sprintf(failedClosed, "active_false"),
			"AGAIN",
		},
		"a misspelt stream": {"813d", `{"stream":"mesages"}`, 401, notAllowed, ""},
		"a display name":    {"813d", `{"stream":"messages","connection_id":"Work Gmail"}`, 401, mismatch, ""},
		"a fault of another argument": {
			"813d", `{"stream":"messages","cursor":"2"}`, 400,
			fmt.Sprintf(invalid, "invalid_cursor", "no"), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := os.ReadFile("testdata/" + test.schema + ".json")
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(&provider{status: test.status, body: test.body, schema: schema})
			defer server.Close()
			client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-scoped-token-of-a-test")})
			if err != nil {
				t.Fatal(err)
			}
			reader := tool.Wrap(client, func(ctx context.Context, request rs.Request) (*rs.Response, error) {
				response, err := client.Get(ctx, request)
				if refused, is := errors.AsType[*rs.Error](err); is && refused.NeedsSignIn() {
					err = &tool.SignInError{Cause: err, Command: "ASKAGAIN"}
				}
				return response, err
			}, nil, nil)
			env := tool.Env{RS: reader, Connect: func(wanted tool.Uncovered) string {
				text, _ := json.Marshal(wanted)
				return "ASK" + string(text)
			}}
			_, err = query("query_records").Run(t.Context(), env, json.RawMessage(test.arguments))
			var shown struct {
				Error struct{ Hint string } `json:"error"`
			}
			if err := json.Unmarshal(tool.Failed(err).Structured, &shown); err != nil {
				t.Fatal(err)
			}
			if _, asks, _ := strings.Cut(shown.Error.Hint, "ASK"); asks != test.want {
				t.Errorf("it asks for %q, want %q: %s", asks, test.want, shown.Error.Hint)
			}
		})
	}
}
