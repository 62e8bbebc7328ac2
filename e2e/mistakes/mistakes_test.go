// Package mistakes tests that an error lets a model correct its call (R-ERR-7): it has typical wrong calls, and a
// reader that uses only the corrected call of the error.
package mistakes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// verdict is the result of a wrong call.
type verdict string

const (
	atOnce   verdict = "at once"  // what was meant is read at the first call
	repaired verdict = "repaired" // after the call that the refusal shows
	chosen   verdict = "chosen"   // after the value that was meant, taken from the list that the refusal shows
	wrong    verdict = "wrong"    // the provider was asked for something else, and nothing says so
	stuck    verdict = "stuck"    // the refusal does not show the way
)

// leastRight is the share of mistakes, in percent, that must be right at once or after one repair.
const leastRight = 95

// mistake is a wrong call, and the call that was meant.
type mistake struct {
	given, meant call
}

type call struct {
	tool      string
	arguments map[string]any
}

// R-ERR-7, R-SURF-9, R-ARG-3: following one error mechanically corrects most wrong calls.
func TestMistakes(t *testing.T) {
	timetest.WithoutRace(t)
	bench := newBench(t)
	var lines strings.Builder
	sums := map[verdict]int{}
	for line := range strings.Lines(bench.file(t)) {
		if heading, isHeading := strings.CutPrefix(line, "== "); isHeading {
			lines.WriteString("\n== " + heading)
			continue
		}
		why, isReason := strings.CutPrefix(line, "    # ")
		switch {
		case isReason:
			lines.WriteString("          because " + why)
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] != ' ':
			bench.given, bench.shown = line, strings.TrimSpace(line)
		default:
			verdict := bench.judge(t, line)
			sums[verdict]++
			fmt.Fprintf(&lines, "%-8s  %s\n", verdict, bench.shown)
		}
	}
	total, right := 0, sums[atOnce]+sums[repaired]+sums[chosen]
	for _, count := range sums {
		total += count
	}
	summary := fmt.Sprintf("# What became of the mistakes; go test ./e2e/mistakes -update writes it.\n# %d calls:", total)
	for _, each := range []verdict{atOnce, repaired, chosen, wrong, stuck} {
		summary += fmt.Sprintf(" %d %s,", sums[each], each)
	}
	golden.File(t, "testdata/verdicts.txt", strings.TrimSuffix(summary, ",")+"\n"+lines.String())
	if right*100 < leastRight*total {
		t.Errorf("%d of %d are right at once or after one repair, which is less than %d %%", right, total, leastRight)
	}
}

// bench is a served adapter, what its provider is asked, and the mistake in hand.
type bench struct {
	provider *journey.Provider
	session  *mcp.ClientSession
	names    []string // $name, value, … as strings.NewReplacer takes them, without the days

	given string // the wrong call with values in the place of names
	shown string // the same as the file has it
}

// newBench serves over a provider that takes filters and expands: one of v0.1 refuses them, whatever they say.
func newBench(t *testing.T) *bench {
	t.Helper()
	provider := journey.NewProvider(t, resource.ReadsOpen)
	reader, err := rs.NewClient(rs.Options{
		BaseURL: provider.URL,
		Bearer:  rs.NewSecret(provider.Box.Tokens()["everything"]),
	})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	options := hosttest.Options
	options.MaxReads = 0 // requests that the adapter answers by reading are not refused
	b := &bench{provider: provider, session: hosttest.Connect(t, gen.Surface(), options, environment)}
	b.learn(t)
	return b
}

