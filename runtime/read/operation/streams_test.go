package operation_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// streamBody returns a document in which a number of connectors have the stream s, each with a number of fields and
// connections.
func streamBody(connectors, connections, fields int, full bool, name, label, extra string) string {
	var rows []map[string]any
	for c := range connectors {
		capabilities, properties := map[string]any{}, map[string]any{}
		for f := range fields {
			field := fmt.Sprintf("field_%03d%s", f, name)
			capabilities[field] = fmt.Sprintf("t=string,role=%d,eq,lex,a=max|min", c)
			if full {
				schema := map[string]any{"type": "string", "description": extra}
				capabilities[field] = map[string]any{"schema": schema, "exact_filter": map[string]any{"usable": true}}
				properties[field] = schema
			}
		}
		var granted, relations []map[string]any
		for n := range connections {
			granted = append(granted, map[string]any{"connection_id": fmt.Sprintf("cin_%d_%d", c, n), "display_name": label})
		}
		for n := range min(60, len(extra)/100) {
			relations = append(relations, map[string]any{"name": fmt.Sprint("relation_", n, name), "cardinality": extra})
		}
		row := map[string]any{
			"name": "s", "field_capabilities": capabilities, "expand_capabilities": relations,
			"primary_key": []string{extra}, "cursor_field": name, "later": extra,
		}
		if full {
			row["schema"] = map[string]any{"properties": properties, "required": []string{extra}}
			row["query"], row["views"] = extra, extra
		}
		rows = append(rows, map[string]any{
			"connector_key": fmt.Sprint("k", c, label), "streams": []any{row, map[string]any{"name": "other"}},
			"granted_connections": granted, "later": extra,
		})
	}
	encoded, _ := json.Marshal(map[string]any{"connectors": rows, "later": extra})
	return string(encoded)
}

// keepsBounds checks that a result is bounded (R-BUD-2) and valid JSON in UTF-8.
func keepsBounds(t fataler, result *tool.Result) {
	t.Helper()
	text, structured := render.Length(result.Text), render.Length(string(result.Structured))
	if text > render.ChannelCharacters || structured > render.ChannelCharacters {
		t.Fatalf("%d characters of text, %d of structured output", text, structured)
	}
	if !json.Valid(result.Structured) || !utf8.Valid(result.Structured) || !utf8.ValidString(result.Text) {
		t.Fatalf("not JSON or not UTF-8: %.300s", result.Structured)
	}
}

// R-SCH-3, R-BUD-2: fifty connections with the stream and three hundred fields are all shown.
func TestSchemaStreamOfManyConnections(t *testing.T) {
	for _, full := range []bool{false, true} {
		body := streamBody(1, 50, 300, full, "", "A label", "")
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
		keepsBounds(t, result)
		row := decode(t, result.Structured).Data.Connectors[0]
		if len(row.Connections) != 50 || len(row.Streams[0].Fields) != 300 {
			t.Errorf("%d connections, %d fields in structured output", len(row.Connections), len(row.Streams[0].Fields))
		}
		if ids, fields := strings.Count(result.Text, "\n source connection_id="), shownFields(result.Text); ids != 50 ||
			fields != 300 {
			t.Errorf("%d connections, %d fields in text", ids, fields)
		}
	}
}

// R-SCH-3, R-BUD-4: connectors that have the same stream show its fields once in text.
func TestSchemaStreamOfManyConnectors(t *testing.T) {
	body := streamBody(50, 1, 300, true, "", "A label", "")
	result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
	keepsBounds(t, result)
	if rows, fields := strings.Count(result.Text, `stream="s" connector_key=`), shownFields(result.Text); rows != 50 ||
		fields != 300 {
		t.Errorf("%d rows, %d fields in text", rows, fields)
	}
	decoded := decode(t, result.Structured)
	if rows := decoded.Data.Connectors; len(rows) != 50 || rows[49].Streams[0].Like != "k0A label" ||
		decoded.Legend["field_capabilities_like"] == "" {
		t.Errorf("%d rows, the last is %+v", len(rows), rows[len(rows)-1])
	}
}

// R-SCH-3, R-BUD-2: if not all rows fit, as many as possible are shown.
func TestSchemaStreamShowsTheRowsThatFit(t *testing.T) {
	for _, extra := range []string{"", strings.Repeat("x", 400)} {
		rows := func(sources int) int {
			result := schemaOf(t, serving(streamBody(sources, 1, 3, true, "", "A label", extra)),
				operation.SchemaInput{Stream: pointer("s")})
			keepsBounds(t, result)
			return len(textRows.FindAllString(result.Text, -1))
		}
		shown := rows(150)
		if more := rows(shown + 2); shown == 150 || more > shown { // one more may fit without the line that counts the others
			t.Errorf("%d rows of 150 are shown, and %d of %d", shown, more, shown+2)
		}
	}
}

