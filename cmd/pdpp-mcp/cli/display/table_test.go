package display

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// onScreen shows a result as a table without colours.
func onScreen(shape tool.Table, structured string, columns int) string {
	return shapeTable(shape, &tool.Result{Structured: json.RawMessage(structured)}, screen{columns: columns}, "")
}

// A table notes how many of its columns it hides, and which.
func TestATableCountsWhatItHides(t *testing.T) {
	var fields []string
	for i := range 22 {
		fields = append(fields, fmt.Sprintf(`"field_%d":"a value of some length"`, i))
	}
	shown := onScreen(tool.RowTable, `{"data":{"data":[{"handle":"c/s:m1","id":"m1","data":{"nothing":null,`+
		strings.Join(fields, ",")+`}}]}}`, 160)
	heading, rest, _ := strings.Cut(shown, "\n")
	seen := len(strings.Fields(heading))
	want := fmt.Sprintf("\n%d of 24 columns hidden (--fields, --format json): field_%d, ", 24-seen, seen-1)
	if seen < 5 || !strings.Contains(rest, want) {
		t.Errorf("with %d columns, below the heading stands\n%s\nwant %q", seen, rest, want)
	}
}

// mail is a page of two records as sources call their fields.
const mail = `{"stream":"messages","data":{"has_more":true,"next_cursor":"%[1]s","next_changes_since":"%[1]s","meta":{"count":{"kind":"exact","value":261}},"data":[
	{"handle":"cin_mail/messages:p-msg-081","id":"p-msg-081","data":{"id":"p-msg-081","thread_id":"p-thr-79",
		"subject":"Summer concert, again, and a favour, again","from_name":"Nora Weiss","to":["mateo@mail.example","jonas@mail.example"],"cc":[],
		"received_at":"2026-04-29T20:22:00.000Z","size_bytes":1230,"in_reply_to":null,"snippet":"Second alto, near the radiator"}},
	{"handle":"cin_mail/messages:p-msg-080","id":"p-msg-080","data":{"id":"p-msg-080","thread_id":"p-thr-80",
		"subject":"Your arranged overdraft","from_name":"Fjordbank","to":["nora@mail.example"],"cc":[],
		"received_at":"2026-04-28T06:10:00.000Z","size_bytes":31375,"in_reply_to":null,"snippet":"Dear Ms Weiss, the raised overdraft ended"}}]}}`

// Content comes first at every width, then times and people, and ids last. The id is whole, so that it can be pasted,
// and nothing is wider than the screen.
func TestATableShowsWhatPeopleRead(t *testing.T) {
	inUTC(t)
	for columns, want := range map[int]string{
		60:  "subject from_name received_at",
		80:  "subject from_name snippet received_at",
		120: "subject from_name snippet received_at handle",
		200: "subject from_name snippet received_at to size_bytes thread_id handle",
	} {
		result := &tool.Result{Structured: json.RawMessage(fmt.Sprintf(mail, strings.Repeat("e", 220)))}
		shown := shapeTable(tool.RowTable, result, screen{columns: columns}, "--all")
		lines := strings.Split(shown, "\n")
		if strings.Join(strings.Fields(lines[0]), " ") != want {
			t.Errorf("at %d columns:\n%s\nwant %s", columns, shown, want)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > columns {
				t.Errorf("%q is wider than %d", line, columns)
			}
		}
		for _, said := range []string{
			"2026-04-29 20:22", "cin_mail/messages:p-msg-081",
			"2 of 261 rows of messages; more follow: --all", "next_changes_since is in --format json",
		} {
			if !strings.Contains(shown, said) {
				t.Errorf("at %d columns %q is missing in\n%s", columns, said, shown)
			}
		}
		if strings.Contains(shown, "next_cursor") {
			t.Errorf("at %d columns a cursor is shown although --all reads every page:\n%s", columns, shown)
		}
	}
}

// chat is a page of one message without a title.
const chat = `{"stream":"chat_messages","data":{"data":[{"handle":"cin_slack_team/chat_messages:C007:1777456800.387874","id":"C007:1777456800.387874",
	"data":{"id":"C007:1777456800.387874","channel_id":"C007","channel_name":"lunch 🍜","edited_at":null,"is_pinned":false,"reply_count":0,
		"sent_at":"2026-04-29T10:00:00.000Z","text":"With dessert ⚠️. I have money.","thread_root_id":"C007:1777456680.623049","user_id":"U001","user_name":"nora"}}]}}`

// The text of rows without titles is their content: at 60 columns too. A variation selector shifts no column.
func TestATableOfChatMessagesHasItsText(t *testing.T) {
	inUTC(t)
	shown := strings.Split(onScreen(tool.RowTable, chat, 60), "\n")
	want := []string{
		"text                           user_name  sent_at",
		"With dessert ⚠. I have money.  nora       2026-04-29 10:00",
		"  cin_slack_team/chat_messages:C007:1777456800.387874",
	}
	if !slices.Equal(shown[:3], want) || shown[len(shown)-1] != "1 row of chat_messages" {
		t.Errorf("shown is\n%s\nwant\n%s", strings.Join(shown, "\n"), strings.Join(want, "\n"))
	}
}