// learn finds the values of the names in the file.
func (b *bench) learn(t *testing.T) {
	t.Helper()
	var schema struct {
		Data struct {
			Connectors []struct {
				Key         string `json:"connector_key"`
				Connections []struct {
					ID   string `json:"connection_id"`
					Name string `json:"display_name"`
				} `json:"granted_connections"`
			}
		}
	}
	b.structured(t, call{"schema", nil}, &schema)
	values := map[string]string{}
	for _, connector := range schema.Data.Connectors {
		for i, connection := range connector.Connections {
			name := connector.Key
			if name == "gmail" {
				name = []string{"personal", "work"}[min(i, 1)]
			}
			values["$"+name], values["$"+name+"_name"] = connection.ID, connection.Name
			values["$"+strings.ToUpper(name)] = strings.ToUpper(connection.ID)
		}
	}
	for name, stream := range map[string]string{"message": "messages", "body": "message_bodies", "track": "saved_tracks"} {
		connection := values["$personal"]
		if name == "track" {
			connection = values["$spotify"]
		}
		var page struct {
			Data struct{ Data []struct{ ID string } }
		}
		b.structured(t, call{
			"query_records",
			map[string]any{"stream": stream, "connection_id": connection, "limit": 1, "fields": []string{"id"}},
		}, &page)
		values["$"+name+"_key"] = page.Data.Data[0].ID
		values["$"+name] = connection + "/" + stream + ":" + page.Data.Data[0].ID
	}
	longestFirst := slices.SortedFunc(maps.Keys(values), func(a, b string) int { return len(b) - len(a) })
	for _, name := range longestFirst {
		b.names = append(b.names, name, values[name])
	}
}

func (b *bench) structured(t *testing.T, c call, into any) {
	t.Helper()
	result, _ := b.run(t, c)
	encoded, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(encoded, into)
	}
	if err != nil || result.IsError {
		t.Fatalf("%v: %v, %s", c, err, encoded)
	}
}

// file returns the file of mistakes. The names stay in it, so that the golden has them.
func (b *bench) file(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// days returns the names of days and their values on a day.
func days(today time.Time) []string {
	var names []string
	for name, day := range map[string]time.Time{
		"$today": today, "$yesterday": today.AddDate(0, 0, -1), "$days7": today.AddDate(0, 0, -7),
		"$week":  today.AddDate(0, 0, -7-(int(today.Weekday())+6)%7),
		"$month": time.Date(today.Year(), today.Month()-1, 1, 0, 0, 0, 0, time.UTC),
	} {
		names = append(names, name, day.Format(time.DateOnly))
	}
	return names
}

// read takes the wrong call and the line of what was meant apart, as they are on a day.
func (b *bench) read(t *testing.T, line string, today time.Time) mistake {
	t.Helper()
	replacer := strings.NewReplacer(append(days(today), b.names...)...)
	parse := func(line, name string) call {
		before, arguments, _ := strings.Cut(strings.TrimSpace(replacer.Replace(line)), "{")
		if named := strings.TrimSpace(before); named != "" {
			name = named
		}
		parsed := call{tool: name}
		decoder := json.NewDecoder(strings.NewReader("{" + arguments))
		decoder.UseNumber()
		if err := decoder.Decode(&parsed.arguments); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return parsed
	}
	given := parse(b.given, "")
	return mistake{given, parse(line, given.tool)}
}

// refusal is a failed call as a reader sees it.
type refusal struct {
	Code     string
	Param    string
	Accepted []string
	Offered  []map[string]string `json:"available_connections"`
	Next     []struct {
		Tool      string
		Arguments map[string]any
	}
}

// judge judges the mistake of a line on one day: when midnight comes meanwhile, it is another mistake.
func (b *bench) judge(t *testing.T, line string) verdict {
	t.Helper()
	for {
		today := time.Now().UTC()
		verdict := b.follow(t, b.read(t, line, today))
		if time.Now().UTC().Day() == today.Day() {
			return verdict
		}
	}
}

// follow makes the call, and follows its refusal once.
func (b *bench) follow(t *testing.T, m mistake) verdict {
	t.Helper()
	meant, want := b.run(t, m.meant)
	if meant.IsError {
		t.Errorf("%s: what was meant is refused itself: %s", b.shown, text(meant))
	}
	result, asked := b.run(t, m.given)
	refused := refusalOf(t, result)
	switch {
	case refused == nil && asked == want:
		return atOnce
	case refused == nil:
		t.Logf("%s: asked for %s, not for %s", b.shown, asked, want)
		return wrong
	case len(refused.Next) > 0 && refused.Next[0].Tool != "" &&
		(refused.Next[0].Tool != "schema" || m.given.tool == "schema"):
		next := call{refused.Next[0].Tool, refused.Next[0].Arguments}
		if again, asked := b.run(t, next); !again.IsError && asked == want {
			return repaired
		}
	default:
		if next, found := m.choose(refused); found {
			if again, asked := b.run(t, next); !again.IsError && asked == want {
				return chosen
			}
		}
	}
	t.Logf("%s: %s", b.shown, text(result))
	return stuck
}

// choose picks what was meant from the list in an error: a value, or the name of an argument.
func (m mistake) choose(refused *refusal) (call, bool) {
	next := call{m.given.tool, maps.Clone(m.given.arguments)}
	if next.tool != m.meant.tool {
		return next, false
	}
	if refused.Code == string(tool.UnknownArgument) {
		for name := range m.meant.arguments {
			if _, given := m.given.arguments[name]; !given && slices.Contains(refused.Accepted, name) {
				next.arguments[name] = next.arguments[refused.Param]
				delete(next.arguments, refused.Param)
				return next, true
			}
		}
		return next, false
	}
	for _, connection := range refused.Offered {
		refused.Accepted = append(refused.Accepted, connection["connection_id"])
	}
	for _, name := range words(m.meant.arguments[refused.Param]) {
		if !slices.Contains(words(m.given.arguments[refused.Param]), name) && !slices.Contains(refused.Accepted, name) {
			return next, false
		}
	}
	next.arguments[refused.Param] = m.meant.arguments[refused.Param]
	return next, refused.Accepted != nil
}

// words returns the names in a value: itself, the items of a list, or the keys of an object.
func words(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var names []string
		for _, item := range value {
			names = append(names, words(item)...)
		}
		return names
	case map[string]any:
		return slices.Collect(maps.Keys(value))
	}
	return nil
}

