package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// utf16Ends is a server that cuts windows by code points and adds their UTF-16 lengths, like captures 934 to 934c. Its
// has_more follows the true end or the wrong one.
type utf16Ends struct {
	text       []rune
	byWrongEnd bool
	asked      []string
}

func (u *utf16Ends) ProviderURL() string { return provider }

func (u *utf16Ends) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	u.asked = append(u.asked, request.Query.Encoded())
	number := func(name string, otherwise int) int {
		sent, _ := request.Query.Get(name)
		if parsed, err := strconv.Atoi(sent); err == nil {
			return parsed
		}
		return otherwise
	}
	start, limit := min(number("offset_chars", 0), len(u.text)), number("limit_chars", 4096)
	q, _ := request.Query.Get("q")
	match := strings.Index(strings.ToLower(string(u.text)), strings.ToLower(q))
	if q != "" {
		if match < 0 {
			return nil, &rs.Error{
				Status: http.StatusNotFound, Type: "not_found_error", Code: "query_not_found",
				Message: "not found", Request: request, URL: provider,
			}
		}
		match = len([]rune(string(u.text)[:match]))
		start = max(0, match-number("before_chars", 0))
		limit = match - start + len([]rune(q)) + number("after_chars", limit)
	}
	trueEnd := min(start+limit, len(u.text))
	shown := u.text[start:trueEnd]
	end := start + len(utf16.Encode(shown))
	more := trueEnd < len(u.text)
	if u.byWrongEnd {
		more = end < len(u.text)
	}
	window := map[string]any{
		"text": string(shown), "start_chars": start, "end_chars": end, "total_chars": len(u.text), "limit_chars": limit,
		"complete": start == 0 && !more, "has_more": more, "next_offset_chars": nil, "previous_offset_chars": nil,
	}
	if more {
		window["next_offset_chars"] = end
	}
	if q != "" {
		window["match_start_chars"], window["match_end_chars"] = match, match+len(utf16.Encode([]rune(q)))
	}
	if start > 0 {
		window["previous_offset_chars"] = max(0, start-limit)
	}
	body, err := json.Marshal(map[string]any{"object": "field_window", "window": window})
	if err != nil {
		return nil, err
	}
	return rs.Response{Status: http.StatusOK, Request: request, URL: provider}.WithBody(body)
}

// shownWindow is the members of a structured window that a model reads.
type shownWindow struct {
	Window struct {
		Text       string `json:"text"`
		Start      int    `json:"start_chars"`
		End        int    `json:"end_chars"`
		MatchStart int    `json:"match_start_chars"`
		MatchEnd   *int   `json:"match_end_chars"`
		HasMore    bool   `json:"has_more"`
		Complete   bool   `json:"complete"`
		Next       *int   `json:"next_offset_chars"`
	} `json:"window"`
	Note  string `json:"note"`
	Calls []call `json:"next"`
}

