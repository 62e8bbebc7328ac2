package recordid_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

func token(object string) string { return base64.RawURLEncoding.EncodeToString([]byte(object)) }

// R-RES-1, R-HAND-3: the URIs of docs/interfaces.md, as this adapter and other PDPP tools write them.
func TestParseURI(t *testing.T) {
	number, text := int64(4096), "ü"
	record := recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}
	tests := []struct {
		uri  string
		want recordid.URI
	}{
		{"pdpp://stream/messages", recordid.URI{Kind: recordid.KindStream, Stream: "messages"}},
		{"pdpp://stream/a%20b", recordid.URI{Kind: recordid.KindStream, Stream: "a b"}},
		{"pdpp://record/cin_1%2Fmessages%3Am1", recordid.URI{Kind: recordid.KindRecord, Record: record}},
		{
			"pdpp://record/messages:m1",
			recordid.URI{Kind: recordid.KindRecord, Record: recordid.Handle{Stream: "messages", RecordID: "m1"}},
		},
		{ // R-HAND-9
			"pdpp://record/cin_1%2Fissues:%5B%22owner%2Frepo%22%2C121%5D",
			recordid.URI{
				Kind:   recordid.KindRecord,
				Record: recordid.Handle{ConnectionID: "cin_1", Stream: "issues", RecordID: `["owner/repo",121]`},
			},
		},
		{
			"pdpp://record/repositories%3Aowner%2Frepo:1",
			recordid.URI{Kind: recordid.KindRecord, Record: recordid.Handle{Stream: "repositories", RecordID: "owner/repo:1"}},
		},
		{
			"pdpp://record/days%3A%5B%22%C3%BC%22%2C%22a%20b%22%5D",
			recordid.URI{Kind: recordid.KindRecord, Record: recordid.Handle{Stream: "days", RecordID: `["ü","a b"]`}},
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","connection_id":"cin_1","stream":"messages","record_id":"m1"}`),
			recordid.URI{Kind: recordid.KindRecord, Record: record},
		},
		{
			"pdpp://record/" +
				token(`{"record_id":"m1","stream":"messages","connection_id":null,"kind":"record","v":1,"other":{}}`),
			recordid.URI{Kind: recordid.KindRecord, Record: recordid.Handle{Stream: "messages", RecordID: "m1"}},
		},
		{
			"pdpp://field-window/" + token(`{"v":1,"kind":"field-window","connection_id":"cin_1","stream":"messages",`+
				`"record_id":"m1","field_path":"body.text","offset_chars":4096,"q":"ü"}`),
			recordid.URI{
				Kind: recordid.KindFieldWindow, Record: record,
				Window: recordid.FieldWindow{FieldPath: "body.text", OffsetChars: &number, Q: &text},
			},
		},
	}
	for _, test := range tests {
		got, err := recordid.ParseURI(test.uri)
		if err != nil {
			t.Errorf("%s: %v", test.uri, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.uri, diff)
		}
	}
}

// R-RES-1, R-HAND-5: malformed URIs are typed errors.
func TestParseURIRefuses(t *testing.T) {
	tests := []struct {
		uri  string
		said string // before its next step
	}{
		{"", "uri does not begin with pdpp://"},
		{"https://example.com", "uri does not begin with pdpp://"},
		{"PDPP://stream/messages", "uri does not begin with pdpp://"},
		{"pdpp://", "uri has nothing after its kind"},
		{"pdpp://stream", "uri has nothing after its kind"},
		{"pdpp://stream/", "uri has nothing after its kind"},
		{"pdpp://file/1", "uri is of an unknown kind"},
		{"pdpp://blob/1", "uri has a handle that is not unpadded base64url"},
		{"pdpp://stream/messages?x=1", "uri holds a query or a fragment"},
		{"pdpp://stream/messages#x", "uri holds a query or a fragment"},
		{"pdpp://stream/a/b", "uri has more than one segment after its kind"},
		{"pdpp://stream/a%2Fb", "stream must not hold a slash"},
		{"pdpp://stream/..", `stream must not be "." or ".."`},
		{"pdpp://stream/%2e%2e", `stream must not be "." or ".."`},
		{"pdpp://stream/%zz", "uri has invalid percent-encoding"},
		{"pdpp://record/cin_1/messages:m1", "uri has more than one segment after its kind"},
		{"pdpp://record/%2e%2e%2Fmessages%3Am1", `connection id must not be "." or ".."`},
		{"pdpp://record/cin_1%2Frepositories:owner%2F..%2Frepo", `record id must not hold "." or ".." between slashes`},
		{"pdpp://record/..%2Frepositories:owner%2Frepo", `connection id must not be "." or ".."`},
		{"pdpp://record/a%2Fb%2Frepositories:owner%2Frepo", "stream must not hold a slash"},
		{"pdpp://record/cin_1%2F:owner%2Frepo", "stream must not be empty"},
		{"pdpp://record/%ff:a", "stream must be valid UTF-8"},
		{"pdpp://record/a%3", "uri has invalid percent-encoding"},
		{"pdpp://record/nothing", "uri has a handle that is not UTF-8"},
		{"pdpp://record/" + token("not json"), "uri has a handle that is not a JSON object of the known members"},
		{"pdpp://record/" + token("[]"), "uri has a handle that is not a JSON object of the known members"},
		{
			"pdpp://record/" + token("{\"v\":1,\"kind\":\"record\",\"stream\":\"\xff\",\"record_id\":\"m\"}"),
			"uri has a handle that is not UTF-8",
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":7,"record_id":"m1"}`),
			"uri has a handle that is not a JSON object of the known members",
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"m1"}`) + "==",
			"uri has a handle that is not unpadded base64url",
		},
		{
			"pdpp://record/" + token(`{"v":2,"kind":"record","stream":"s","record_id":"m1"}`),
			"uri has a handle of a version other than 1",
		},
		{
			"pdpp://record/" + token(`{"kind":"record","stream":"s","record_id":"m1"}`),
			"uri has a handle of a version other than 1",
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"field-window","stream":"s","record_id":"m1","field_path":"f"}`),
			"uri has a handle that is not of kind record",
		},
		{
			"pdpp://field-window/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"m1"}`),
			"uri has a handle that is not of kind field-window",
		},
		{"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s"}`), "record id must not be empty"},
		{"pdpp://record/" + token(`{"v":1,"kind":"record","record_id":"m1"}`), "stream must not be empty"},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"..","record_id":"m1"}`),
			`stream must not be "." or ".."`,
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","connection_id":"..","stream":"s","record_id":"m1"}`),
			`connection id must not be "." or ".."`,
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"a/../b"}`),
			`record id must not hold "." or ".." between slashes`,
		},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"./b"}`),
			`record id must not hold "." or ".." between slashes`,
		},
		{"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s/t","record_id":"b"}`), "stream must not hold a slash"},
		{
			"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"a\u0000"}`),
			"record id must not hold control characters",
		},
		{
			"pdpp://field-window/" + token(`{"v":1,"kind":"field-window","stream":"s","record_id":"m1"}`),
			"field path must not be empty",
		},
		{"pdpp://field-window/messages:m1", "uri has a handle that is not unpadded base64url"},
	}
	for _, test := range tests {
		uri, err := recordid.ParseURI(test.uri)
		var refused *recordid.Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: got %+v and %v, want an error", test.uri, uri, err)
			continue
		}
		if said, _, _ := strings.Cut(refused.Error(), "; "); said != test.said {
			t.Errorf("%s: %s, want %s", test.uri, said, test.said)
		}
	}
}