var (
	textSources    = regexp.MustCompile(`(?m)^( source |stream=.* connection_id=)`)
	textFields     = regexp.MustCompile(`(?m)^ "?field_.*`)
	textField      = regexp.MustCompile(` "?field_\d`)
	textRows       = regexp.MustCompile(`(?m)^stream="s" `)
	textLikeFields = regexp.MustCompile(`(?m)^ fields=(\d+), the same`)
	textNames      = regexp.MustCompile(`their names alone are advertised: (.+)`)
)

// shownFields counts the fields that have flags in a text.
func shownFields(text string) (count int) {
	for _, line := range textFields.FindAllString(text, -1) {
		count += len(textField.FindAllString(line, -1))
	}
	return count
}

func textLeft(text, name string) (total int) {
	for _, match := range regexp.MustCompile(`(?m)^ *`+name+`=(\d+)`).FindAllStringSubmatch(text, -1) {
		count, _ := strconv.Atoi(match[1])
		total += count
	}
	return total
}

// R-SCH-3, R-SCH-7, R-BUD-1, R-BUD-2: for any size, both channels keep their bound, are valid, and show or count every
// row, connection and field.
func TestSchemaStreamIsBounded(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, sizes ...int) int { return rapid.SampledFrom(sizes).Draw(t, name) }
		alphabet := rapid.SampledFrom(alphabets)
		connectors, connections, fields := draw("connectors", 1, 2, 30), draw("connections", 0, 1, 30,
			1000), draw("fields", 0, 3, 80, 400)
		if connectors == 30 {
			connections, fields = min(connections, 30), min(fields, 80)
		}
		name := strings.Repeat(alphabet.Draw(t, "name"), draw("name times", 0, 1, 30))
		label := strings.Repeat(alphabet.Draw(t, "label"), draw("label times", 0, 1, 300))
		extra := strings.Repeat("x", draw("extra", 0, 150, 5_000))
		body := streamBody(connectors, connections, fields, rapid.Bool().Draw(t, "full"), name, label, extra)
		result, err := schemaResult(t.Context(), tool.Env{RS: serving(body)}, operation.SchemaInput{Stream: pointer("s")})
		if err != nil {
			t.Fatalf("%v", err)
		}
		keepsBounds(t, result)
		countsRows(t, result, connectors, connections, fields)
	})
}

func countsRows(t *rapid.T, result *tool.Result, connectors, connections, fields int) {
	text, data := result.Text, decode(t, result.Structured).Data
	rows := len(textRows.FindAllString(text, -1))
	if rows == 0 || rows+textLeft(text, "rows_left_out") != connectors ||
		len(data.Connectors)+data.StreamsLeft != connectors {
		t.Fatalf("rows: %d in text, %d in structured output", rows, len(data.Connectors))
	}
	if got := len(textSources.FindAllString(text, -1)) + textLeft(text, "connections_left_out"); got != rows*connections {
		t.Fatalf("connections: %d of %d in text", got, rows*connections)
	}
	got := shownFields(text) + textLeft(text, "fields_left_out")
	for _, match := range textNames.FindAllStringSubmatch(text, -1) {
		got += len(regexp.MustCompile(`"?field_`).FindAllString(match[1], -1))
	}
	for _, match := range textLikeFields.FindAllStringSubmatch(text, -1) {
		count, _ := strconv.Atoi(match[1])
		got += count
	}
	if got != rows*fields {
		t.Fatalf("fields: %d of %d in text", got, rows*fields)
	}
	for _, c := range data.Connectors {
		row := c.Streams[0]
		if len(c.Connections)+c.Left != connections || row.Like == "" && len(row.Fields)+row.FieldsLeft != fields {
			t.Fatalf("structured output: %d of %d connections, %d of %d fields", len(c.Connections), connections,
				len(row.Fields), fields)
		}
	}
}

// R-BUD-1, R-SCH-5: structured output explains everything that the text explains.
func TestSchemaStreamIsExplainedInEitherChannel(t *testing.T) {
	for _, name := range []string{"captured/011b", "captured/012", "captured/013b"} {
		result := schemaOf(t, serving(fixture(t, name)), operation.SchemaInput{Stream: pointer("messages")})
		decoded := decode(t, result.Structured)
		checkLegend(t, name, decoded.Legend["field_capabilities"], decoded.Data.Connectors[0].Streams[0].Fields)
		checkLegend(t, name+" in text", textLegend.FindString(result.Text), textFlags(result.Text))
		if hasSort := name != "captured/012"; (decoded.Legend["sort"] != "") != hasSort {
			t.Errorf("%s: the legend explains sort %q", name, decoded.Legend["sort"])
		}
		unadvertised := "capabilities are not advertised: "
		if want := name == "captured/012"; strings.Contains(result.Text, unadvertised) != want ||
			strings.Contains(decoded.Legend["declared"], unadvertised) != want {
			t.Errorf("%s: unadvertised capabilities: %q", name, decoded.Legend["declared"])
		}
	}
}