// refusalOf returns the error in a result, or nil.
func refusalOf(t *testing.T, result *mcp.CallToolResult) *refusal {
	t.Helper()
	var shown struct{ Error *refusal }
	encoded, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(encoded, &shown)
	}
	if err != nil {
		t.Fatal(err)
	}
	return shown.Error
}

func text(result *mcp.CallToolResult) string {
	content, _ := result.Content[0].(*mcp.TextContent)
	return content.Text
}

// run makes a call, and returns its requests to the provider with sorted parameters. Of a schema that is the first
// request, of any other tool the last one that is not of the schema. The schema is read twice at most: before an expand
// or with a search, and after a refusal. The provider's metadata do not count: they show a search whether the index is
// complete.
func (b *bench) run(t *testing.T, c call) (*mcp.CallToolResult, string) {
	t.Helper()
	b.provider.Take()
	result, err := b.session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.arguments})
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	var asked []string
	schemas := 0
	for _, request := range b.provider.Take() {
		parsed, err := url.Parse(request.URI)
		if err != nil {
			t.Fatal(err)
		}
		if c.tool == "search" && len(asked) > 0 {
			continue // what is read for the hits, or for the lack of them
		}
		if strings.HasPrefix(parsed.Path, "/.well-known/") {
			continue
		}
		if parsed.Path == "/v1/schema" {
			schemas++
		}
		if (c.tool == "schema") == (parsed.Path == "/v1/schema") {
			asked = append(asked, parsed.Path+"?"+parsed.Query().Encode())
		}
	}
	_, expands := c.arguments["expand"]
	_, names := c.arguments["connection_id"]
	counts := c.tool == "aggregate" && !names // the connections of an answer over several are the schema's (R-AGG-4)
	allowed := 0
	if c.tool == "search" || c.tool == "fetch" { // R-CLAIM-4; R-FIND-3, whose links are read once in five minutes
		allowed++
	}
	if result.IsError {
		allowed++
	}
	if !expands && !counts && c.tool != "schema" && schemas > allowed {
		t.Errorf("%v: the schema was read %d times", c, schemas)
	}
	switch {
	case len(asked) == 0:
		return result, ""
	case c.tool == "schema":
		return result, asked[0]
	}
	return result, asked[len(asked)-1]
}
