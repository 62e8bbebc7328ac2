package recordid_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// R-HAND-2, R-HAND-3: both forms are read, with the record id byte for byte.
func TestParse(t *testing.T) {
	tests := []struct {
		id   string
		want recordid.Handle
	}{
		{"cin_1/messages:m1", recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}},
		{"messages:m1", recordid.Handle{Stream: "messages", RecordID: "m1"}},
		{
			"cin_1/attachments:p-msg-010:2",
			recordid.Handle{ConnectionID: "cin_1", Stream: "attachments", RecordID: "p-msg-010:2"},
		},
		{
			`cin_1/days:["user_123","2026-04-01"]`,
			recordid.Handle{ConnectionID: "cin_1", Stream: "days", RecordID: `["user_123","2026-04-01"]`},
		},
		{`days:["quo\"ted","a b","ü"]`, recordid.Handle{Stream: "days", RecordID: `["quo\"ted","a b","ü"]`}},
		{`s: leading and trailing `, recordid.Handle{Stream: "s", RecordID: " leading and trailing "}},
		{`s:a..b`, recordid.Handle{Stream: "s", RecordID: "a..b"}},
		{`s:%2e%2e`, recordid.Handle{Stream: "s", RecordID: "%2e%2e"}},
	}
	for _, test := range tests {
		got, err := recordid.Parse(test.id)
		if err != nil {
			t.Errorf("%s: %v", test.id, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.id, diff)
		}
		if !got.CanFormat() || got.String() != test.id {
			t.Errorf("%s is written as %s (can format: %t)", test.id, got, got.CanFormat())
		}
	}
}

// R-HAND-5, R-ARG-7: an invalid handle is refused with the reason.
func TestParseRefuses(t *testing.T) {
	tests := []struct {
		id   string
		said string // before its next step
	}{
		{"", "id must not be empty"},
		{"m1", "id has no colon between stream and record id"},
		{"cin_1/messages", "id has no colon between stream and record id"},
		{"https://example.com/a:b", "id is a URL"},
		{"pdpp://record/abc", "id is a URL"},
		{"/messages:m1", "connection id must not be empty"},
		{"cin_1/:m1", "stream must not be empty"},
		{":m1", "stream must not be empty"},
		{"cin_1/messages:", "record id must not be empty"},
		{"messages:", "record id must not be empty"},
		{"a/b/messages:m1", "stream must not hold a slash"},
		{"cin_1/messages:a/b", "record id must not hold a slash"},
		{"cin_1//messages:a", "stream must not hold a slash"},
		{"messages:a/b", "connection id must not hold a colon, and a record id no slash"},
		{"messages:a/b:c", "connection id must not hold a colon, and a record id no slash"},
		{`cin\1/messages:m1`, "connection id must not hold a backslash"},
		{`mess\ages:m1`, "stream must not hold a backslash"},
		{"../messages:m1", `connection id must not be "." or ".."`},
		{"./messages:m1", `connection id must not be "." or ".."`},
		{"cin..1/messages:m1", `connection id must not hold ".."`},
		{"cin_1/..:m1", `stream must not be "." or ".."`},
		{"cin_1/.:m1", `stream must not be "." or ".."`},
		{"cin_1/a..b:m1", `stream must not hold ".."`},
		{"messages:..", `record id must not be "." or ".."`},
		{"messages:.", `record id must not be "." or ".."`},
		{`messages:a\..\b`, `record id must not hold ".." next to a backslash`},
		{`messages:..\b`, `record id must not hold ".." next to a backslash`},
		{"messages:a\nb", "record id must not hold control characters"},
		{"messages:a\x7f", "record id must not hold control characters"},
		{"messages:a\u0085", "record id must not hold control characters"},
		{"mess\x00ages:a", "stream must not hold control characters"},
		{"messages:\xff", "record id must be valid UTF-8"},
	}
	for _, test := range tests {
		handle, err := recordid.Parse(test.id)
		var refused *recordid.Error
		if !errors.As(err, &refused) {
			t.Errorf("%q: got %+v and %v, want an error", test.id, handle, err)
			continue
		}
		if said, _, _ := strings.Cut(refused.Error(), "; "); said != test.said {
			t.Errorf("%q: %s, want %s", test.id, said, test.said)
		}
	}
}

