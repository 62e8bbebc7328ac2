package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// reader answers every read with one schema body or one error, and records what was read.
type reader struct {
	body string
	err  error
	read []string
}

func (r *reader) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	r.read = append(r.read, string(request.Path)+"?"+request.Query.Encoded())
	if r.err != nil {
		return nil, r.err
	}
	return rs.Response{Status: 200}.WithBody([]byte(r.body))
}

func (r *reader) ProviderURL() string { return "https://rs.example.com" }

const (
	usable      = `{"name":"attachments","granted":true,"usable":true}`
	notUsable   = `{"name":"attachments","granted":true,"usable":false}`
	notGranted  = `{"name":"attachments","granted":false}`
	compactNone = `{"object":"schema","connectors":[{"streams":[{"name":"messages","field_capabilities":{},` +
		`"expand_capabilities":[]}],"granted_connections":[{"connection_id":"cin_1"}]}]}`
)

// connectors returns a schema body with one row of messages for each of the expand capabilities.
func connectors(capabilities ...string) string {
	var rows []string
	for _, capability := range capabilities {
		rows = append(rows, `{"name":"messages","expand_capabilities":[`+capability+`]}`)
	}
	return `{"connectors":[{"streams":[{"name":"threads","expand_capabilities":[` + usable + `]},` +
		strings.Join(rows, ",") + `]}]}`
}

// R-ARG-8: a call is refused only if the live schema says that nothing can be expanded.
func TestExpandAdvertised(t *testing.T) {
	connection := "cin_1"
	twoSources := `{"connectors":[
		{"streams":[{"name":"messages","expand_capabilities":[]}],"granted_connections":[{"connection_id":"cin_1"}]},
		{"streams":[{"name":"messages","expand_capabilities":[` + usable +
		`]}],"granted_connections":[{"connection_id":"cin_2"}]}]}`
	tests := []struct {
		name       string
		body       string
		err        error
		connection *string
		refused    bool
	}{
		{name: "advertised", body: connectors(usable)},
		{name: "advertised as a bare object", body: connectors(`{"name":"attachments"}`)},
		{name: "advertised as a name", body: connectors(`"attachments"`)},
		{name: "empty", body: compactNone, refused: true},
		{name: "absent", body: `{"connectors":[{"streams":[{"name":"messages"}]}]}`, refused: true},
		{name: "null", body: `{"connectors":[{"streams":[{"name":"messages","expand_capabilities":null}]}]}`, refused: true},
		{name: "none usable", body: connectors(notUsable + "," + notGranted), refused: true},
		{name: "one usable", body: connectors(notUsable + "," + usable)},
		{name: "one source of several", body: connectors("", usable)},
		{name: "no source of several", body: connectors("", notUsable), refused: true},
		{name: "the other source advertises", body: twoSources, connection: &connection, refused: true},
		{name: "some source advertises", body: twoSources},
		{
			name: "rows with their own connection", connection: &connection, refused: true,
			body: `{"streams":[{"stream":"messages","connection_id":"cin_1"},{"stream":"messages","connection_id":"cin_2",` +
				`"expand_capabilities":[` + usable + `]}]}`,
		},
		{
			name: "full rows with granted connections", connection: &connection, refused: true,
			body: `{"connectors":[{"streams":[{"name":"messages","granted_connections":[{"connection_id":"cin_1",` +
				`"display_name":"x"}],"expand_capabilities":[]}]}]}`,
		},
		{name: "wrapped in data", body: `{"data":` + compactNone + `}`, refused: true},
		{name: "unknown stream", body: `{"connectors":[]}`},
		{name: "other streams only", body: `{"connectors":[{"streams":[{"name":"threads","expand_capabilities":[]}]}]}`},
		{name: "not a schema", body: `{"connectors":"none"}`},
		{name: "data is not a schema", body: `{"data":[]}`},
		{name: "RS refuses", err: &rs.Error{Status: 500}},
		{name: "RS unreachable", err: &rs.Failure{Reason: rs.Unreachable}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := &reader{body: test.body, err: test.err}
			err := operation.ExpandAdvertised(t.Context(), tool.Env{RS: source}, nil,
				operation.ExpandAdvertisedInput{Stream: "messages", ConnectionID: test.connection, Relations: "expand"})
			want := "/v1/schema?view=compact&stream=messages"
			if test.connection != nil {
				want += "&connection_id=cin_1"
			}
			if diff := cmp.Diff([]string{want}, source.read); diff != "" {
				t.Errorf("the RS saw other reads (-want +got):\n%s", diff)
			}
			if !test.refused {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var refused *tool.Error
			if !errors.As(err, &refused) || refused.Code != tool.InvalidExpand || refused.Param != "expand" {
				t.Fatalf("got %v", err)
			}
			for _, part := range []string{`"messages"`, "GET /v1/schema (expand_capabilities)"} {
				if !strings.Contains(refused.Message, part) {
					t.Errorf("the message lacks %s: %s", part, refused.Message)
				}
			}
		})
	}
}

// R-ARG-8: the next call sees a changed schema.
func TestExpandAdvertisedIsLive(t *testing.T) {
	source := &reader{body: compactNone}
	check := func() error {
		return operation.ExpandAdvertised(t.Context(), tool.Env{RS: source}, nil,
			operation.ExpandAdvertisedInput{Stream: "messages"})
	}
	if check() == nil {
		t.Error("passes before the change")
	}
	source.body = connectors(usable)
	if err := check(); err != nil {
		t.Errorf("refused after the change: %v", err)
	}
}