// A number that a command names keeps its place, and the ids of several grants are the first to be dropped.
func TestATableOfNamedMembersKeepsItsNumbers(t *testing.T) {
	inUTC(t)
	rows := `{"data":[{"name":"message_bodies","record_count":271,"last_updated":"2026-05-01T02:00:00.000Z","connection_id":"cin_gmail_personal",
		"display_name":"Personal Gmail","grant_id":"grt_3c798d44eddaa81b"}]}`
	names, others := []string{
		"name", "record_count", "last_updated", "connection_id",
		"display_name",
	}, []string{"grant_id"}
	shown := listTable(&tool.Result{Structured: json.RawMessage(rows)}, names, others, screen{columns: 80})
	heading, rest, _ := strings.Cut(shown, "\n")
	if got := strings.Fields(heading); !slices.Equal(got, names) ||
		!strings.Contains(rest, " 271  2026-05-01 02:00  cin_gmail_personal  Personal G") ||
		!strings.Contains(rest, "1 of 6 columns hidden (--format json): grant_id") {
		t.Errorf("shown as\n%s", shown)
	}
}

// The words that a search found are seen, with the time and an id that can be passed on.
func TestATableOfHits(t *testing.T) {
	shown := onScreen(tool.HitTable, `{"data":{"meta":{"count":{"kind":"exact","value":46}},"has_more":true,"next_cursor":"c"},"results":[
		{"id":"cin_bank/notices:N-1","stream":"notices","display_name":"Fjordbank",
		 "title":"Fjordbank / notices / 2025-05-19T05:15:00.000Z","time":"2025-05-19T05:15:00.000Z",
		 "evidence":[{"field_path":"text","preview":"A long text in front of what was found: your <mark>overdraft</mark> ended"}]}]}`, 80)
	for _, said := range []string{
		"2025-05-19", "…found: your overdraft ended", "cin_bank/notices:N-1",
		"1 of 46 hits; more follow: ",
	} {
		if !strings.Contains(shown, said) {
			t.Errorf("%q is missing in\n%s", said, shown)
		}
	}
	if strings.Contains(shown, "Fjordbank / ") {
		t.Errorf("a made title is in\n%s", shown)
	}
}

// A title that has the match stays the title, also in JSON. A hit without a title shows its text there.
func TestAHitKeepsItsTitle(t *testing.T) {
	hits := []json.RawMessage{
		json.RawMessage(
			`{"id":"c/s:1","title":"Overdraft notice","display_name":"Bank","snippet":"<mark>Overdraft</mark> notice"}`),
		json.RawMessage(`{"id":"c/s:2","title":"Bank / s / 2","display_name":"Bank","evidence":[{"field_path":"text",` +
			`"preview":"an <mark>overdraft</mark>"}]}`),
		json.RawMessage(`{"id":"c/s:3","title":"Bank / s / 3","display_name":"Bank","evidence":[{"field_path":"subject",` +
			`"preview":"no <mark>overdraft</mark>"}]}`),
		json.RawMessage(`{"id":"c/s:4","title":"Bank / s / 4","display_name":"Bank","evidence":[{"field_path":"snippet",` +
			`"shown_in":"c/s:2"}]}`),
	}
	lines := strings.Split(hitTable(hits).render(screen{columns: 60}), "\n")
	if !strings.HasPrefix(lines[1], "Overdraft notice ") || !strings.HasPrefix(lines[2], "an overdraft ") ||
		!strings.HasPrefix(lines[3], "no overdraft ") || !strings.HasPrefix(lines[4], "an overdraft ") {
		t.Errorf("shown as\n%s", strings.Join(lines, "\n"))
	}
	got, err := printedHits(t, []string{"-q", ".title + \"|\" + .text"}, hits)
	if want := "Overdraft notice|Overdraft notice\n|an overdraft\nno overdraft|no overdraft\n|an overdraft\n"; got != want || err != nil {
		t.Errorf("printed %q, %v", got, err)
	}
}

// The number of rows does not change the columns of a table, and an amount has its currency.
func TestTheColumnsOfASample(t *testing.T) {
	inUTC(t)
	var rows []rawjson.Object
	for i, counterparty := range []string{"Bäckerei", "A counterparty with a very long name", ""} {
		row, _ := rawjson.ParseObject(
			json.RawMessage(fmt.Sprintf(`{"handle":"c/s:%[1]d","id":"%[1]d","counterparty":%[2]q,"description":"text %[1]d",
			"booked_at":"2026-04-29T14:00:00Z","amount":"-%[1]d.00","currency":"EUR","number":%[1]d,"kind":"card"}`,
				i, counterparty)))
		rows = append(rows, row)
	}
	for _, columns := range []int{60, 80, 120} {
		headings := map[string]bool{}
		for count := range rows {
			lines := strings.Split(rowTable(rows[:count+1]).render(screen{columns: columns}), "\n")
			headings[strings.Join(strings.Fields(lines[0]), " ")] = true
			if !strings.Contains(lines[1], "-0.00 EUR") {
				t.Errorf("at %d columns the currency is missing in %q", columns, lines[1])
			}
		}
		if len(headings) != 1 {
			t.Errorf("at %d columns: %v", columns, headings)
		}
	}
	if shown := rowTable(rows).render(screen{columns: 60}); !strings.Contains(shown, "\ntext 2 ") {
		t.Errorf("a row without a title has no text:\n%s", shown)
	}
}

