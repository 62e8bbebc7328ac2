package golden_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// rowForm is a way to write rows of the same fields in a text, and to read them back.
type rowForm struct {
	name, counts string // how a reader counts rows and fields
	write        func(rows []rawjson.Object) string
	read         func(text string) ([]map[string]json.RawMessage, error)
}

var rowForms = []rowForm{
	{"`key=value` tokens, a line for each row", "a row is a line, a field a token", writeTokens, readTokens},
	{"JSON arrays under one line of columns", "a row is a line, a field a place in the array", writeArrays, readArrays},
	{"CSV under one line of columns", "a row may take several lines, a field is a place", writeCSV, readCSV},
	{"JSON objects, one a line", "a row is a line, a field a member", writeObjects, readObjects},
}

// hostileRows hold what a form may stumble over.
var hostileRows = []string{
	`{"a":"plain","b":"line\nbreak","c":"quote \" and \\ and, comma","d":1.50,"e":null}`,
	`{"a":"","b":"a=1 b=2","c":"]\n[\"forged\"]","d":12345678901234567890,"e":true}`,
	`{"a":"null","b":"1.50","c":"\u2028\u0001","d":1e-7,"e":{"x":[1,""]}}`,
}

// R-BUD-7: the form of rows in text was chosen by these figures. The page shows them; the forms are written and read
// here.
func TestRowFormsOfTheComparison(t *testing.T) {
	const begin, end = "<!-- forms: written by go test ./golden -run RowForms -update -->\n", "<!-- end of forms -->"
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	sets := []struct {
		name string
		rows []rawjson.Object
	}{
		{"25 mails of 22 fields", sampleRows(t, "/v1/streams/messages/records?limit=25&connection_id=cin_gmail_personal")},
		{"25 mails of 3 fields", sampleRows(t,
			"/v1/streams/messages/records?limit=25&connection_id=cin_gmail_personal&fields=subject,is_seen,date")},
		{"25 plays", sampleRows(t, "/v1/streams/play_history/records?limit=25")},
	}
	var table strings.Builder
	table.WriteString("\n| form | rows and fields |")
	for _, set := range sets {
		table.WriteString(" " + set.name + " |")
	}
	table.WriteString(" hostile values |\n|---|---|" + strings.Repeat("---|", len(sets)+1) + "\n")
	for _, form := range rowForms {
		fmt.Fprintf(&table, "| %s | %s |", form.name, form.counts)
		for _, set := range sets {
			text := form.write(set.rows)
			tokens, _, err := codec.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&table, " %s bytes, %s tokens%s |", grouped(len(text)), grouped(len(tokens)), exactly(form, set.rows))
		}
		fmt.Fprintf(&table, "%s |\n", strings.TrimPrefix(exactly(form, parsedRows(t, hostileRows)), ","))
	}
	present := string(readFile(t, sizesPage))
	before, rest, began := strings.Cut(present, begin)
	_, after, ended := strings.Cut(rest, end)
	if !began || !ended {
		t.Fatalf("the page has no place for the forms: %q and %q", begin, end)
	}
	golden.File(t, sizesPage, before+begin+table.String()+"\n"+end+after)
}

// exactly says whether what is read is what was written, value for value.
func exactly(form rowForm, rows []rawjson.Object) string {
	read, err := form.read(form.write(rows))
	var want []map[string]json.RawMessage
	for _, row := range rows {
		fields := map[string]json.RawMessage{}
		for _, field := range row {
			fields[field.Name] = field.Value
		}
		want = append(want, fields)
	}
	if err != nil || !cmp.Equal(want, read) {
		return ", not exact"
	}
	return ", exact"
}

func sampleRows(t *testing.T, path string) []rawjson.Object {
	t.Helper()
	transport := sampleProvider(t)
	var page struct {
		Data []struct{ Data json.RawMessage }
	}
	decode(t, transport.body(t, path), &page)
	var rows []string
	for _, row := range page.Data {
		rows = append(rows, string(row.Data))
	}
	return parsedRows(t, rows)
}

func parsedRows(t *testing.T, rows []string) []rawjson.Object {
	t.Helper()
	var parsed []rawjson.Object
	for _, row := range rows {
		object, ok := rawjson.ParseObject(json.RawMessage(row))
		if !ok {
			t.Fatalf("no row: %s", row)
		}
		parsed = append(parsed, object)
	}
	return parsed
}

func writeTokens(rows []rawjson.Object) string {
	var out strings.Builder
	for _, row := range rows {
		for i, field := range row {
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(field.Name + "=" + rawjson.Visible(field.Value))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func readTokens(text string) ([]map[string]json.RawMessage, error) {
	var rows []map[string]json.RawMessage
	for line := range strings.Lines(text) {
		row := map[string]json.RawMessage{}
		for rest := strings.TrimSuffix(line, "\n"); rest != ""; {
			name, value, _ := strings.Cut(rest, "=")
			decoder := json.NewDecoder(strings.NewReader(value))
			var token json.RawMessage
			if err := decoder.Decode(&token); err != nil {
				return nil, err
			}
			row[name] = token
			rest = strings.TrimPrefix(value[decoder.InputOffset():], " ")
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func writeArrays(rows []rawjson.Object) string {
	var out strings.Builder
	fmt.Fprintf(&out, "columns: %s\n", rawjson.Strings("", rows[0].Names()).Value)
	for _, row := range rows {
		var values []json.RawMessage
		for _, field := range row {
			values = append(values, field.Value)
		}
		out.WriteString(rawjson.Visible(rawjson.Array(values)) + "\n")
	}
	return out.String()
}

func readArrays(text string) ([]map[string]json.RawMessage, error) {
	head, body, _ := strings.Cut(strings.TrimPrefix(text, "columns: "), "\n")
	var names []string
	if err := json.Unmarshal([]byte(head), &names); err != nil {
		return nil, err
	}
	var rows []map[string]json.RawMessage
	for line := range strings.Lines(body) {
		var values []json.RawMessage
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			return nil, err
		}
		row := map[string]json.RawMessage{}
		for i, name := range names {
			row[name] = values[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// writeCSV writes texts as they are and other values as JSON, which is what makes CSV small.
func writeCSV(rows []rawjson.Object) string {
	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	records := [][]string{rows[0].Names()}
	for _, row := range rows {
		var record []string
		for _, field := range row {
			text, isText := rawjson.Text(field.Value)
			if !isText {
				text = string(field.Value)
			}
			record = append(record, text)
		}
		records = append(records, record)
	}
	if err := writer.WriteAll(records); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.String()
}

// readCSV takes for JSON what is, and else for a text.
func readCSV(text string) ([]map[string]json.RawMessage, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []map[string]json.RawMessage
	for _, record := range records[1:] {
		row := map[string]json.RawMessage{}
		for i, value := range record {
			if row[records[0][i]] = json.RawMessage(value); !json.Valid([]byte(value)) {
				row[records[0][i]] = rawjson.Quote(value)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func writeObjects(rows []rawjson.Object) string {
	var out strings.Builder
	for _, row := range rows {
		out.WriteString(rawjson.Visible(row.Encode()) + "\n")
	}
	return out.String()
}

func readObjects(text string) ([]map[string]json.RawMessage, error) {
	var rows []map[string]json.RawMessage
	for line := range strings.Lines(text) {
		row := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