var (
	textLegend = regexp.MustCompile(`(?m)^flags: .*`)
	flagged    = regexp.MustCompile(`(?m)^ ([a-z_]+)[a-z_ ]*: [^ ,]+(,.*)?$`)
)

// textFlags returns the flags of the fields in a text, which has the type first.
func textFlags(text string) map[string]string {
	flags := map[string]string{}
	_, fields, _ := strings.Cut(text, "\n fields=")
	for _, line := range flagged.FindAllStringSubmatch(fields, -1) {
		flags[line[1]] = strings.TrimPrefix(line[2], ",")
	}
	return flags
}

// checkLegend checks that a legend explains each flag of the fields once, and nothing else (R-SCH-10).
func checkLegend(t *testing.T, name, legend string, fields map[string]string) {
	t.Helper()
	occurring := map[string]bool{}
	for _, flags := range fields {
		for flag := range strings.SplitSeq(flags, ",") {
			flag, _, _ = strings.Cut(flag, "=")
			occurring[flag] = true
		}
	}
	delete(occurring, "declared") // explained in another place for rows without any capabilities
	delete(occurring, "")
	delete(occurring, "role") // which is a word
	for part := range strings.SplitSeq(strings.TrimPrefix(legend, "flags: "), "; ") {
		flags, _, _ := strings.Cut(part, ":")
		for flag := range strings.SplitSeq(flags, ", ") {
			flag, _, _ = strings.Cut(flag, "=")
			if flag != "" && !occurring[flag] {
				t.Errorf("%s: %s is explained twice, or does not occur", name, flag)
			}
			delete(occurring, flag)
		}
	}
	if len(occurring) > 0 {
		t.Errorf("%s: not explained: %v", name, occurring)
	}
}

// R-SCH-10: a field without flags is explained, except in a row without any capabilities, which says so.
func TestSchemaLegendOfDeclaredFields(t *testing.T) {
	for own, explained := range map[string]bool{`"a":"eq"`: false, `"a":"eq","b":"declared"`: true} {
		body := `{"connectors":[{"connector_key":"k","streams":[{"name":"s","field_capabilities":{` + own + `}}]},
			{"connector_key":"l","streams":[{"name":"s","field_capabilities":{"c":"declared","d":"t=string"}}]}]}`
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
		for _, legend := range []string{
			textLegend.FindString(result.Text),
			decode(t, result.Structured).Legend["field_capabilities"],
		} {
			if strings.Contains(legend, "declared: ") != explained ||
				strings.Count(result.Text, " capabilities are not advertised: ") != 1 {
				t.Errorf("%s: %q in\n%s", own, legend, result.Text)
			}
		}
	}
}

// structuredMost is the maximum size of the structured output for a stream of 22 fields, in bytes.
const structuredMost = 2_200

func TestStructuredStreamIsSmall(t *testing.T) {
	result := schemaOf(t, serving(fixture(t, "captured/011b")), operation.SchemaInput{Stream: pointer("messages")})
	if fields := len(decode(t, result.Structured).Data.Connectors[0].Streams[0].Fields); fields != 22 ||
		len(result.Structured) > structuredMost {
		t.Errorf("%d bytes for %d fields", len(result.Structured), fields)
	}
}

// R-SCH-5: a text shortens a range with all operators, and quotes a type that looks like a flag.
func TestSchemaTextWritesFlags(t *testing.T) {
	body := `{"connectors":[{"connector_key":"k","streams":[{"name":"s","field_capabilities":{
		"all":"t=number,r=lt|lte|gt|gte","some":"t=number,eq,r=gte|lte","odd":"t=eq","forged":"t=a=max,lex","none":"eq"}}]}],"detail":"compact"}`
	result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
	want := []string{
		" all: number,r", " some: number,eq,r=gte|lte", ` odd: "\"eq\""`, ` forged: "\"a=max\",lex"`, " none: eq",
		`flags: eq: filter {"field":value}; r: filter {"field":{"gte":value}}, also gt, lte, lt, or what r= lists; lex: in ` +
			`search modes lexical, hybrid`,
	}
	if _, got, _ := strings.Cut(result.Text, " fields=5:\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