// R-HAND-1: a handle that Parse would read differently is not formatted.
func TestCanFormat(t *testing.T) {
	for _, handle := range []recordid.Handle{
		{ConnectionID: "a/b", Stream: "messages", RecordID: "m1"},
		{ConnectionID: "a:b", Stream: "messages", RecordID: "m1"},
		{ConnectionID: "..", Stream: "messages", RecordID: "m1"},
		{Stream: "mess:ages", RecordID: "m1"},
		{Stream: "", RecordID: "m1"},
		{Stream: "messages", RecordID: ""},
		{Stream: "messages", RecordID: "https://example.com/a"},
		{ConnectionID: "cin_1", Stream: "messages", RecordID: "a://b"},
		{Stream: "https", RecordID: "//example.com"},
	} {
		if handle.CanFormat() {
			t.Errorf("%+v is formatted as %s", handle, handle)
		}
	}
}

// R-HAND-9: a record that no handle can name is named by its URI, which is read back unchanged.
func TestID(t *testing.T) {
	tests := []struct {
		handle recordid.Handle
		want   string
	}{
		{recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}, "cin_1/messages:m1"},
		{
			recordid.Handle{ConnectionID: "cin_github", Stream: "repositories", RecordID: "owner/repo"},
			"pdpp://record/cin_github%2Frepositories:owner%2Frepo",
		},
		{
			recordid.Handle{ConnectionID: "cin_github", Stream: "issues", RecordID: `["owner/repo",121]`},
			"pdpp://record/cin_github%2Fissues:%5B%22owner%2Frepo%22%2C121%5D",
		},
		{
			recordid.Handle{Stream: "pages", RecordID: "https://example.com/a?b#c"},
			"pdpp://record/pages:https:%2F%2Fexample.com%2Fa%3Fb%23c",
		},
		{ // which no self-contained id holds
			recordid.Handle{Stream: "mess:ages", RecordID: "m1"},
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"mess:ages","record_id":"m1"}`),
		},
	}
	for _, test := range tests {
		id := test.handle.ID()
		if id != test.want {
			t.Errorf("%+v is named %s, want %s", test.handle, id, test.want)
		}
		if uri, err := recordid.ParseURI(id); recordid.IsURI(id) && (err != nil || uri.Record != test.handle) {
			t.Errorf("%s is read as %+v (%v), want %+v", id, uri.Record, err, test.handle)
		}
	}
	for _, handle := range []recordid.Handle{
		{ConnectionID: "a/b", Stream: "messages", RecordID: "m1"},
		{Stream: "messages", RecordID: "../m1"},
		{Stream: "messages", RecordID: "m\n1"},
	} {
		if id := handle.ID(); id != "" {
			t.Errorf("%+v is named %s, want nothing", handle, id)
		}
	}
}

func drawHandle(t *rapid.T) recordid.Handle {
	return recordid.Handle{
		ConnectionID: rapid.OneOf(rapid.Just(""), rapid.String()).Draw(t, "connection id"),
		Stream:       rapid.StringMatching(`[a-zé_:/.\\-]{0,6}`).Draw(t, "stream"),
		RecordID: rapid.OneOf(rapid.String(), rapid.StringMatching(`\["[a-z ü\\".:-]*","[0-9-]*"\]`)).Draw(t,
			"record id"),
	}
}

// R-HAND-2, R-HAND-9: a handle that can be formatted is read back unchanged; otherwise its URI is.
func TestHandleRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		handle := drawHandle(t)
		id := handle.ID()
		if id == "" {
			return
		}
		got, err := recordid.Parse(id)
		if !handle.CanFormat() {
			var uri recordid.URI
			uri, err = recordid.ParseURI(id)
			got = uri.Record
		}
		if err != nil || got != handle {
			t.Fatalf("%+v became %+v (%v)", handle, got, err)
		}
	})
}

// R-HAND-5: a handle that Parse accepts can be formatted again, and cannot leave its path segment.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"cin_1/messages:m1", "s:r", `s:["a","b"]`, "../s:r", "a/b/c:d", "s:\\..",
		"https://x/y:z", ":", "/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		handle, err := recordid.Parse(id)
		if err != nil {
			var refused *recordid.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%q: an error of type %T", id, err)
			}
			return
		}
		if handle.String() != id || !handle.CanFormat() {
			t.Fatalf("%q became %+v", id, handle)
		}
		for _, segment := range []string{handle.ConnectionID, handle.Stream, handle.RecordID} {
			if strings.Contains(segment, "/") || segment == ".." || segment == "." {
				t.Fatalf("%q gives the segment %q", id, segment)
			}
		}
	})
}
