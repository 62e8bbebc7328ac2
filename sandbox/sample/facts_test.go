package sample_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

const factsPage = "FACTS.md"

func facts(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(factsPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// proof is a record that the page names, and what it says there.
var proof = regexp.MustCompile("`(cin_\\w+)/(\\w+):([^`]+)`(?: \"([^\"]+)\"| (\\(deleted\\)))?")

// The page names chat messages by channel, time in Berlin and author; their ids are numbers.
var said = regexp.MustCompile(`^\{(\S+) (\S+ \S+) (\S+)\}$`)

func TestFactsAreInTheRecords(t *testing.T) {
	named := proof.FindAllStringSubmatch(facts(t), -1)
	if len(named) < 40 {
		t.Fatalf("the page names %d records, too few", len(named))
	}
	for _, seed := range []uint64{1, 2} {
		set := sample.Dataset(seed)
		for _, each := range named {
			r, found := recordOf(t, set, each[1], each[2], each[3])
			switch {
			case !found:
				t.Errorf("seed %d: no record %s/%s:%s", seed, each[1], each[2], each[3])
			case r.DeletedAt.IsZero() == (each[5] != ""):
				t.Errorf("seed %d: %s/%s:%s is deleted i %v", seed, each[1], each[2], each[3], r.DeletedAt)
			case !strings.Contains(string(r.Data), each[4]):
				t.Errorf("seed %d: %s/%s:%s does not say %q", seed, each[1], each[2], each[3], each[4])
			}
		}
	}
}

func recordOf(t *testing.T, set catalog.Dataset, connectionID, stream, key string) (catalog.Record, bool) {
	t.Helper()
	fits := func(r catalog.Record) bool { return r.Key == key }
	if spoken := said.FindStringSubmatch(key); spoken != nil {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		i, err := time.ParseInLocation("2006-01-02 15:04", spoken[2], berlin)
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf(":%d.", i.Unix())
		fits = func(r catalog.Record) bool {
			return strings.Contains(r.Key, id) &&
				(!r.DeletedAt.IsZero() || strings.Contains(string(r.Data), `"channel_name":"`+spoken[1]+`"`) &&
					strings.Contains(string(r.Data), `"user_name":"`+spoken[3]+`"`))
		}
	}
	i := slices.IndexFunc(set.Records, func(r catalog.Record) bool {
		return r.ConnectionID == connectionID && r.Stream == stream && fits(r)
	})
	if i < 0 {
		return catalog.Record{}, false
	}
	return set.Records[i], true
}

// Everybody is known to a source by the name that the page says.
func TestFactsNamePeople(t *testing.T) {
	_, table, _ := strings.Cut(facts(t), "|---|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	sources := []struct{ connectionID, stream, before, after string }{
		{},
		{sample.PersonalMail, "messages", `"from_email":"`, `"`},
		{sample.WorkMail, "messages", `"from_email":"`, `"`},
		{sample.TeamChat, "chat_messages", `"user_name":"`, `"`},
		{sample.Forge, "", `"author":"`, `"`},
		{sample.Calendar, "events", `"`, `"`},
	}
	set := sample.Shared()
	checked := 0
	for line := range strings.Lines(table) {
		for i, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			name, source := strings.TrimSpace(cell), sources[i]
			if i == 0 || name == "" {
				continue
			}
			checked++
			if !slices.ContainsFunc(set.Records, func(r catalog.Record) bool {
				return r.ConnectionID == source.connectionID && (source.stream == "" || r.Stream == source.stream) &&
					strings.Contains(string(r.Data), source.before+name+source.after)
			}) {
				t.Errorf("nobody is called %q in %s", name, source.connectionID)
			}
		}
	}
	if checked < 40 {
		t.Errorf("the page has %d names, too few", checked)
	}
}

var question = regexp.MustCompile("(?s)```sql\n(.*?)\n```\n\n```text\n(.*?)```")

// The answers of the page are what SQL says over the data that the sandbox serves.
func TestFactsMatchTheDatabase(t *testing.T) {
	records, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := records.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := records.Load(t.Context(), sample.Shared()); err != nil {
		t.Fatal(err)
	}
	asked := 0
	wanted := question.ReplaceAllStringFunc(facts(t), func(block string) string {
		asked++
		sql := question.FindStringSubmatch(block)[1]
		return "```sql\n" + sql + "\n```\n\n```text\n" + answer(t, records, sql) + "```"
	})
	if asked < 20 {
		t.Errorf("the page has %d questions, want i least 20", asked)
	}
	golden.File(t, factsPage, wanted)
}

// answer is the rows of a query, a line each, with their columns between bars.
func answer(t *testing.T, records *store.Store, sql string) string {
	t.Helper()
	rows, err := records.DB().QueryContext(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for rows.Next() {
		values, places := make([]string, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		text.WriteString(strings.Join(values, " | ") + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
