package operation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCH-6: refused before any read.
func TestSchemaFullNeedsStream(t *testing.T) {
	s := serving(`{}`)
	_, err := operation.Schema(context.Background(), tool.Env{RS: s}, operation.SchemaInput{Detail: pointer("full")})
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.InvalidSchemaDetail || !strings.Contains(refused.Message, `schema(stream, connection_id, detail: "full")`) {
		t.Fatalf("%v", err)
	}
	if len(s.read) > 0 {
		t.Errorf("the server saw %s", s.read)
	}
}

// R-SCH-7: several sources need a choice, whether the server or the adapter finds them.
func TestSchemaFullAmbiguous(t *testing.T) {
	input := operation.SchemaInput{Stream: pointer("threads"), Detail: pointer("full")}
	_, err := operation.Schema(context.Background(), tool.Env{RS: serving(fixture(t, "captured/015"))}, input)
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.AmbiguousConnection || refused.RetryWith != "connection_id" {
		t.Fatalf("%v", err)
	}
	want := `[{"connection_id":"cin_gmail_personal","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail","stream":"threads","display_name":"Personal Gmail"},` +
		`{"connection_id":"cin_gmail_work","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail","stream":"threads","display_name":"Work Gmail"}]`
	if diff := cmp.Diff(want, string(refused.AvailableConnections)); diff != "" {
		t.Error(diff)
	}
	sent := &rs.Error{Status: 409, Code: "ambiguous_schema_detail"}
	s := &server{answers: []answer{{err: sent}}}
	if _, err := operation.Schema(context.Background(), tool.Env{RS: s}, input); !errors.Is(err, sent) || len(s.read) != 1 {
		t.Errorf("%v after %s", err, s.read)
	}
}

// R-SCH-7, R-BUD-2: an exhaustive schema and a wide row stay within one result and say what gave way.
func TestSchemaTooLarge(t *testing.T) {
	var capabilities, properties []string
	for i := range 800 {
		capabilities = append(capabilities, fmt.Sprintf(`"field_%d":{"schema":{"type":"string"},"exact_filter":{"usable":true}}`, i))
		properties = append(properties, fmt.Sprintf(`"field_%d":{"type":"string","description":%q}`, i, strings.Repeat("d", 100)))
	}
	body := `{"connectors":[{"connector_key":"big","streams":[{"name":"wide","field_capabilities":{` + strings.Join(capabilities, ",") +
		`},"schema":{"properties":{` + strings.Join(properties, ",") + `}}}],"granted_connections":[{"connection_id":"cin_1"}]}]}`
	for _, detail := range []string{"compact", "full"} {
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("wide"), Detail: &detail})
		for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
			if length := render.Length(text); length > render.ChannelCharacters {
				t.Errorf("%s %s has %d characters", detail, channel, length)
			}
			if detail == "full" && !strings.Contains(text, "left_out") {
				t.Errorf("%s %s does not say that something is left out", detail, channel)
			}
		}
	}
}
