package operation_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const indexBound = 40_000 // bytes of text and structured output together

// R-SCH-2: the index of a large grant has every name in both channels, or a count.
func TestSchemaIndexOfLargeGrant(t *testing.T) {
	for _, size := range []struct{ connectors, streams, fields int }{
		{20, 30, 25}, {1, 1000, 1}, {1000, 1, 1}, {50, 20, 0},
	} {
		body := fullDocument(size.connectors, size.streams, size.fields)
		result := schemaOf(t, serving(body), operation.SchemaInput{})
		if got := len(result.Text) + len(result.Structured); got > indexBound {
			t.Errorf("%v: %d bytes", size, got)
		}
		for c := range size.connectors {
			for s := range size.streams {
				if name := fmt.Sprintf("stream_%02d_%02d", c, s); !strings.Contains(result.Text, name) {
					t.Fatalf("%v: no %s in text", size, name)
				}
			}
		}
		decoded := decodeIndex(t, result.Structured)
		if decoded.Data.StreamCount != size.connectors*size.streams || decoded.Data.ConnectorCount != size.connectors {
			t.Errorf("%v: counts %d, %d", size, decoded.Data.ConnectorCount, decoded.Data.StreamCount)
		}
		if strings.Contains(string(result.Structured), "field_capabilities") {
			t.Errorf("%v: the index has capabilities", size)
		}
		t.Logf("%v: %d bytes of text, %d of structured output", size, len(result.Text), len(result.Structured))
	}
}

// indexCase is a generated grant and its document.
type indexCase struct {
	names       []string
	connections []string // one list, over all connectors
	connectors  int
	body        string
}

// structuredIndex is the members of a structured index that a model reads. A stream is a name or an object.
type structuredIndex struct {
	Data struct {
		ConnectorCount int `json:"connector_count"`
		StreamCount    int `json:"stream_count"`
		ConnectorsLeft int `json:"connectors_left_out"`
		Connectors     []struct {
			StreamCount int               `json:"stream_count"`
			Streams     []json.RawMessage `json:"streams"`
			Connections []struct {
				Streams []json.RawMessage `json:"streams"`
			} `json:"granted_connections"`
		} `json:"connectors"`
	} `json:"data"`
	Note string `json:"note"`
}

func decodeIndex(t fataler, structured json.RawMessage) structuredIndex {
	t.Helper()
	var decoded structuredIndex
	if err := json.Unmarshal(structured, &decoded); err != nil {
		t.Fatalf("%v in %.500s", err, structured)
	}
	return decoded
}

// alphabets are characters of names and labels.
var alphabets = []string{
	"abcdefgh_", "äöüé", "用户数据", "a b", `q"\/`, "<&>", "😀🎉", "\u2028x",
	"%s{}[]:,", "\x01\x7f",
}

// nameBytes is the maximum size of all names together as JSON strings. More than about 40,000 do not fit into any
// index.
const nameBytes = 24_000

// fill returns a text that begins with a number and has up to a number of bytes as a JSON string.
func fill(number int, alphabet string, bytes int) string {
	text := strconv.Itoa(number)
	runes := []rune(alphabet)
	for i := number; ; i++ {
		next := text + string(runes[i%len(runes)])
		if len(render.Quoted(next)) > bytes {
			return text
		}
		text = next
	}
}

// quoted returns a JSON string as the adapter writes it.
func quoted(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSuffix(out.String(), "\n")
}