// Groups with numbers get bars in the width of the terminal (R-VIEW-5). Values of both signs share a zero.
func TestBars(t *testing.T) {
	groups := func(values ...string) (rows []rawjson.Object) {
		for i, value := range values {
			rows = append(rows, rawjson.Object{
				rawjson.String("key", fmt.Sprintf("k%d", i)),
				rawjson.Raw("value", json.RawMessage(value)),
			})
		}
		return rows
	}
	for name, test := range map[string]struct {
		groups  []rawjson.Object
		columns int
		want    string
	}{
		"counts": {
			groups("16", "8", "1", "0"), 28,
			"key  value\nk0      16  ████████████████\nk1       8  " +
				"████████\nk2       1  █\nk3       0",
		},
		"eighths": {
			groups("128", "1"), 28,
			"key  value\nk0     128  ████████████████\nk1       1  ▏",
		},
		"signs": {
			groups("-8", "8"), 28,
			"key  value\nk0      -8  ▒▒▒▒▒▒▒▒\nk1       8          ████████",
		},
		"narrow":   {groups("16", "8"), 19, "key  value\nk0      16\nk1       8"},
		"one":      {groups("16"), 60, "key  value\nk0      16"},
		"no value": {groups("16", "null"), 60, "key  value\nk0      16\nk1"},
	} {
		onTerminal := screen{columns: test.columns, isTerminal: true}
		if shown := groupTable(test.groups, onTerminal).render(onTerminal); shown != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, shown, test.want)
		}
		if shown := groupTable(test.groups, screen{columns: 160}).render(screen{columns: 160}); strings.ContainsAny(shown,
			"█▒▏") {
			t.Errorf("%s: bars in a pipe:\n%s", name, shown)
		}
	}
}

// inUTC makes the zone of the machine UTC for a test.
func inUTC(t *testing.T) {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}

// Only screens with styles get them, and they take no width.
func TestStyles(t *testing.T) {
	table := &table{}
	for _, each := range [][2]string{{"title", "a"}, {"url", "https://data.example/1"}, {"size", "12"}} {
		table.addColumn(column{name: each[0], kind: otherKind}, []string{each[1]})
	}
	plain, coloured := table.render(screen{columns: 80}), table.render(screen{columns: 80, hasStyles: true})
	if strings.Contains(plain, "\x1b") ||
		plain != "title  url                     size\na      https://data.example/1  12" {
		t.Errorf("without colours: %q", plain)
	}
	if want := "\x1b[1mtitle\x1b[0m  \x1b[1murl\x1b[0m                     " +
		"\x1b[1msize\x1b[0m\n"; !strings.HasPrefix(coloured, want) {
		t.Errorf("with colours: %q", coloured)
	}
}

// commands has characters that a terminal would act on or not show.
const commands = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b\u200b\ufeff\u2028\u2029\u00ad\U000e0041\U000e0001"

// Control characters are escaped wherever an answer has them: in a value, a field's name, an id or a cursor.
func TestTablesCannotCommandTheTerminal(t *testing.T) {
	quoted := func(text string) string {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	hostile := quoted("x" + commands + "\ny")
	for shape, structured := range map[tool.Table]string{
		tool.RowTable: `{"ids":[` + hostile + `],"data":{"data":[{"data":{` + hostile + `:` + hostile + `,"n":[` +
			hostile + `]}}]}}`,
		tool.HitTable:      `{"results":[{"id":` + hostile + `,"title":` + hostile + `,"snippet":` + hostile + `}]}`,
		tool.GroupTable:    `{"data":{"groups":[{"key":` + hostile + `,` + hostile + `:1}]}}`,
		tool.DocumentTable: `{"text":` + hostile + `}`,
		tool.NoTable:       `{}`,
	} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			result := &tool.Result{Text: "next_cursor=" + commands + "\nx" + commands, Structured: json.RawMessage(structured)}
			shown := shapeTable(shape, result, screen{columns: 200}, "")
			if shown != invocation.Printable(shown) || !strings.Contains(shown, "x") {
				t.Errorf("%q", shown)
			}
		})
	}
	for _, structured := range []string{`{}`, `{"data":[{` + hostile + `:` + hostile + `}]}`} {
		result := &tool.Result{Text: "x" + commands, Structured: json.RawMessage(structured)}
		if shown := listTable(result, nil, nil, screen{columns: 200}); shown != invocation.Printable(shown) ||
			!strings.Contains(shown, "x") {
			t.Errorf("an answer of %s: %q", structured, shown)
		}
	}
}
