package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCH-6: refused before any read.
func TestSchemaFullNeedsStream(t *testing.T) {
	s := serving(`{}`)
	_, err := schemaResult(context.Background(), tool.Env{RS: s}, operation.SchemaInput{Detail: pointer("full")})
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.InvalidSchemaDetail ||
		!strings.Contains(refused.Message, `schema(stream, connection_id, detail: "full")`) {
		t.Fatalf("%v", err)
	}
	if len(s.read) > 0 {
		t.Errorf("the server saw %s", s.read)
	}
}

// R-SCH-7: several sources need a choice, whether the server or the adapter finds them.
func TestSchemaFullAmbiguous(t *testing.T) {
	input := operation.SchemaInput{Stream: pointer("threads"), Detail: pointer("full")}
	_, err := schemaResult(context.Background(), tool.Env{RS: serving(fixture(t, "captured/015"))}, input)
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.AmbiguousConnection || refused.RetryWith != "connection_id" {
		t.Fatalf("%v", err)
	}
	want := `[{"connection_id":"cin_gmail_personal","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail",` +
		`"stream":"threads","display_name":"Personal Gmail"},` +
		`{"connection_id":"cin_gmail_work","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail","stream":"threads",` +
		`"display_name":"Work Gmail"}]`
	if diff := cmp.Diff(want, string(refused.AvailableConnections)); diff != "" {
		t.Error(diff)
	}
	sent := &rs.Error{Status: 409, Code: "ambiguous_schema_detail"}
	s := &server{answers: []served{{err: sent}}}
	if _, err := schemaResult(context.Background(), tool.Env{RS: s}, input); !errors.Is(err, sent) || len(s.read) != 1 {
		t.Errorf("%v after %s", err, s.read)
	}
}