func drawIndexCase(t *rapid.T) indexCase {
	streams := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(900, 1000)).Draw(t, "streams")
	c := indexCase{connectors: rapid.OneOf(rapid.IntRange(1, 5), rapid.Just(max(1, streams))).Draw(t, "connectors")}
	alphabet := rapid.SampledFrom(alphabets).Draw(t, "alphabet")
	longest := rapid.SampledFrom([]int{8, 60, 400}).Draw(t, "longest")
	perConnector := rapid.SampledFrom([]int{0, 1, 3, 60, 300}).Draw(t, "connections")
	label := strings.Repeat(rapid.SampledFrom(alphabets).Draw(t, "label"),
		rapid.SampledFrom([]int{0, 1, 500}).Draw(t, "times"))
	key := strings.Repeat(rapid.SampledFrom(alphabets).Draw(t, "key"),
		rapid.SampledFrom([]int{1, 40}).Draw(t, "key times"))
	extra := strings.Repeat("x", rapid.SampledFrom([]int{0, 1_900, 50_000}).Draw(t, "extra"))
	bare := rapid.Bool().Draw(t, "bare")
	if c.connectors > 10 {
		perConnector = min(perConnector, 3)
	}
	var rows []map[string]any
	for i := range c.connectors {
		var listed []any
		for n := i; n < streams; n += c.connectors {
			name := fill(n, alphabet, min(longest, max(7, nameBytes/max(1, streams))))
			c.names = append(c.names, name)
			if bare {
				listed = append(listed, name)
			} else {
				listed = append(listed, map[string]any{
					"name":               name,
					"field_capabilities": map[string]any{"f": extra[:min(len(extra), 300)]},
				})
			}
		}
		var granted []map[string]any
		for n := range perConnector {
			id := fmt.Sprintf("cin_%d_%d", i, n)
			c.connections = append(c.connections, id)
			granted = append(granted, map[string]any{"connection_id": id, "display_name": label})
		}
		rows = append(rows, map[string]any{
			"connector_key": fmt.Sprint(i) + key, "streams": listed,
			"granted_connections": granted, "source": extra,
		})
	}
	document := map[string]any{"connectors": rows, "object": "schema", "bearer": extra, "links": extra}
	var warnings []any
	for range rapid.SampledFrom([]int{0, 1, 30}).Draw(t, "warnings") {
		warnings = append(warnings, map[string]any{"code": "c", "message": extra + label})
	}
	document["meta"] = map[string]any{"warnings": warnings}
	for i := range rapid.SampledFrom([]int{0, 40}).Draw(t, "members") {
		document[fmt.Sprint("member_", i)] = extra
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	c.body = string(encoded)
	return c
}

var (
	shownID   = regexp.MustCompile(`(?m)^\["(?:[^"\\]|\\.)*","cin_[0-9_]*",`)
	countLeft = regexp.MustCompile(`(?m)^connections_left_out=(\d+)`)
)