func windowOf(t fataler, result *tool.Result) shownWindow {
	var shown shownWindow
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

// R-WIN-1, R-BUD-1: the calls of either channel, or the offsets of structured output, lead to the exact text of the
// field, with any characters and with wrong ends of the server.
func TestWindowsJoinToTheField(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab é\n😀🇨🇭𝒳\u200d")), 0, 60, -1)
	definition := toolNamed(t, "read_record_field")
	rapid.Check(t, func(t *rapid.T) {
		server := &utf16Ends{text: []rune(text.Draw(t, "text")), byWrongEnd: rapid.Bool().Draw(t, "byWrongEnd")}
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		by := rapid.SampledFrom([]string{"text", "structured", "offset", "cursor"}).Draw(t, "by")
		first := fmt.Sprintf(`{"id":"cin_1/s:1","field_path":"f","limit_chars":%d`, limit)
		read := ""
		for arguments := first + "}"; arguments != ""; {
			result, err := definition.Run(t.Context(), tool.Env{RS: server}, json.RawMessage(arguments))
			if err != nil {
				t.Fatal(err)
			}
			shown := windowOf(t, result)
			_, inText, _ := golden.Marked(result.Text)
			if inText != golden.Visible(shown.Window.Text) ||
				shown.Window.End-shown.Window.Start != len([]rune(shown.Window.Text)) {
				t.Fatalf("text %q, structured %+v", inText, shown.Window)
			}
			read, arguments = read+shown.Window.Text, ""
			switch calls := shown.Calls; {
			case shown.Window.HasMore != (shown.Window.Next != nil) || shown.Window.HasMore != (len(calls) > 0):
				t.Fatalf("has_more differs from the calls: %s", result.Structured)
			case len(calls) == 0:
			case by == "text":
				_, line, _ := strings.Cut(result.Text, "\nnext: read_record_field ")
				arguments, _, _ = strings.Cut(line, "\n")
			case by == "structured":
				arguments = string(calls[0].Arguments)
			case by == "offset":
				arguments = fmt.Sprintf(`%s,"offset_chars":%d}`, first, *shown.Window.Next)
			default:
				arguments = fmt.Sprintf(`%s,"cursor":"%d"}`, first, *shown.Window.Next)
			}
			if len(server.asked) > len(server.text)+1 {
				t.Fatalf("%d reads of %d characters", len(server.asked), len(server.text))
			}
		}
		if read != string(server.text) {
			t.Fatalf("by %s: read %q of %q", by, read, string(server.text))
		}
	})
}

// R-WIN-1, R-WIN-4: both channels correct the ends of a real server, and say what it does not.
func TestCapturedWindows(t *testing.T) {
	const record = `{"id":"cin_1/message_bodies:p-msg-005","field_path":"body_text"`
	const firstOnly = "The provider finds only the first match of q."
	for name, want := range map[string]struct {
		arguments      string // behind the record and the field
		next           string
		end, matchEnd  int
		hasMore        bool
		note, notEnded string
	}{
		"934-fw-emoji-window": {
			`,"offset_chars":5440,"limit_chars":12}`,
			`,"offset_chars":5452,"limit_chars":12}`, 5452, 0, true, "", "ends here",
		},
		"934c-fw-continue-from-code-points": {
			`,"offset_chars":5452,"limit_chars":12}`,
			`,"offset_chars":5464,"limit_chars":12}`, 5464, 0, true, "", "ends here",
		},
		"930b-fw-second": {
			`,"offset_chars":4096,"limit_chars":4096}`,
			`,"offset_chars":8192,"limit_chars":4096}`, 8192, 0, true, "", "ends here",
		},
		"930c-fw-last-window": {
			`,"offset_chars":9225,"limit_chars":100}`, "", 9285, 0, false,
			"The field ends here.", "",
		},
		"930d-fw-offset-exactly-end": {
			`,"offset_chars":9285,"limit_chars":100}`, "", 9285, 0, false,
			"The field has 9285 characters: this offset is at or past its end.", "",
		},
		"930e-fw-offset-beyond-end": {
			`,"offset_chars":10285,"limit_chars":100}`, "", 9285, 0, false,
			"The field has 9285 characters: this offset is at or past its end.", "",
		},
		"932-fw-q-first": {
			`,"q":"needle","before_chars":10,"after_chars":20}`, `,"offset_chars":41}`, 41,
			21, true, firstOnly, "ends here",
		},
		"932i-fw-q-emoji-after": {
			`,"q":"😀","before_chars":6,"after_chars":6}`, `,"offset_chars":5454}`, 5454,
			5447, true, firstOnly, "ends here",
		},
		"932o-fw-q-after-emoji": {
			`,"q":"Third needle","before_chars":5,"after_chars":5}`,
			`,"offset_chars":9278}`, 9278, 9273, true, firstOnly, "ends here",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, oneCapture{t, name}, "read_record_field", record+want.arguments)
			shown := windowOf(t, result)
			for channel, calls := range map[string][]call{
				"text":       textCalls(t, result.Text, "next"),
				"structured": structuredCalls(t, result.Structured),
			} {
				if want.next == "" && len(calls) > 0 || want.next != "" &&
					(len(calls) != 1 || string(calls[0].Arguments) != record+want.next) {
					t.Errorf("%s continues with %s, want %s", channel, calls, want.next)
				}
			}
			if shown.Window.End != want.end || shown.Window.HasMore != want.hasMore || want.matchEnd > 0 &&
				*shown.Window.MatchEnd != want.matchEnd {
				t.Errorf("window is %+v", shown.Window)
			}
			if said := fmt.Sprintf("end_chars=%d ", want.end); !strings.Contains(result.Text, said) {
				t.Errorf("the text lacks %s", said)
			}
			for channel, said := range map[string]string{"text": result.Text, "structured": shown.Note} {
				if !strings.Contains(said, want.note) || want.notEnded != "" && strings.Contains(said, want.notEnded) {
					t.Errorf("%s says %.400q, want %q", channel, said, want.note)
				}
			}
		})
	}
}

