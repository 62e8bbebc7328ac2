package golden_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

const sizesPage = "../docs/performance.md"

// sizedReads are the rows of the table: a request of a program without the adapter, and the call for the same data.
var sizedReads = []struct{ what, path, tool, arguments string }{
	{"what there is", "/v1/schema", "schema", `{}`},
	{"what there is, compact", "/v1/schema?view=compact", "schema", `{}`},
	{
		"one stream's fields, compact", "/v1/schema?view=compact&stream=messages&connection_id=cin_gmail_personal",
		"schema", `{"stream":"messages","connection_id":"cin_gmail_personal"}`,
	},
	{
		"25 mails", "/v1/streams/messages/records?limit=25&connection_id=cin_gmail_personal",
		"query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","limit":25}`,
	},
	{
		"25 mails, two fields",
		"/v1/streams/messages/records?limit=25&connection_id=cin_gmail_personal&fields=subject,received_at",
		"query_records",
		`{"stream":"messages","connection_id":"cin_gmail_personal","limit":25,"fields":["subject","received_at"]}`,
	},
	{
		"25 bodies of mails", "/v1/streams/message_bodies/records?limit=25&connection_id=cin_gmail_personal",
		"query_records", `{"stream":"message_bodies","connection_id":"cin_gmail_personal","limit":25}`,
	},
	{"a search with 25 hits", "/v1/search?q=overdraft&limit=25", "search", `{"q":"overdraft","limit":25}`},
	{
		"one record of 5 kB", "/v1/streams/message_bodies/records/p-msg-005?connection_id=cin_gmail_personal",
		"fetch", `{"id":"cin_gmail_personal/message_bodies:p-msg-005"}`,
	},
	{
		"a count in two groups",
		"/v1/streams/messages/aggregate?metric=count&group_by=is_seen&connection_id=cin_gmail_personal",
		"aggregate", `{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by":"is_seen"}`,
	},
}

// The sizes in docs/performance.md are those of the sample data, in bytes.
func TestSizesOfTheComparison(t *testing.T) {
	const begin, end = "<!-- sizes: written by go test ./golden -run Sizes -update -->\n", "<!-- end of sizes -->"
	present := string(readFile(t, sizesPage))
	before, rest, began := strings.Cut(present, begin)
	_, after, ended := strings.Cut(rest, end)
	if !began || !ended {
		t.Fatalf("the page has no place for the sizes: %q and %q", begin, end)
	}
	wanted := before + begin + sizesTable(t) + end + after
	golden.File(t, sizesPage, wanted)
}

func sizesTable(t *testing.T) string {
	t.Helper()
	transport := sampleProvider(t)
	client, err := rs.NewClient(rs.Options{BaseURL: demoURL, Bearer: rs.NewSecret(transport.bearer), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("\n| asked | `GET` | its body | call | text | structured output |\n|---|---|---|---|---|---|\n")
	for _, read := range sizedReads {
		body := transport.size(t, read.path)
		result, err := definition(t, read.tool).Run(t.Context(), tool.Env{RS: client}, json.RawMessage(read.arguments))
		if err != nil || result.IsError {
			t.Fatalf("%s: %v, %v", read.what, result, err)
		}
		fmt.Fprintf(&table, "| %s | `%s` | %s | `%s` `%s` | %s%s | %s%s |\n", read.what, read.path, grouped(body),
			read.tool, read.arguments,
			grouped(len(result.Text)), records(len(recordLine.FindAllString(result.Text, -1))),
			grouped(len(result.Structured)), records(rowsOf(t, result.Structured)))
	}
	table.WriteByte('\n')
	return table.String()
}

// recordLine begins a record or a hit in text.
var recordLine = regexp.MustCompile(`(?m)^\["[^"]*:`)

// rowsOf counts the rows of the envelope, if it has any.
func rowsOf(t *testing.T, structured json.RawMessage) int {
	t.Helper()
	var output struct {
		Results []json.RawMessage
		Data    struct{ Data json.RawMessage }
	}
	decode(t, structured, &output)
	var rows []json.RawMessage
	if err := json.Unmarshal(output.Data.Data, &rows); err != nil {
		return len(output.Results) // it is not a list
	}
	return len(rows)
}

func records(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d)", count)
}

func definition(t *testing.T, name string) tool.Definition {
	t.Helper()
	for _, each := range gen.Surface().Tools {
		if each.Name == name {
			return each
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Definition{}
}

// demoURL is the address of make demo. URLs are part of the measured sizes.
const demoURL = "http://127.0.0.1:8787"

// inProcess sends requests to a sandbox without a network.
type inProcess struct {
	provider http.Handler
	bearer   string
}

// sampleProvider returns the sandbox of make demo.
func sampleProvider(t *testing.T) *inProcess {
	t.Helper()
	box := sandboxtest.Open(t, sandbox.Options{PublicURL: demoURL, Seed: 1})
	return &inProcess{provider: box.Handler(), bearer: box.Tokens()["everything"]}
}

// RoundTrip implements http.RoundTripper.
func (p *inProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	p.provider.ServeHTTP(recorder, request)
	return recorder.Result(), nil
}

// size returns the size of a body as it was sent, in bytes.
func (p *inProcess) size(t *testing.T, path string) int {
	t.Helper()
	return len(bytes.TrimSpace(p.body(t, path)))
}

func (p *inProcess) body(t *testing.T, path string) []byte {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, demoURL+path, nil)
	request.Header.Set("Authorization", "Bearer "+p.bearer)
	recorder := httptest.NewRecorder()
	p.provider.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, recorder.Code, recorder.Body)
	}
	return recorder.Body.Bytes()
}

// grouped formats a number with commas between groups of three digits.
func grouped(number int) string {
	text := fmt.Sprint(number)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
