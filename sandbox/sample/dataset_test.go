package sample_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

func TestDatasetDependsOnTheSeedOnly(t *testing.T) {
	first, again, other := sample.Dataset(7), sample.Dataset(7), sample.Dataset(8)
	if !reflect.DeepEqual(first, again) {
		t.Fatal("seed 7 made two different datasets")
	}
	if reflect.DeepEqual(first.Records, other.Records) {
		t.Fatal("seeds 7 and 8 made the same records")
	}
	messages := func(set catalog.Dataset) (keys []string) {
		for _, r := range set.Records {
			if r.Stream == "messages" {
				keys = append(keys, r.ConnectionID+"/"+r.Key)
			}
		}
		return keys
	}
	if !slices.Equal(messages(first), messages(other)) {
		t.Error("message ids depend on the seed; scripts name them")
	}
}

func TestDatasetCounts(t *testing.T) {
	counts := map[string]int{}
	set := sample.Shared()
	for _, r := range set.Records {
		if r.DeletedAt.IsZero() {
			counts[r.ConnectionID+"/"+r.Stream]++
		}
	}
	want := map[string]int{
		"cin_gmail_personal/messages":       sample.PersonalMessages, // one of 272 is deleted, in all its streams
		"cin_gmail_personal/message_bodies": sample.PersonalMessages,
		"cin_gmail_personal/threads":        249,
		"cin_gmail_personal/attachments":    21,
		"cin_gmail_personal/labels":         12,
		"cin_gmail_work/messages":           161,
		"cin_gmail_work/message_bodies":     161,
		"cin_gmail_work/threads":            152,
		"cin_gmail_work/attachments":        10,
		"cin_gmail_work/labels":             5,
		"cin_spotify/saved_tracks":          192,
		"cin_spotify/play_history":          2521,
		"cin_spotify/top_artists":           36,
		"cin_slack_team/channels":           8,
		"cin_slack_team/chat_messages":      773, // one of 774 is deleted
		"cin_slack_team/users":              9,
		"cin_github/repositories":           4,
		"cin_github/issues":                 11,
		"cin_github/pull_requests":          8,
		"cin_github/commits":                164,
		"cin_calendar/calendars":            3,
		"cin_calendar/events":               197,
		"cin_fjordbank/accounts":            2,
		"cin_fjordbank/transactions":        501,
		"cin_fjordbank/notices":             11,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("live records (-want +got):\n%s", diff)
	}
}

func TestRecordsFitTheirDeclaration(t *testing.T) {
	set := sample.Shared()
	seen := map[string]bool{}
	for _, r := range set.Records {
		place := r.ConnectionID + "/" + r.Stream + "/" + r.Key
		if seen[place] {
			t.Errorf("%s: twice in the dataset", place)
		}
		seen[place] = true
		if !r.DeletedAt.IsZero() {
			if r.Data != nil {
				t.Errorf("%s: a deleted record has data", place)
			}
			continue
		}
		stream := declaration(t, set, r)
		data := map[string]json.RawMessage{}
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		if len(data) != len(stream.Fields) {
			t.Errorf("%s: %d fields in the record, %d declared", place, len(data), len(stream.Fields))
		}
		for _, f := range stream.Fields {
			if problem := misfit(f, data[f.Name]); problem != "" {
				t.Errorf("%s: field %s: %s", place, f.Name, problem)
			}
		}
		if want := canonicalKey(t, stream, data); r.Key != want {
			t.Errorf("%s: the key should be %s", place, want)
		}
	}
}

func TestDeclarationsNameWhatExists(t *testing.T) {
	for _, connector := range sample.Shared().Connectors {
		streams := map[string][]string{}
		for _, s := range connector.Streams {
			for _, f := range s.Fields {
				streams[s.Name] = append(streams[s.Name], f.Name)
			}
		}
		for _, s := range connector.Streams {
			named := append([]string{s.CursorField}, s.PrimaryKey...)
			if s.ConsentTimeField != "" {
				named = append(named, s.ConsentTimeField)
			}
			for _, v := range s.Views {
				named = append(named, v.Fields...)
			}
			for _, name := range named {
				if !slices.Contains(streams[s.Name], name) {
					t.Errorf("%s: field %q is not declared", s.Name, name)
				}
			}
			for _, r := range s.Relations {
				if !slices.Contains(streams[r.Target], r.ForeignKey) {
					t.Errorf("%s: relation %s: %s has no field %q", s.Name, r.Name, r.Target, r.ForeignKey)
				}
			}
		}
	}
}

