package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCH-1: a server that rejects the view or the selectors is asked with less, and no other refusal is
// asked about again.
func TestSchemaSelectorsRejected(t *testing.T) {
	rejected := answer{err: &rs.Error{Status: 400, Code: "invalid_request", Message: "unknown parameter"}}
	s := &server{answers: []answer{rejected, rejected, {body: fixture(t, "captured/015")}}}
	result := schemaOf(t, s, operation.SchemaInput{Stream: pointer("threads"), ConnectionID: pointer("cin_gmail_work")})
	want := []string{
		"/v1/schema?view=compact&stream=threads&connection_id=cin_gmail_work",
		"/v1/schema?stream=threads&connection_id=cin_gmail_work",
		"/v1/schema",
	}
	if diff := cmp.Diff(want, s.read); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(result.Text+string(result.Structured), "cin_gmail_personal") || !strings.Contains(result.Text, "cin_gmail_work") {
		t.Errorf("not scoped: %s", result.Text)
	}
	for _, err := range []error{&rs.Error{Status: 403, Code: "grant_revoked"}, &rs.Failure{Reason: rs.Timeout}} {
		s := &server{answers: []answer{{err: err}}}
		if _, got := operation.Schema(context.Background(), tool.Env{RS: s}, operation.SchemaInput{}); !errors.Is(got, err) || len(s.read) != 1 {
			t.Errorf("%v after %s", got, s.read)
		}
	}
}

// R-SCH-1: a server that names the parameter it does not take is asked once more, without that one alone,
// and the scope is made here.
func TestSchemaRejectedParameterIsNamed(t *testing.T) {
	input := operation.SchemaInput{Stream: pointer("threads"), ConnectionID: pointer("cin_gmail_work")}
	for param, want := range map[string]string{
		"view":          "/v1/schema?stream=threads&connection_id=cin_gmail_work",
		"stream":        "/v1/schema?view=compact&connection_id=cin_gmail_work",
		"connection_id": "/v1/schema?view=compact&stream=threads",
	} {
		rejected := &rs.Error{Status: 400, Code: "invalid_request", Envelope: []byte(`{"param":"` + param + `"}`)}
		s := &server{answers: []answer{{err: rejected}, {body: fixture(t, "captured/015")}}}
		result := schemaOf(t, s, input)
		if len(s.read) != 2 || s.read[1] != want {
			t.Errorf("%s: the server saw %s", param, s.read)
		}
		for _, other := range []string{"cin_gmail_personal", "message_bodies"} {
			if strings.Contains(result.Text+string(result.Structured), other) {
				t.Errorf("%s: %s is not in the scope:\n%s", param, other, result.Text)
			}
		}
	}
}

// R-SCH-1: a server that goes on refusing is not asked without end, and its first refusal is shown.
func TestSchemaRefusedForGood(t *testing.T) {
	first := &rs.Error{Status: 400, Code: "invalid_request", Message: "first"}
	named := &rs.Error{Status: 400, Code: "invalid_request", Envelope: []byte(`{"param":"bogus"}`)}
	other := &rs.Error{Status: 400, Code: "unsupported_version"}
	for _, test := range []struct {
		refusals []answer
		reads    int
	}{
		{[]answer{{err: first}, {err: &rs.Error{Status: 400, Code: "invalid_request", Message: "later"}}}, 3},
		{[]answer{{err: first}, {err: other}}, 2},
		{[]answer{{err: named}}, 1},
		{[]answer{{err: other}}, 1},
	} {
		s := &server{answers: test.refusals}
		_, err := operation.Schema(context.Background(), tool.Env{RS: s}, operation.SchemaInput{Stream: pointer("threads")})
		if !errors.Is(err, test.refusals[0].err) || len(s.read) != test.reads {
			t.Errorf("%v after %s", err, s.read)
		}
	}
}
