package resource_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

const windowOf = "/v1/streams/messages/records/p-005/field-window?field="

func TestFieldWindows(t *testing.T) {
	f := newFixture(t)
	body := f.get(personalToken, "/v1/streams/messages/records/p-005").text("data.body")
	total := utf8.RuneCountInString(body)
	match := strings.Index(body, "overdraft") // everything before it is ASCII
	for query, want := range map[string]string{
		"body": fmt.Sprintf(
			`complete=true has_more=false start=0 end=%d next=<nil> previous=<nil> match=<nil>-<nil> limit=4096`, total),
		"body&offset_chars=10&limit_chars=20": `complete=false has_more=true start=10 end=30 next=30 ` +
			`previous=0 match=<nil>-<nil> limit=20`,
		"body&offset_chars=100&limit_chars=50": `complete=false has_more=true start=100 end=150 next=150 ` +
			`previous=50 match=<nil>-<nil> limit=50`,
		"body&limit_chars=1000000": fmt.Sprintf(
			`complete=true has_more=false start=0 end=%d next=<nil> previous=<nil> match=<nil>-<nil> limit=16384`, total),
		"body&offset_chars=999999": fmt.Sprintf(
			`complete=false has_more=false start=%d end=%[1]d next=<nil> previous=0 match=<nil>-<nil> limit=4096`, total),
		"body&q=OVERDRAFT&before_chars=20&after_chars=30": fmt.Sprintf(`complete=false has_more=true start=%d end=%d `+
			`next=%[2]d previous=%d match=%d-%d limit=59`, match-20, match+39, match-79, match, match+9),
		"body&q=overdraft&limit_chars=9": fmt.Sprintf(
			`complete=false has_more=true start=%d end=%d next=%[2]d previous=%d match=%[1]d-%[2]d limit=9`, match,
			match+9, match-9),
		"body&bogus=1&q=z%C3%BCrich": fmt.Sprintf(`complete=false has_more=false start=%d end=%d `+
			`next=<nil> previous=0 match=%[1]d-%[3]d limit=4096`, match+strings.Index(body[match:], "Zürich"), total,
			match+strings.Index(body[match:], "Zürich")+6),
	} {
		a := f.get(personalToken, windowOf+query)
		got := fmt.Sprintf("complete=%v has_more=%v start=%v end=%v next=%v previous=%v match=%v-%v limit=%v",
			a.at("window.complete"), a.at("window.has_more"), a.at("window.start_chars"), a.at("window.end_chars"),
			a.at("window.next_offset_chars"), a.at("window.previous_offset_chars"),
			a.at("window.match_start_chars"), a.at("window.match_end_chars"), a.at("window.limit_chars"))
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
		start, end := int(a.at("window.start_chars").(float64)), int(a.at("window.end_chars").(float64))
		if text := string([]rune(body)[start:end]); text != a.text("window.text") {
			t.Errorf("%s: text is %q, want %q", query, a.text("window.text"), text)
		}
	}
	f.get(personalToken, windowOf+"body&limit_chars=1000000").want("meta.warnings.0.code", `"limit_clamped"`)
	f.get(personalToken, windowOf+"body&q=overdraft&before_chars=8192&after_chars=8192").want("window.limit_chars",
		"16384")
	f.get(personalToken, windowOf+"body").want("field", `{"path":"body","type":"string"}`)
}

// Starts count code points, ends add the UTF-16 length of what lies between, as captures 623, 624 and 934 have it.
func TestFieldWindowsCountAsRealServersDo(t *testing.T) {
	f := newFixture(t)
	const window = "/v1/streams/messages/records/shared/field-window?field=subject&"
	a := f.get(personalToken, window+"limit_chars=3")
	a.want("window.text", `"😀 e"`)
	a.want("window.next_offset_chars", "4")
	f.get(personalToken, window+"limit_chars=3&offset_chars=1").want("window.next_offset_chars", "4")
	a = f.get(personalToken, window+"q=EMOJI&before_chars=1&after_chars=2")
	a.want("window.text", `" emoji s"`)
	a.want("window.match_start_chars", "2")
	a.want("window.match_end_chars", "7")
}

// Following next_offset_chars reads the whole text, and no part of it twice.
func TestFieldWindowsJoinToTheField(t *testing.T) {
	f := newFixture(t)
	body := f.get(personalToken, "/v1/streams/messages/records/p-005").text("data.body")
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(100, 1000).Draw(t, "limit")
		var text strings.Builder
		for offset := any(0.0); offset != nil; {
			a := f.get(personalToken, fmt.Sprintf("%sbody&limit_chars=%d&offset_chars=%v", windowOf, limit, offset))
			text.WriteString(a.text("window.text"))
			offset = a.at("window.next_offset_chars")
		}
		if text.String() != body {
			t.Errorf("windows of %d join to %q", limit, text.String())
		}
	})
}

func TestFieldWindowRefusals(t *testing.T) {
	f := newFixture(t)
	for query, want := range map[string]struct {
		token, kind, code string
		status            int
	}{
		"":                            {personalToken, "invalid_request_error", "invalid_field_path", 400},
		"nope":                        {personalToken, "permission_error", "field_not_granted", 403},
		"body":                        {narrowToken, "permission_error", "field_not_granted", 403},
		"size_bytes":                  {personalToken, "api_error", "field_not_text", 422},
		"labels":                      {personalToken, "api_error", "field_not_text", 422},
		"body&limit_chars=0":          {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&limit_chars=abc":        {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&offset_chars=-5":        {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&q=fee&offset_chars=5":   {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&q=fee&after_chars=8193": {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&q=":                     {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&before_chars=5":         {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&q=fee&after_chars=-1":   {personalToken, "invalid_request_error", "invalid_window", 400},
		"body&q=" + url.QueryEscape("not in there"): {personalToken, "not_found_error", "query_not_found", 404},
	} {
		a := f.send("GET", want.token, strings.Replace(windowOf, "p-005", "p-010", 1)+query, "")
		if a.Code != want.status || a.text("error.code") != want.code || a.text("error.type") != want.kind {
			t.Errorf("%q: answered %d %s, want %d %s", query, a.Code, a.Body, want.status, want.code)
		}
	}
	a := f.send("GET", personalToken,
		"/v1/streams/messages/records/shared/field-window?field=body&connection_id="+personal, "")
	if !strings.Contains(a.text("error.message"), "is null") {
		t.Errorf("a null field: %s", a.Body)
	}
}