func TestDatasetHoldsWhatIsAwkward(t *testing.T) {
	set := sample.Shared()
	var keys, deleted []string
	shared := map[string]int{}
	longest, long := 0, 0
	everything := &strings.Builder{}
	for _, r := range set.Records {
		keys = append(keys, r.Key)
		everything.Write(r.Data)
		if !r.DeletedAt.IsZero() {
			deleted = append(deleted, r.Stream)
		}
		if r.Key == sample.SharedID {
			shared[r.Stream]++
		}
		if r.Stream == "message_bodies" {
			longest = max(longest, len(r.Data))
			if len(r.Data) > 8<<10 {
				long++
			}
		}
	}
	for _, key := range []string{
		"p-msg-010:2", `["nora","2026-04-01"]`, `["dj \"juno\"","2026-04-01"]`, `["Zoë und Jörg","2026-04-01"]`,
		"Familie & Freunde", "kartenwerk/pfad", `["kartenwerk/pfad",131]`, `["FJ-2204",1]`,
	} {
		if !slices.Contains(keys, key) {
			t.Errorf("no record %s", key)
		}
	}
	if want := []string{"messages", "threads", "message_bodies", "chat_messages"}; !slices.Equal(deleted, want) {
		t.Errorf("deleted records are in %v, want %v", deleted, want)
	}
	if shared["messages"] != 2 || shared["threads"] != 2 {
		t.Errorf("%s is in %v, want it twice in messages and threads", sample.SharedID, shared)
	}
	if longest < 437_000 || long < 4 {
		t.Errorf("longest body %d bytes, %d bodies over 8 KiB", longest, long)
	}
	for _, piece := range []string{
		"overdraft", "Wettertagebücher", "écharpe", "山小屋", "المربّى", "नमस्ते",
		"παλαιοπωλείο", "👨‍👩‍👧‍👦", "u\u0307", `\u001b[31m`, "\u202e", "<script>",
	} {
		if !strings.Contains(everything.String(), piece) {
			t.Errorf("no record holds %q", piece)
		}
	}
}

func TestBlobsAreReferredTo(t *testing.T) {
	set := sample.Shared()
	if len(set.Blobs) == 0 {
		t.Fatal("no blobs")
	}
	kinds := map[string]bool{}
	for _, blob := range set.Blobs {
		kinds[blob.ContentType] = true
		if !slices.ContainsFunc(set.Records, func(r catalog.Record) bool {
			return r.ConnectionID == blob.ConnectionID && r.Stream == "attachments" &&
				bytes.Contains(r.Data, []byte(`"blob_id":"`+blob.ID+`"`))
		}) {
			t.Errorf("no attachment refers to %s", blob.ID)
		}
	}
	if len(kinds) < 6 {
		t.Errorf("blobs are of the kinds %v, want six", kinds)
	}
}

func declaration(t *testing.T, set catalog.Dataset, r catalog.Record) catalog.Stream {
	t.Helper()
	for _, connection := range set.Connections {
		for _, connector := range set.Connectors {
			if connection.ID != r.ConnectionID || connection.ConnectorKey != connector.Key {
				continue
			}
			for _, s := range connector.Streams {
				if s.Name == r.Stream {
					return s
				}
			}
		}
	}
	t.Fatalf("%s/%s is not declared", r.ConnectionID, r.Stream)
	return catalog.Stream{}
}

// misfit says why raw is not a value of f, or "".
func misfit(f catalog.Field, raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err.Error()
	}
	kind := ""
	switch v := value.(type) {
	case nil:
		if f.Nullable {
			return ""
		}
		return "null, but not nullable"
	case string:
		kind = "string"
		if !utf8.ValidString(v) {
			return "not UTF-8"
		}
		if f.Format == "date-time" {
			if _, err := time.Parse(time.RFC3339Nano, v); err != nil {
				return err.Error()
			}
		}
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
		if f.Type == "integer" && v == float64(int64(v)) {
			kind = "integer"
		}
	case []any:
		kind = "array"
	case map[string]any:
		kind = "object"
	}
	if kind != f.Type {
		return "is " + kind + ", declared " + f.Type
	}
	return ""
}

func canonicalKey(t *testing.T, stream catalog.Stream, data map[string]json.RawMessage) string {
	t.Helper()
	if len(stream.PrimaryKey) == 1 {
		var key string
		if err := json.Unmarshal(data[stream.PrimaryKey[0]], &key); err != nil {
			t.Fatal(err)
		}
		return key
	}
	parts := make([]string, len(stream.PrimaryKey))
	for i, name := range stream.PrimaryKey {
		parts[i] = string(data[name])
	}
	return "[" + strings.Join(parts, ",") + "]"
}