// Other PDPP tools read these handles, so their members and their order are pinned.
func TestFormatURIIsStable(t *testing.T) {
	offset := int64(0)
	uri := recordid.FormatURI(recordid.URI{
		Kind:   recordid.KindFieldWindow,
		Record: recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: `["<a>","ü"]`},
		Window: recordid.FieldWindow{FieldPath: "body", OffsetChars: &offset},
	})
	encoded, found := strings.CutPrefix(uri, "pdpp://field-window/")
	object, err := base64.RawURLEncoding.DecodeString(encoded)
	if !found || err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	const want = `{"v":1,"kind":"field-window","connection_id":"cin_1","stream":"messages",` +
		`"record_id":"[\"<a>\",\"ü\"]","field_path":"body","offset_chars":0}`
	if string(object) != want {
		t.Errorf("got  %s\nwant %s", object, want)
	}
}

func optional[T any](t *rapid.T, generator *rapid.Generator[T], label string) *T {
	if !rapid.Bool().Draw(t, label+" given") {
		return nil
	}
	value := generator.Draw(t, label)
	return &value
}

// R-HAND-2, R-RES-1: every record that can be read can be named by a URI, and is named by it exactly.
func TestURIRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		handle := drawHandle(t)
		if recordid.CheckName("stream", handle.Stream) != nil ||
			recordid.CheckRecordID("record id", handle.RecordID) != nil ||
			handle.ConnectionID != "" && recordid.CheckName("connection id", handle.ConnectionID) != nil {
			return
		}
		window := recordid.FieldWindow{
			FieldPath:   rapid.StringMatching(`[a-z_]+(\.[a-z]+)?`).Draw(t, "field path"),
			OffsetChars: optional(t, rapid.Int64(), "offset"),
			Cursor:      optional(t, rapid.String(), "cursor"),
			LimitChars:  optional(t, rapid.Int64(), "limit"),
			Q:           optional(t, rapid.String(), "q"),
			BeforeChars: optional(t, rapid.Int64(), "before"),
			AfterChars:  optional(t, rapid.Int64(), "after"),
		}
		for _, uri := range []recordid.URI{
			{Kind: recordid.KindStream, Stream: handle.Stream},
			{Kind: recordid.KindRecord, Record: handle},
			{Kind: recordid.KindFieldWindow, Record: handle, Window: window},
		} {
			got, err := recordid.ParseURI(recordid.FormatURI(uri))
			if err != nil {
				t.Fatalf("%+v: %v", uri, err)
			}
			if diff := cmp.Diff(uri, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func FuzzParseURI(f *testing.F) {
	for _, seed := range []string{
		"pdpp://stream/messages", "pdpp://record/cin_1%2Fmessages%3Am1", "pdpp://record/a:b", "pdpp://stream/%2e%2e",
		"pdpp://record/c%2Fs:a%2Fb",
		"pdpp://record/" + token(`{"v":1,"kind":"record","stream":"s","record_id":"m1"}`),
		"pdpp://field-window/" +
			token(`{"v":1,"kind":"field-window","stream":"s","record_id":"m1","field_path":"f","offset_chars":1}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		uri, err := recordid.ParseURI(text)
		if err != nil {
			var refused *recordid.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%q: an error of type %T", text, err)
			}
			return
		}
		again, err := recordid.ParseURI(recordid.FormatURI(uri))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(uri, again); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	})
}
