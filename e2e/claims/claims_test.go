package claims_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

var (
	draws   = flag.Int("draws", 300, "`number` of draws")
	persons = flag.Int("persons", 2, "`number` of persons, each with two providers")
)

func dayOf(number int) string {
	return time.Date(2025, time.August, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, number).Format(time.RFC3339)
}

// TestClaims is the oracle: every claim of a drawn call is true of the records that the drawn grant covers, in each
// channel and at each kind of provider, and does not depend on the provider (R-CLAIM-1 to R-CLAIM-9).
func TestClaims(t *testing.T) {
	people := make([]*person, *persons)
	for i := range people {
		people[i] = newPerson(t, uint64(i+1))
	}
	found, calls := map[string]int{}, map[string]int{}
	drawing := rapid.Custom(func(t *rapid.T) []finding {
		person := people[rapid.IntRange(0, len(people)-1).Draw(t, "person")]
		return draw(t, person, calls)
	})
	for i := range timetest.Draws(*draws) {
		for _, each := range drawing.Example(i) {
			if found[each.kind]++; known[each.kind] == 0 {
				t.Errorf("%s: %s", each.kind, each.text)
			} else if found[each.kind] <= 2 {
				t.Logf("known, point %d, %s: %s", known[each.kind], each.kind, each.text)
			}
		}
	}
	t.Logf("%d draws, calls %v, false claims %v", timetest.Draws(*draws), calls, found)
	for kind := range known {
		if timetest.Draws(*draws) >= 300 && found[kind] == 0 {
			t.Errorf("%s is not found any more: remove it from the known kinds", kind)
		}
	}
}

// drawnCallers are made once, because their providers are the same for all draws.
var drawnCallers = map[string]*caller{}

func callerOf(t testing.TB, p *person, reads resource.Reads, grant int) *caller {
	key := fmt.Sprintf("%p %s %d", p, reads, grant)
	if drawnCallers[key] == nil {
		drawnCallers[key] = p.caller(t, reads, grant)
	}
	return drawnCallers[key]
}

// draw asks one question of both kinds of providers.
func draw(t *rapid.T, person *person, calls map[string]int) []finding {
	grant := rapid.IntRange(0, grantsOfPerson-1).Draw(t, "grant")
	var callers []*caller
	for _, reads := range resource.AllReads() {
		callers = append(callers, callerOf(noFailure{}, person, reads, grant))
	}
	return ask(t, callers, calls)
}

// ask asks one question of each caller, and compares what they say.
func ask(t *rapid.T, callers []*caller, calls map[string]int) (found []finding) {
	q := callers[0].drawQuestion(context.Background(), t)
	var notes []string
	for _, c := range callers {
		calls[q.tool]++
		claimed, said, err := c.check(context.Background(), q)
		if err != nil {
			return []finding{{"error", q.String() + ": " + err.Error()}}
		}
		if found = append(found, claimed...); said != nil {
			notes = append(notes, *said)
		}
	}
	if len(slices.Compact(slices.Clone(notes))) > 1 {
		found = append(found, finding{differs, fmt.Sprintf("%s: %q", q, notes)})
	}
	return found
}

// noFailure is a test that ends the program if it fails: rapid's Example has no test.
type noFailure struct{ testing.TB }

func (noFailure) Helper()             {}
func (noFailure) Fatal(values ...any) { panic(fmt.Sprint(values...)) }

