package condition_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/lab"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
)

var update = flag.Bool("update", false, "write the table of cases")

// One table of filters is held against the evaluator, against the captured server and against the sandbox: the same
// rows in the same order. Where the evaluator departs from the servers, the table shows both (R-SCAN-2).
func TestFiltersHoldAsForAServer(t *testing.T) {
	server := lab.Serve(t, lab.Dataset(t))
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := server.Records(lab.Path + "records?" + lab.Connection)
	captured := capturedAnswers(t)
	var written strings.Builder
	for _, each := range readCases(t) {
		filter := condition.New(each.filter(t))
		got := "none"
		var ids []string
		for _, record := range all {
			if filter.Match(rawjson.NewCursor(record.Data)) {
				ids = append(ids, record.ID)
			}
		}
		if got = strings.Join(ids, " "); got == "" {
			got = "none"
		}
		theirs := answerOf(server.Records(lab.Path + "records?" + lab.Connection + "&" + each.query))
		if each.capture != "-" {
			// it has a page
			if inCapture := captured[each.capture]; inCapture != theirs && !strings.HasPrefix(theirs, inCapture+" ") {
				t.Errorf("%s: the captured server gave %s, the sandbox %s", each.capture, inCapture, theirs)
			}
			delete(captured, each.capture)
		}
		line := fmt.Sprintf("%s\t%s\t%s", each.capture, each.query, got)
		if theirs != got {
			line += "\t" + theirs
		}
		if warnings := filter.Warnings(berlin); warnings != nil {
			line += "\n# " + strings.Join(warnings, "\n# ")
		}
		fmt.Fprintln(&written, line)
	}
	for name, answer := range captured {
		t.Errorf("the table lacks %s, which gave %s", name, answer)
	}
	compareTable(t, written.String())
}

// answerOf returns the ids of records, "none", or "refused".
func answerOf(records []lab.Record) string {
	switch {
	case records == nil:
		return "refused"
	case len(records) == 0:
		return "none"
	}
	ids := make([]string, len(records))
	for i, record := range records {
		ids[i] = record.ID
	}
	return strings.Join(ids, " ")
}

// capturedAnswers are those of captured reads of one connection that have a filter.
func capturedAnswers(t *testing.T) map[string]string {
	t.Helper()
	answers := map[string]string{}
	for _, capture := range append(lab.Captures(t, "75[0-5]*.txt"), lab.Captures(t, "76*.txt")...) {
		of := capture.Query
		if of.Get("connection_id") == "" || of.Has("changes_since") || of.Has("view") || lab.Filter(of) == nil {
			continue
		}
		var page lab.Page
		if err := json.Unmarshal(capture.Body, &page); err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(capture.Name, "-")
		answers[name] = answerOf(page.Data)
	}
	return answers
}

// tableCase is a line of the table: the number of a capture or -, a filter as it is sent, the ids of the matching
// records, and the servers' answer if it differs.
type tableCase struct{ capture, query string }

// filter reads the filter of a case.
func (c tableCase) filter(t *testing.T) rs.Filter {
	t.Helper()
	query, err := url.ParseQuery(c.query)
	if err != nil {
		t.Fatal(err)
	}
	return lab.Filter(query)
}

const table = "testdata/cases.txt"

func readCases(t *testing.T) []tableCase {
	t.Helper()
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []tableCase
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if columns := strings.Split(lines.Text(), "\t"); columns[0] != "" && columns[0][0] != '#' {
			cases = append(cases, tableCase{columns[0], columns[1]})
		}
	}
	return cases
}

func compareTable(t *testing.T, written string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(table, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Split(string(want), "\n")
	for i, line := range strings.Split(written, "\n") {
		if i >= len(wanted) || wanted[i] != line {
			t.Fatalf("%s, line %d: got %s", table, i+1, line)
		}
	}
}