// R-SCH-7, R-BUD-2: a full schema and a wide row fit into one result and say what is left out.
func TestSchemaTooLarge(t *testing.T) {
	var capabilities, properties []string
	for i := range 800 {
		capabilities = append(capabilities,
			fmt.Sprintf(`"field_%d":{"schema":{"type":"string"},"exact_filter":{"usable":true}}`, i))
		properties = append(properties,
			fmt.Sprintf(`"field_%d":{"type":"string","description":%q}`, i, strings.Repeat("d", 100)))
	}
	body := `{"connectors":[{"connector_key":"big","streams":[{"name":"wide","field_capabilities":{` +
		strings.Join(capabilities, ",") +
		`},"schema":{"properties":{` + strings.Join(properties, ",") +
		`}}}],"granted_connections":[{"connection_id":"cin_1"}]}]}`
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

// R-SCH-7, R-ERR-5: an ambiguous_connection error of the server keeps its candidates.
func TestSchemaFullAmbiguousIsPassedOn(t *testing.T) {
	envelope := `{"code":"ambiguous_schema_detail","type":"api_error","message":"matches 2 sources",` +
		`"param":"connection_id",` +
		`"available_connections":[{"connection_id":"cin_a"},{"connection_id":"cin_b"}],"retry_with":"connection_id"}`
	sent := &rs.Error{Status: 409, Code: "ambiguous_schema_detail", Envelope: []byte(envelope)}
	_, err := schemaResult(t.Context(), tool.Env{RS: &server{answers: []served{{err: sent}}}},
		operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
	for channel, text := range map[string]string{
		"text":       tool.Failed(err).Text,
		"structured": string(tool.Failed(err).Structured),
	} {
		if !strings.Contains(text, `"retry_with":"connection_id"`) || !strings.Contains(text, "cin_b") {
			t.Errorf("%s: %s", channel, text)
		}
	}
}

// R-ERR-5: of many candidates the first are shown with their total, and the call that shows all.
func TestSchemaFullAmbiguousIsCapped(t *testing.T) {
	for _, sources := range []int{40, 3000} {
		body := streamBody(1, sources, 1, true, "", strings.Repeat("a long label ", 30), "")
		_, err := schemaResult(t.Context(), tool.Env{RS: serving(body)},
			operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
		result := tool.Failed(err)
		keepsBounds(t, result)
		var object struct {
			Code, Message, Hint string
			RetryWith           string                       `json:"retry_with"`
			Connections         []map[string]json.RawMessage `json:"available_connections"`
			Total               int                          `json:"available_connections_total"`
			Truncated           bool                         `json:"available_connections_truncated"`
		}
		if err := json.Unmarshal([]byte(result.Text), &object); err != nil {
			t.Fatal(err)
		}
		if object.Code != "ambiguous_connection" || object.RetryWith != "connection_id" ||
			!strings.Contains(object.Message, fmt.Sprintf("%d sources", sources)) {
			t.Errorf("%d sources: %.300s", sources, result.Text)
		}
		if shown := len(object.Connections); shown == 0 || shown < sources &&
			(!object.Truncated || object.Total == 0 || !strings.Contains(object.Hint, "schema")) {
			t.Errorf("%d sources: %d shown, total %d, hint %q", sources, shown, object.Total, object.Hint)
		}
	}
}

// fullRow is the members of a full row that a model reads.
type fullRow struct {
	Schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Left       int                        `json:"properties_left_out"`
	} `json:"schema"`
	Fields map[string]json.RawMessage `json:"field_capabilities"`
}

func decodeFull(t fataler, structured json.RawMessage) (row fullRow, left []string) {
	t.Helper()
	var decoded struct {
		Data struct {
			Connectors []struct{ Streams []fullRow }
		}
		Left []string `json:"members_left_out"`
	}
	if err := json.Unmarshal(structured, &decoded); err != nil {
		t.Fatalf("%v in %.500s", err, structured)
	}
	return decoded.Data.Connectors[0].Streams[0], decoded.Left
}

// R-SCH-7, R-BUD-4: a channel has the JSON Schema of a field once, with what differs in the capabilities.
func TestSchemaFullHoldsEachSchemaOnce(t *testing.T) {
	body := `{"connectors":[{"connector_key":"k","streams":[{"name":"s","granted_connections":[{"connection_id":"cin_a"}],"field_capabilities":{
		"same":{"schema":{"type":"string","title":"T"},"exact_filter":{"usable":true}},"other":{"schema":{"type":"integer"}}},
		"schema":{"properties":{"same":{"type":"string","title":"T"},"other":{"type":"number"}}}}]}]}`
	result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
	for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
		if count := strings.Count(text, `"title":"T"`); count != 1 {
			t.Errorf("%s: the schema occurs %d times", channel, count)
		}
	}
	if row, _ := decodeFull(t, result.Structured); string(row.Fields["same"]) != `{"exact_filter":{"usable":true}}` ||
		string(row.Fields["other"]) != `{"schema":{"type":"integer"}}` {
		t.Errorf("%s", row.Fields)
	}
}

// R-SCH-7, R-BUD-2: the bound counts characters, so a member with three bytes per character is whole.
func TestSchemaFullCountsCharacters(t *testing.T) {
	for length, whole := range map[int]bool{38_000: true, 40_000: false} {
		member := `"new":"` + strings.Repeat("语", length) + `"`
		body := strings.Replace(streamBody(1, 1, 1, true, "", "", ""), `"query":""`, member, 1)
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
		keepsBounds(t, result)
		if _, left := decodeFull(t, result.Structured); strings.Contains(string(result.Structured), member) != whole ||
			(len(left) == 0) != whole {
			t.Errorf("%d characters: %v and %d characters are shown", length, left, render.Length(string(result.Structured)))
		}
	}
}

// R-SCH-7, R-BUD-1, R-BUD-2: a full schema of any size keeps the bounds, shows or counts every field in both channels,
// and names the call that shows more.
func TestSchemaFullIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SampledFrom([]int{0, 1, 60, 400}).Draw(t, "fields")
		name := strings.Repeat(rapid.SampledFrom(alphabets).Draw(t, "name"),
			rapid.SampledFrom([]int{0, 1, 8}).Draw(t, "times"))
		extra := strings.Repeat("x", rapid.SampledFrom([]int{0, 150, 5_000, 60_000}).Draw(t, "extra"))
		extra = extra[:min(len(extra), 2_000_000/max(1, fields))]
		body := streamBody(1, 1, fields, true, name, "label", extra)
		result, err := schemaResult(t.Context(), tool.Env{RS: serving(body)},
			operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
		if err != nil {
			t.Fatalf("%v", err)
		}
		keepsBounds(t, result)
		if got := shownFields(result.Text) + textLeft(result.Text, "fields_left_out"); got != fields {
			t.Fatalf("%d of %d fields in text", got, fields)
		}
		row, left := decodeFull(t, result.Structured)
		if got := len(row.Schema.Properties) + row.Schema.Left; got != fields {
			t.Fatalf("%d of %d fields in structured output", got, fields)
		}
		if row.Schema.Left > 0 && len(left) == 0 || (len(left) > 0) != strings.Contains(result.Text, ": schema {") ||
			(len(left) > 0) != strings.Contains(string(result.Structured), `{"tool":"schema"`) {
			t.Fatalf("%d properties and %v are left out: %.300s", row.Schema.Left, left, result.Text)
		}
	})
}