// R-WIN-4: after a window around a match both channels have the next place of the words and the call that reads it.
func TestFurtherMatches(t *testing.T) {
	pieces := []string{"needle", "NEEDLE", "need", "le", "é😀", strings.Repeat("x", 9000), strings.Repeat("😀", 12)}
	for _, each := range [][]int{ // of pieces
		{0, 0},
		{1, 3},
		{4, 5, 0},
		{2, 3},
		{5, 5, 1, 0, 5, 0},
		{5, 5, 5},
		{6, 0, 6, 2, 6, 3},
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{4, 2, 3, 4},
	} {
		text := "needle"
		for _, piece := range each {
			text += pieces[piece]
		}
		for after := range 8 {
			t.Run(fmt.Sprint(each, after), func(t *testing.T) { checkFurtherMatches(t, []rune(text), after) })
		}
	}
}

// R-WIN-4: words are found in a field whatever their normalization and white space, also where the resource server
// compares characters.
func TestUnfoundWords(t *testing.T) {
	long := strings.Repeat("x", 16_380) // the match begins in one window and ends in the next
	for _, test := range []struct{ text, q, window string }{
		{"😀 one Cafe\u0301 two Cafe\u0301", "Caf\u00e9", "e Cafe\u0301 tw"},
		{"Caf\u00e9 noir", "cafe\u0301 NOIR", "Caf\u00e9 noir"},
		{"one two\n\t three", "two three", "e two\n\t three"},
		{long + " two\u00a0\nthree four", "two three", "x two\u00a0\nthree fo"},
		{long + long + " two\u2003three", "two three", "x two\u2003three"},
	} {
		server := &utf16Ends{text: []rune(test.text)}
		arguments := fmt.Sprintf(`{"id":"cin_1/s:1","field_path":"f","q":%q,"before_chars":2,"after_chars":3}`, test.q)
		shown := windowOf(t, run(t, server, "read_record_field", arguments))
		matched := string(server.text[shown.Window.MatchStart:*shown.Window.MatchEnd])
		if shown.Window.Text != test.window || !strings.Contains(test.window, matched) || len(matched) < len(test.q)-1 {
			t.Errorf("%q in %.40q: %+v, match %q", test.q, test.text, shown.Window, matched)
		}
	}
	_, err := toolNamed(t, "read_record_field").Run(t.Context(), tool.Env{RS: &utf16Ends{text: []rune(long + long)}},
		json.RawMessage(`{"id":"cin_1/s:1","field_path":"f","q":"Caf\u00e9"}`))
	if refused, ok := errors.AsType[*rs.Error](err); !ok || refused.Code != "query_not_found" {
		t.Errorf("words that do not occur: %v", err)
	}
}

