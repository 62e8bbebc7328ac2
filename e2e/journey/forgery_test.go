package journey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// parrot answers every read with one body.
type parrot struct {
	body   []byte
	status int // of a refusal; 0 for an answer
}

func (p parrot) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	if p.status != 0 {
		return nil, &rs.Error{
			Status: p.status, Type: "invalid_request_error", Code: "invalid_request", Message: "no",
			Envelope: p.body,
		}
	}
	return rs.Response{
		Status: 200, RequestID: "req_1", URL: "https://rs.example.com/v1",
		Request: request,
	}.WithBody(p.body)
}

func (parrot) ProviderURL() string { return "https://rs.example.com" }

// answered is the recorded bodies that a tool reads, and its arguments.
var answered = []struct {
	folder, tool string
	arguments    []string
}{
	{
		"../../runtime/render/testdata/records", "query_records",
		[]string{`{"stream":"messages"}`, `{"stream":"messages","connection_id":"cin_1","fields":["subject"]}`},
	},
	{"../../runtime/render/testdata/aggregate", "aggregate", []string{`{"stream":"messages","metric":"count"}`}},
	{"../../runtime/render/testdata/search", "search", []string{`{"q":"overdraft"}`}},
	{"../../runtime/render/testdata/document", "fetch", []string{`{"id":"cin_1/messages:m1"}`}},
	{
		"../../runtime/render/testdata/fieldwindow", "read_record_field",
		[]string{`{"id":"cin_1/messages:m1","field_path":"body"}`},
	},
	{"../../runtime/read/operation/testdata", "schema", []string{`{}`, `{"stream":"messages"}`}},
	{"../../runtime/read/operation/testdata/captured", "schema", []string{
		`{}`, `{"stream":"messages"}`, `{"stream":"messages","connection_id":"cin_gmail_personal","detail":"full"}`,
	}},
}

// recorded returns the recorded answers to a tool.
type recorded struct {
	tool, path string
	arguments  []string
	document   []byte
}

func recordings(t testing.TB) []recorded {
	t.Helper()
	var all []recorded
	for _, given := range answered {
		paths, err := filepath.Glob(filepath.Join(given.folder, "*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no recorded answers in %s: %v", given.folder, err)
		}
		for _, path := range paths {
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, recorded{given.tool, path, given.arguments, document})
		}
	}
	return all
}

// R-HAND-7, R-ERR-4: whatever a name or value of a resource server's answer contains, the text and the structured
// output have the same tokens and continuations as with a harmless word in its place, and no character that breaks a
// line or is invisible.
func TestDataForgesNothing(t *testing.T) {
	timetest.WithoutRace(t)
	tried := 0
	for number, answer := range recordings(t) {
		for i, arguments := range answer.arguments {
			t.Run(fmt.Sprintf("%s/%s/%d", answer.tool, filepath.Base(answer.path), i), func(t *testing.T) {
				for turn, at := range places(t, answer.document) {
					if turn%len(answer.arguments) != i { // the ways to ask share the places
						continue
					}
					for _, text := range textsFor(at, turn+number+i) {
						if at.isName && slices.Contains(*at.siblings, text) {
							continue // the first of two members of one name counts
						}
						tried++
						if forges(t, answer.tool, arguments, answer.document, at, text) {
							return
						}
					}
				}
			})
		}
	}
	if t.Logf("%d texts were planted", tried); tried < 3_000 {
		t.Error("that is too few")
	}
}

// R-HAND-7: the same for any text, in any place of any answer.
func FuzzForgery(f *testing.F) {
	answers := recordings(f)
	for i, text := range append(slices.Clone(hostile), ownNames...) {
		f.Add(uint(i), uint(7*i), text)
	}
	f.Fuzz(func(t *testing.T, which, where uint, text string) {
		if len(text) > 80 {
			return // longer texts are cut at other places than their twins
		}
		answer := answers[which%uint(len(answers))]
		all := places(t, answer.document)
		at := all[where%uint(len(all))]
		if at.isName && slices.Contains(*at.siblings, text) {
			return
		}
		for _, arguments := range answer.arguments {
			forges(t, answer.tool, arguments, answer.document, at, text)
		}
	})
}

// textsFor returns the texts that are planted in a place: they come by turns, so that every text meets every kind of
// place, and in the name of a field those of the adapter's tokens as well. FuzzForgery has no turns.
func textsFor(at place, turn int) []string {
	texts := []string{hostile[turn%len(hostile)]}
	if at.isField {
		texts = append(texts, ownNames[turn%len(ownNames)])
	}
	return texts
}

// forges plants a text and its harmless twin, and compares what a reader finds.
func forges(t *testing.T, name, arguments string, document []byte, at place, text string) bool {
	t.Helper()
	harmless := twin(text)
	fromData := []string{harmless, "expanded." + harmless}
	if !slices.Contains(ownNames, text) {
		fromData = append(fromData, text, "expanded."+text)
	}
	got := outlineOf(t, name, arguments, parrot{body: at.planted(document, text)}, fromData...)
	want := outlineOf(t, name, arguments, parrot{body: at.planted(document, harmless)}, fromData...)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%q at byte %d (%.60q): (-harmless +hostile)\n%s", text, at.start, document[at.start:at.end], diff)
		return true
	}
	return false
}

// outline has the parts of a result on which a reader relies: the tokens and calls of each line of its text, and the
// continuations of its structured output.
type outline struct {
	Lines []string
	Calls []string
}