// R-SCH-2, R-BUD-2: for up to a thousand streams the text has every name, both channels together keep their bound, and
// everything that is left out is counted.
func TestSchemaIndexHoldsEveryName(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(t *rapid.T) {
		c := drawIndexCase(t)
		result, err := schemaResult(t.Context(), tool.Env{RS: serving(c.body)}, operation.SchemaInput{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got := len(result.Text) + len(result.Structured); got > indexBound {
			t.Fatalf("%d bytes", got)
		}
		if !json.Valid(result.Structured) || !utf8.Valid(result.Structured) || !utf8.ValidString(result.Text) {
			t.Fatalf("not JSON or not UTF-8")
		}
		words := " " + strings.ReplaceAll(result.Text, "\n", " ") + " "
		for _, name := range c.names {
			if !strings.Contains(words, " "+name+" ") && !strings.Contains(words, " "+render.Quoted(name)+" ") {
				t.Fatalf("no %q in text", name)
			}
		}
		countsConnections(t, c, result.Text)
		countsStreams(t, c, decodeIndex(t, result.Structured))
	})
}

// countsConnections checks that the text shows or counts all granted connections.
func countsConnections(t *rapid.T, c indexCase, text string) {
	if len(c.names) == 0 {
		return
	}
	total := len(shownID.FindAllString(text, -1))
	for _, match := range countLeft.FindAllStringSubmatch(text, -1) {
		count, _ := strconv.Atoi(match[1])
		total += count
	}
	if total != len(c.connections) {
		t.Fatalf("%d connections are shown or counted, not %d", total, len(c.connections))
	}
}

// countsStreams checks that structured output shows or counts all granted streams.
func countsStreams(t *rapid.T, c indexCase, structured structuredIndex) {
	data := structured.Data
	if data.StreamCount != len(c.names) || data.ConnectorCount != c.connectors ||
		len(data.Connectors)+data.ConnectorsLeft != c.connectors {
		t.Fatalf("%d streams, %d connectors: %d are shown and %d left out", data.StreamCount, data.ConnectorCount,
			len(data.Connectors), data.ConnectorsLeft)
	}
	for _, row := range data.Connectors {
		if len(row.Connections) > 0 && row.Connections[0].Streams != nil {
			continue // a row of the table, whose streams the text has too
		}
		if row.StreamCount > 0 && row.Streams != nil && len(row.Streams) != row.StreamCount || row.Streams == nil &&
			row.StreamCount > 0 && structured.Note == "" {
			t.Fatalf("%d of %d streams, note %q", len(row.Streams), row.StreamCount, structured.Note)
		}
	}
}

// R-SCH-2: names that together exceed the bound are counted, and the text says how to read them.
func TestSchemaIndexOfNamesBeyondTheBound(t *testing.T) {
	var streams []string
	for i := range 1000 {
		streams = append(streams, quoted(fmt.Sprintf("%04d_%s", i, strings.Repeat("n", 95))))
	}
	body := `{"connectors":[{"connector_key":"k","streams":[` + strings.Join(streams, ",") + `]}]}`
	result := schemaOf(t, serving(body), operation.SchemaInput{})
	shown := strings.Count(result.Text, "_nnn")
	if !strings.Contains(result.Text,
		fmt.Sprintf("names_left_out=%d", 1000-shown+strings.Count(result.Text, `"stream"`))) {
		t.Errorf("%d names are shown: %.300s", shown, result.Text)
	}
	if got := len(result.Text) + len(result.Structured); got > indexBound || shown < 300 {
		t.Errorf("%d bytes, %d names", got, shown)
	}
}

// R-SCH-2: a name that is longer than the bound, or nearly as long, hides no other name.
func TestSchemaIndexWithALongName(t *testing.T) {
	for _, length := range []int{38_000, 41_000, 200_000} {
		body := strings.Replace(fullDocument(5, 100, 0), `"name":"stream_00_00"`,
			`"name":"`+strings.Repeat("n", length)+`"`, 1)
		result := schemaOf(t, serving(body), operation.SchemaInput{})
		if shown := strings.Count(result.Text, " stream_0"); shown != 499 ||
			!strings.Contains(result.Text, "\nnames_left_out=1: ") {
			t.Errorf("%d bytes: %d names are shown: %.300s", length, shown, result.Text)
		}
		if got := len(result.Text) + len(result.Structured); got > indexBound {
			t.Errorf("%d bytes: an index of %d", length, got)
		}
	}
}

// R-SCH-9, R-SCH-2: the index is a table of connections if every stream name fits into it.
func TestSchemaIndexIsATableIfItFits(t *testing.T) {
	for streams, table := range map[int]bool{50: true, 1000: false, 1300: false} {
		s := serving(strings.Replace(fullDocument(2, streams, 0), `"connection_id":"cin_00"`, `"x":""`, streams))
		s.listing = `{"object":"list","data":[{"name":"stream_01_01","connection_id":"cin_01","record_count":7}]}`
		result := schemaOf(t, s, operation.SchemaInput{})
		isTable := strings.Contains(result.Text, " stream_01_01=7") &&
			strings.Contains(result.Text, `["connector_00",null,null] stream_00_00`)
		if names := strings.Count(result.Text, " stream_0"); isTable != table || names != 2*streams {
			t.Errorf("%d streams: %d names in %.300s", streams, names, result.Text)
		}
	}
}

// R-BUD-1: the index of an empty grant has one note, the same in both channels.
func TestSchemaIndexOfEmptyGrant(t *testing.T) {
	result := schemaOf(t, serving(`{"connectors":[]}`), operation.SchemaInput{})
	for channel, content := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
		if !strings.Contains(content, "No stream is granted") || strings.Contains(content, "Rows without streams") {
			t.Errorf("%s is %s", channel, content)
		}
	}
}

// R-BUD-1: structured output with counts has the calls that list the names.
func TestSchemaIndexOfCountsHasCalls(t *testing.T) {
	body := strings.ReplaceAll(fullDocument(2, 500, 0), `"stream_0`, `"stream_of_connector_0`)
	result := schemaOf(t, serving(body), operation.SchemaInput{})
	for _, want := range []string{`"arguments":{"connection_id":"cin_00"}`, `"note":"Rows without streams`} {
		if !strings.Contains(string(result.Structured), want) {
			t.Errorf("no %s in %s", want, result.Structured)
		}
	}
	narrower := schemaOf(t, serving(body), operation.SchemaInput{ConnectionID: pointer("cin_00")})
	if rows := decodeIndex(t, narrower.Structured).Data.Connectors; len(rows) != 1 ||
		len(rows[0].Connections[0].Streams) != 500 {
		t.Errorf("the narrower index: %.500s", narrower.Structured)
	}
}