// checkFurtherMatches reads the first match of needle with a number of characters after it, and then the next
// matches: each of the first five has a call, or is shown by the one before (R-WIN-4).
func checkFurtherMatches(t *testing.T, text []rune, after int) {
	t.Helper()
	server := &utf16Ends{text: text}
	result := run(t, server, "read_record_field",
		fmt.Sprintf(`{"id":"cin_1/s:1","field_path":"f","q":"Needle","before_chars":3,"after_chars":%d}`, after))
	shown := windowOf(t, result)
	place := 0 // of the first match that the window does not show whole
	var offsets []string
	for at := 6; at+6 <= len(text); at++ {
		if strings.EqualFold(string(text[at:at+6]), "needle") {
			if offsets = append(offsets, strconv.Itoa(at)); place == 0 && at+6 > shown.Window.End {
				place = at
			}
			at += 5
		}
	}
	want := ""
	switch {
	case len(offsets) == 1:
		want = "q occurs again at offset_chars " + offsets[0] + "."
	case len(offsets) > 1:
		want = fmt.Sprintf("q occurs again %d times at offset_chars %s.", len(offsets), strings.Join(offsets, ", "))
	case shown.Window.HasMore:
		want = "q does not occur again."
	}
	if said := strings.TrimSuffix(shown.Note, " The field ends here."); said != want &&
		(want != "" || shown.Note != "The field ends here.") {
		t.Fatalf("the note is %q, want %q", shown.Note, want)
	}
	calls := structuredCallsOf(t, result.Structured, "next_match")
	if (len(calls) > 0) != (place > 0) || fmt.Sprint(calls) != fmt.Sprint(textCalls(t, result.Text, "next_match")) ||
		!strings.Contains(result.Text, shown.Note) {
		t.Fatalf("the next match is read by %s", calls)
	}
	windows := []shownWindow{shown}
	for _, call := range calls {
		read := windowOf(t, run(t, server, "read_record_field", string(call.Arguments)))
		next := []rune(read.Window.Text)
		if !strings.EqualFold(string(next[3:9]), "needle") || len(next) > 9+after {
			t.Fatalf("%s reads %q", call.Arguments, read.Window.Text)
		}
		windows = append(windows, read)
	}
	for _, offset := range offsets {
		at, _ := strconv.Atoi(offset)
		isShown := func(w shownWindow) bool { return w.Window.Start <= at && at+6 <= w.Window.End }
		if len(calls) < 5 && !slices.ContainsFunc(windows, isShown) {
			t.Fatalf("no call reads the match at %d: %s", at, calls)
		}
	}
}

// R-WIN-4: the first twenty further matches are listed, with the number of all that were found and the place where the
// search ended.
func TestManyFurtherMatches(t *testing.T) {
	server := &utf16Ends{text: []rune(strings.Repeat("needle ", 30) + strings.Repeat("x", 200_000) + "needle")}
	shown := windowOf(t, run(t, server, "read_record_field",
		`{"id":"cin_1/s:1","field_path":"f","q":"needle","after_chars":10}`))
	const begins, ends = "q occurs again 29 times up to offset_chars 1", ", where the search ended, first at " +
		"offset_chars 7, 14,"
	if !strings.HasPrefix(shown.Note, begins) || !strings.Contains(shown.Note, ends) ||
		strings.Count(shown.Note, ",") != 21 {
		t.Errorf("the note is %q", shown.Note)
	}
	if len(server.asked) != 9 {
		t.Errorf("%d reads", len(server.asked))
	}
}

// oneCapture is a reader that answers every read with one capture.
type oneCapture struct {
	t    *testing.T
	name string
}

func (r oneCapture) ProviderURL() string { return provider }

func (r oneCapture) Get(context.Context, rs.Request) (*rs.Response, error) {
	for _, capture := range captures(r.t) {
		if capture.name == r.name {
			return capture.read(r.t)
		}
	}
	return nil, fmt.Errorf("no capture %s", r.name)
}