func outlineOf(t *testing.T, name, arguments string, reader rs.Reader, fromData ...string) outline {
	t.Helper()
	result, err := definition(t, name).Run(t.Context(), tool.Env{RS: reader}, json.RawMessage(arguments))
	if err != nil {
		result = tool.Failed(err)
	}
	return outline{linesOf(t, name, result, fromData), structuredCalls(t, result.Structured)}
}

func definition(t *testing.T, name string) tool.Definition {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name == name {
			return definition
		}
	}
	t.Fatalf("no tool %s", name)
	return tool.Definition{}
}

// linesOf outlines the text: JSON by its members, a window's head, or all lines.
func linesOf(t *testing.T, name string, result *tool.Result, fromData []string) []string {
	t.Helper()
	if result.IsError || name == "fetch" {
		if !json.Valid([]byte(result.Text)) {
			t.Errorf("the text of %s is no JSON: %.200q", name, result.Text)
		}
		if at := strings.IndexFunc(result.Text, unseen); at >= 0 && result.IsError {
			t.Errorf("the error holds an unseen character: %.80q", result.Text[at:])
		}
		return nil // structuredCalls reads the same
	}
	text := result.Text
	if name == "read_record_field" {
		head, window, found := golden.Marked(text)
		if !found || window != golden.Visible(windowText(t, result.Structured)) {
			t.Errorf("what follows the head is not the window: %.200q", text)
		}
		text = strings.TrimSuffix(head, "\n\n")
	}
	if at := strings.IndexFunc(text, unseen); at >= 0 {
		t.Errorf("the text holds an unseen character: %.80q", text[at:])
	}
	var lines []string
	for _, words := range blind.Grammar(text) {
		lines = append(lines, wordsOf(words, fromData))
	}
	return lines
}

func windowText(t *testing.T, structured json.RawMessage) string {
	t.Helper()
	var result struct {
		Window struct {
			Text string `json:"text"`
		} `json:"window"`
	}
	if err := json.Unmarshal(structured, &result); err != nil {
		t.Errorf("structured output: %v", err)
	}
	return result.Window.Text
}

// unseen are the characters that are invisible, or that some readers take for a line break.
func unseen(r rune) bool {
	return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// wordsOf names the words of a line. All names of the data are one: those in quotes, and plain ones that are
// known to come from there and that the adapter does not use.
func wordsOf(words []blind.Word, fromData []string) string {
	var named []string
	for _, word := range words {
		switch {
		case word.IsCall:
			named = append(named, "call "+word.Name+" "+memberNames(json.RawMessage(word.Value)))
		case word.Quoted || slices.Contains(fromData, word.Name):
			named = append(named, "(data)")
		default:
			named = append(named, word.Name)
		}
	}
	return strings.Join(named, " ")
}

// structuredCalls returns the continuations in structured output, fetch's in its metadata.
func structuredCalls(t *testing.T, structured json.RawMessage) []string {
	t.Helper()
	type calls []struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var result struct {
		Next     calls `json:"next"`
		Previous calls `json:"previous"`
		Metadata struct {
			Next calls `json:"next"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(structured, &result); err != nil {
		t.Errorf("structured output: %v: %.200s", err, structured)
	}
	var named []string
	for _, call := range slices.Concat(result.Next, result.Previous, result.Metadata.Next) {
		named = append(named, call.Tool+" "+memberNames(call.Arguments))
	}
	return named
}

func memberNames(object json.RawMessage) string {
	members, err := rawjson.ReadMembers(object)
	if err != nil {
		return "not an object"
	}
	var names []string
	for _, member := range members {
		names = append(names, member.Name)
	}
	return strings.Join(names, ",")
}

// R-HAND-7: a server that writes its JSON over many lines adds none to the text.
func TestSpacesBetweenTokensForgeNothing(t *testing.T) {
	for _, answer := range recordings(t) {
		var spaced, compact bytes.Buffer
		if err := json.Indent(&spaced, answer.document, "\r\n", "\t"); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&compact, answer.document); err != nil {
			t.Fatal(err)
		}
		for _, arguments := range answer.arguments {
			want := outlineOf(t, answer.tool, arguments, parrot{body: compact.Bytes()})
			got := outlineOf(t, answer.tool, arguments, parrot{body: spaced.Bytes()})
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-compact +spaced):\n%s", answer.path, arguments, diff)
			}
		}
	}
}

// R-ERR-1: the words of a refusal stay inside one JSON object.
func TestRefusalsForgeNothing(t *testing.T) {
	refusal := []byte(`{"type":"t","code":"c","message":"m","param":"p","available_connections":[{"connection_id":"i",` +
		`"display_name":"d"}],"hint":"h"}`)
	for _, at := range places(t, refusal) {
		for _, text := range hostile {
			for _, definition := range gen.Surface().Tools {
				arguments := map[string]string{
					"schema": `{}`, "query_records": `{"stream":"s"}`, "aggregate": `{"stream":"s","metric":"count"}`,
					"search": `{"q":"q"}`,
					"fetch":  `{"id":"s:1"}`, "read_record_field": `{"id":"s:1","field_path":"f"}`,
				}[definition.Name]
				outlineOf(t, definition.Name, arguments, parrot{body: at.planted(refusal, text), status: 400})
			}
		}
	}
}
