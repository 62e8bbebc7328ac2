package operation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
)

// unadvertisedBody is the schema of a stream with the names of its fields only.
const unadvertisedBody = `{"connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"cin_a"},{"connection_id":"cin_b"}],
	"streams":[{"name":"s","field_capabilities":{"amount":"declared","at":"declared","day":"declared","done":"declared","empty":"declared",
	"mixed":"declared","n":"declared","parts":"declared","tags":"declared","text":"declared","unsent":"declared"}}]}]}`

const recentRecords = `{"data":[
	{"id":"1","data":{"amount":"-33.54","at":"2026-04-20T06:48:51Z","day":"2026-04-20","done":true,"empty":null,"mixed":1,"n":1.50,
		"parts":{"a":"an inner text that is long"},"tags":["x","y, the second of two elements"],"text":"A line\nbreak, and so many words that they do not fit"}},
	{"id":"2","data":{"amount":"7","at":"2026-04-19T06:48:51+02:00","day":null,"done":null,"empty":null,"mixed":"one","n":2,
		"parts":{},"tags":[],"text":"other"}},
	{"id":"3","data":{"text":7}}],"has_more":true}`

// R-SCH-11: for fields without advertised capabilities both channels show kinds and examples of two recent records, and
// say where they come from.
func TestSchemaShowsSamples(t *testing.T) {
	for _, detail := range []string{"compact", "full"} {
		s := serving(unadvertisedBody)
		s.records = recentRecords
		result := schemaOf(t, s, operation.SchemaInput{Stream: pointer("s"), ConnectionID: pointer("cin_b"), Detail: &detail})
		if diff := cmp.Diff([]string{"/v1/streams/s/records?limit=2&order=desc&connection_id=cin_b"}, s.sampled); diff != "" {
			t.Errorf("%s: requests for records (-want +got):\n%s", detail, diff)
		}
		for _, want := range []string{
			" fields=11 granted, kinds and examples seen in 2 recent records:\n",
			"\n number as text: amount=\"-33.54\"\n", "\n time: at=\"2026-04-20T06:48:51Z\"\n", "\n date: day=\"2026-04-20\"\n",
			"\n boolean: done=true\n", "\n no value: empty unsent", "\n number or text: mixed=1\n", "\n number: n=1.50\n",
			"\n object: parts={\"a\":\"an inner text that is lo…\"}\n", "\n list: tags=[\"x\"]\n", "\n text: text=\"A line\\nbreak, and so man…\"",
		} {
			if !strings.Contains(result.Text, want) {
				t.Errorf("%s: the text lacks %q:\n%s", detail, want, result.Text)
			}
		}
		var structured struct {
			Data struct {
				Connectors []struct {
					Streams []struct {
						Seen     map[string]map[string]json.RawMessage `json:"fields_seen"`
						Declared json.RawMessage                       `json:"field_capabilities"`
					}
				}
			}
			Legend map[string]string
		}
		if err := json.Unmarshal(result.Structured, &structured); err != nil {
			t.Fatal(err)
		}
		row := structured.Data.Connectors[0].Streams[0]
		if len(row.Seen) != 10 || string(row.Seen["number as text"]["amount"]) != `"-33.54"` ||
			string(row.Seen["number"]["n"]) != "1.50" || len(row.Seen["no value"]) != 2 {
			t.Errorf("%s: fields_seen is %s", detail, row.Seen)
		}
		if list, object := row.Seen["list"]["tags"], row.Seen["object"]["parts"]; string(list) != `["x"]` ||
			string(object) != `{"a":"an inner text that is lo…"}` {
			t.Errorf("%s: examples %s and %s", detail, list, object)
		}
		if legend := structured.Legend["fields_seen"]; !strings.Contains(legend, "2 recent records, not advertised") ||
			!strings.Contains(legend, "try filter") {
			t.Errorf("%s: the legend says %q", detail, legend)
		}
		if detail == "compact" && row.Declared != nil {
			t.Errorf("the fields are repeated: %s", row.Declared)
		}
	}
}

// R-SCH-11: records are read only if nothing is advertised, and schema answers without them if there are no records or
// they cannot be read.
func TestSchemaWithoutRecords(t *testing.T) {
	for _, test := range []struct {
		name, body, records string
		requests            int
	}{
		{"advertised", strings.Replace(unadvertisedBody, `"n":"declared"`, `"n":"eq"`, 1), recentRecords, 0},
		{"typed", strings.Replace(unadvertisedBody, `"n":"declared"`, `"n":"t=number"`, 1), recentRecords, 0},
		{"unreadable", unadvertisedBody, "", 1},
		{"empty", unadvertisedBody, `{"data":[]}`, 1},
		{"no list", unadvertisedBody, `{"error":1}`, 1},
	} {
		s := serving(test.body)
		s.records = test.records
		result := schemaOf(t, s, operation.SchemaInput{Stream: pointer("s")})
		if len(s.sampled) != test.requests || strings.Contains(result.Text, "seen in") ||
			strings.Contains(string(result.Structured), "fields_seen") {
			t.Errorf("%s: %v, %s", test.name, s.sampled, result.Text)
		}
	}
}

// R-AGG-5, R-SCH-7: the full schema leaves out undeclared capabilities and does not call them unusable. It keeps those
// that the server declares unusable.
func TestSchemaFullLeavesOutUndeclaredCapabilities(t *testing.T) {
	const not, yes, refused = `{"declared":false,"usable":false}`, `{"declared":true,"usable":true}`, `{"declared":true,"usable":false}`
	body := `{"connectors":[{"connector_key":"k","streams":[{"name":"s","schema":{"properties":{"a":{},"b":{},"c":{}}},"field_capabilities":{
		"a":{"schema":{},"granted":true,"lexical_search":` + not + `,"aggregation":{"sum":` + not + `,"max":` + not + `}},
		"b":{"schema":{},"granted":true,"exact_filter":` + yes + `,"aggregation":{"sum":` + not + `,"max":` + yes + `}},
		"c":{"schema":{},"granted":false,"exact_filter":` + refused + `}}}]}]}`
	result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")})
	row, _ := decodeFull(t, result.Structured)
	want := map[string]string{
		"b": `{"exact_filter":` + yes + `,"aggregation":{"max":` + yes + `}}`,
		"c": `{"granted":false,"exact_filter":` + refused + `}`,
	}
	got := map[string]string{}
	for name, capability := range row.Fields {
		got[name] = string(capability)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(result.Text, "usable") || strings.Contains(result.Text, "declared\":false") {
		t.Errorf("the text shows undeclared capabilities as unusable:\n%s", result.Text)
	}
	if !strings.Contains(string(result.Structured), "others may work too") {
		t.Errorf("no legend says that more may work: %s", result.Structured)
	}
}