// R-WIN-4: cursor is a decimal offset and is sent as one. Other values are refused before a request is sent.
func TestTheCursorOfAWindowIsAnOffset(t *testing.T) {
	server := &utf16Ends{text: []rune("some text of a field")}
	result := run(t, server, "read_record_field", `{"id":"cin_1/s:1","field_path":"f","cursor":"5"}`)
	if want := "connection_id=cin_1&field=f&offset_chars=5"; len(server.asked) != 1 || server.asked[0] != want {
		t.Errorf("the server saw %q, want %s", server.asked, want)
	}
	if _, content, _ := golden.Marked(result.Text); content != "text of a field" {
		t.Errorf("the text is\n%s", result.Text)
	}
	for _, cursor := range []string{
		"", " ", "garbage", "-1", "+1", "10.5", "1e3", " 5", "0x10",
		"99999999999999999999", "٥",
	} {
		arguments, err := json.Marshal(map[string]string{"id": "cin_1/s:1", "field_path": "f", "cursor": cursor})
		if err != nil {
			t.Fatal(err)
		}
		var refused *tool.Error
		_, err = toolNamed(t, "read_record_field").Run(t.Context(), tool.Env{RS: server}, arguments)
		if !errors.As(err, &refused) || refused.Code != tool.InvalidFieldWindowSelector || refused.Param != "cursor" {
			t.Errorf("%q gives %v", cursor, err)
		}
	}
	if len(server.asked) != 1 {
		t.Errorf("the server saw %q", server.asked[1:])
	}
}

// R-WIN-1: the previous window ends where this one starts, and no call has a length that the caller did not request.
func TestWindowsDoNotOverlap(t *testing.T) {
	for _, test := range []struct{ arguments, window, next, previous string }{
		{
			``, `"start_chars":1000,"end_chars":5096,"next_offset_chars":5096,"previous_offset_chars":0`, `"offset_chars":5096`,
			`"offset_chars":0,"limit_chars":1000`,
		},
		{
			``, `"start_chars":5000,"end_chars":9096,"next_offset_chars":9096,"previous_offset_chars":904`,
			`"offset_chars":9096`, `"offset_chars":904`,
		},
		{
			`,"limit_chars":100`, `"start_chars":30,"end_chars":130,"next_offset_chars":130,"previous_offset_chars":0`,
			`"limit_chars":100,"offset_chars":130`, `"limit_chars":30,"offset_chars":0`,
		},
		{
			`,"limit_chars":1e2`, `"start_chars":300,"end_chars":400,"next_offset_chars":400,"previous_offset_chars":200`,
			`"limit_chars":1e2,"offset_chars":400`, `"limit_chars":100,"offset_chars":200`,
		},
		{
			``, `"start_chars":40000,"end_chars":40010,"previous_offset_chars":0`, ``,
			`"offset_chars":23616,"limit_chars":16384`,
		},
	} {
		arguments := `{"id":"cin_1/s:1","field_path":"f"` + test.arguments + `}`
		result, err := readWindow(t.Context(), env, responded("/w", `{"window":{"text":"",`+test.window+`}}`),
			record.FieldWindowInput{Call: given("read_record_field", arguments), Target: target, FieldPath: "f"})
		if err != nil {
			t.Fatal(err)
		}
		for word, want := range map[string]string{"next": test.next, "previous": test.previous} {
			for channel, calls := range map[string][]call{
				"text":       textCalls(t, result.Text, word),
				"structured": structuredCallsOf(t, result.Structured, word),
			} {
				if want == "" && len(calls) == 0 {
					continue
				}
				if whole := `{"id":"cin_1/s:1","field_path":"f",` + want + `}`; len(calls) != 1 ||
					string(calls[0].Arguments) != whole {
					t.Errorf("%s: %s in %s is %s, want %s", arguments, word, channel, calls, whole)
				}
			}
		}
	}
}