// R-SCH-2: both channels count the connections that an index leaves out, and the text has the call that lists them.
func TestSchemaIndexCountsConnections(t *testing.T) {
	body := streamBody(1, 30, 1, false, "", strings.Repeat("A label ", 100), "")
	body = strings.Replace(body, `"cin_0_0"`, `"`+strings.Repeat("c", 300)+`"`, 1) // the table cannot show it
	result := schemaOf(t, serving(body), operation.SchemaInput{})
	if want := "connections_left_out=30: schema with a stream lists those that have it."; !strings.Contains(result.Text,
		want) {
		t.Errorf("no %s in %s", want, result.Text)
	}
	if want := `"connections_left_out":29`; !strings.Contains(string(result.Structured), want) {
		t.Errorf("no %s in %s", want, result.Structured)
	}
	listed := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
	if got := strings.Count(listed.Text, "\n source connection_id="); got != 29 {
		t.Errorf("the call lists %d", got)
	}
}

// R-PKG-6: an index over a package names every source that is missing, in both channels.
func TestSchemaIndexNamesMissingSources(t *testing.T) {
	var warnings []string
	for i := range 8 {
		warnings = append(warnings, fmt.Sprintf(
			`{"code":"source_unavailable","connection_id":"cin_%02d","reason":"rs_timeout","message":"%s"}`, i,
			strings.Repeat("no answer ", 20)))
	}
	body := `{"connectors":[{"connector_id":"gmail","streams":[{"name":"messages"}],` +
		`"granted_connections":[{"connection_id":"cin_a"}]}],"meta":{"warnings":[` +
		strings.Join(warnings, ",") + `]}}`
	result, err := schemaResult(t.Context(), tool.Env{RS: serving(body)}, operation.SchemaInput{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if id := fmt.Sprintf("cin_%02d", i); !strings.Contains(string(result.Structured), id) ||
			!strings.Contains(result.Text, id) {
			t.Errorf("%s is not named in both channels", id)
		}
	}
}

// R-SCH-9, R-ERR-5: the index says in both channels which streams need a connection_id, before a read is refused as
// ambiguous.
func TestSchemaIndexSaysWhichStreamsNeedAConnection(t *testing.T) {
	body := `{"bearer":{"token_kind":"mcp_package"},"connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"cin_a"},
		{"connection_id":"cin_b"}],"streams":[{"name":"messages"},{"name":"labels","granted_connections":[{"connection_id":"cin_a"}]}]},
		{"connector_key":"chat","granted_connections":[{"connection_id":"cin_c"}],"streams":[{"name":"channels"},{"name":"labels"}]}]}`
	oneGrant := strings.Replace(body, "mcp_package", "client", 1)
	if result := schemaOf(t, serving(oneGrant), operation.SchemaInput{}); strings.Contains(result.Text,
		"need a connection_id") {
		t.Errorf("a server with one grant reads its connections together:\n%s", result.Text)
	}
	for connection, want := range map[string]string{"": "messages labels", "cin_a": ""} {
		input := operation.SchemaInput{}
		if connection != "" {
			input.ConnectionID = &connection
		}
		result := schemaOf(t, serving(body), input)
		line, member := "\nneed a connection_id: "+want+"\n", `"need_connection_id":["messages","labels"]`
		if want == "" {
			line, member = "need a connection_id", "need_connection_id"
		}
		if strings.Contains(result.Text, line) != (want != "") ||
			strings.Contains(string(result.Structured), member) != (want != "") {
			t.Errorf("connection %q:\n%s\n%s", connection, result.Text, result.Structured)
		}
	}
}

// R-TIME-8: the index has the time and the zone of the server in both channels.
func TestSchemaIndexHasTheTime(t *testing.T) {
	clock := tool.Clock{Zone: time.FixedZone("Europe/Berlin", 3600)}
	for _, body := range []string{`{"connectors":[]}`, fullDocument(1, 1, 0)} { // with counts, and a table
		result, err := schemaResult(t.Context(), tool.Env{RS: serving(body), Clock: clock}, operation.SchemaInput{})
		if err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(result.Text, "\n")
		if !strings.Contains(heading, ` now="2`) || !strings.HasSuffix(heading, ` time_zone="Europe/Berlin"`) {
			t.Errorf("the text begins with %s", heading)
		}
		if !strings.Contains(string(result.Structured), `"time_zone":"Europe/Berlin"`) {
			t.Errorf("no time zone in %s", result.Structured)
		}
	}
}