// Planted false claims are found (R-CLAIM-9). They are planted at one of the two providers.
func TestPlantedClaimsAreFound(t *testing.T) {
	timetest.WithoutRace(t)
	person := newPerson(t, 1)
	for kind, plant := range map[string]func(string, *tool.Result){
		wrongRows:  replaced(`"has_more":true`, `"has_more":false`, "has_more=true", "has_more=false"),
		wrongCount: added(`("?filtered_record_count"?[=:])(\d+)`),
		wrongGroup: added(`("?other_count"?[=:])(\d+)`),
		notAbsent: func(name string, result *tool.Result) { // the first condition of a filter is called absent
			text := `No record has is_seen="true"; values seen: "false".`
			if name == "query_records" && strings.Contains(result.Text, "cin_gmail") {
				result.Text += "\n" + text
			}
		},
		wrongAlone:  added(`((?:alone:|,) )(\d+) with`),
		notSeen:     replaced(`values seen: \"`, `values seen: \"zz`, `values seen: "`, `values seen: "zz`),
		wrongHits:   added(`("value":|count=exact:)(\d+)`),
		wrongLimit:  replaced("Granted only", "Granted", "Granted only", "Granted"),
		unsearched:  replaced(`"not_searched"`, `"searched"`, "not_searched:", "searched:"),
		hiddenDraft: replaced(`"is_draft":true,`, ``, `"is_draft":true,`, ``),
		nullTitle: func(name string, result *tool.Result) {
			if name == "search" {
				result.Structured = regexp.MustCompile(`"title":"[^"]*"`).ReplaceAll(result.Structured, []byte(`"title":null`))
			}
		},
		wrongRecord: replaced(`"record":"cin_`, `"record":"cin_x/x:`, `record="cin_`, `record="cin_x/x:`),
		wrongWindow: added(`("?total_chars"?[=:])(\d+)`),
		wrongOrder:  swapped,
		differs:     replaced("No record", "No Record", "No record", "No Record"),

		wrongDocument:           inDocument(`"text":"(\w+): `, `"text":"x$1: `),
		wrongConversation:       inDocument(`("(?:thread|thread_root|channel)_id":")`, "${1}x"),
		wrongNear:               inDocument(`"limit":10`, `"limit":1`),
		wrongRelated:            inDocument(`"related":`, `"unrelated":`),
		wrongOffer:              inDocument(`"order":"asc"`, `"order":"up"`),
		wrongHits + ": no page": replaced(`"next":`, `"then":`, "next:", "then:"),
	} {
		t.Run(kind, func(t *testing.T) {
			kind, _, _ := strings.Cut(kind, ": ")
			callers := make([][]*caller, grantsOfPerson)
			for i := range callers {
				planted := person.caller(t, resource.ReadsV01, i)
				planted.alter = plant
				if callers[i] = []*caller{planted}; kind == differs {
					callers[i] = append(callers[i], person.caller(t, resource.ReadsOpen, i))
				}
			}
			drawing := rapid.Custom(func(t *rapid.T) bool {
				found := ask(t, callers[rapid.IntRange(0, grantsOfPerson-1).Draw(t, "grant")], map[string]int{})
				return slices.ContainsFunc(found, func(f finding) bool { return f.kind == kind })
			})
			for i := range 300 {
				if drawing.Example(i) {
					return
				}
			}
			t.Error("not found in 300 draws")
		})
	}
}

// inDocument replaces a form in both channels of fetch.
func inDocument(form, by string) func(string, *tool.Result) {
	pattern := regexp.MustCompile(form)
	return func(name string, result *tool.Result) {
		if name == "fetch" {
			result.Structured = pattern.ReplaceAll(result.Structured, []byte(by))
			result.Text = pattern.ReplaceAllString(result.Text, by)
		}
	}
}

// replaced replaces text in structured output and in text.
func replaced(inStructured, structuredBy, inText, textBy string) func(string, *tool.Result) {
	return func(_ string, result *tool.Result) {
		result.Structured = bytes.ReplaceAll(result.Structured, []byte(inStructured), []byte(structuredBy))
		result.Text = strings.ReplaceAll(result.Text, inText, textBy)
	}
}

// added adds one to the number after a form.
func added(form string) func(string, *tool.Result) {
	pattern := regexp.MustCompile(form)
	plus := func(found string) string {
		digits := regexp.MustCompile(`\d+`)
		return digits.ReplaceAllStringFunc(found, func(number string) string {
			value, _ := strconv.Atoi(number) // digits only
			return strconv.Itoa(value + 1)
		})
	}
	return func(_ string, result *tool.Result) {
		result.Text = pattern.ReplaceAllStringFunc(result.Text, plus)
		result.Structured = []byte(pattern.ReplaceAllStringFunc(string(result.Structured), plus))
	}
}
