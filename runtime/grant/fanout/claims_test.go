package fanout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-PKG-2, R-PKG-4: a named source must not answer with records of another member. Records of an unknown connection are
// allowed.
func TestNamedSourceMayNotClaimAnother(t *testing.T) {
	byName := searchFor(3, "")
	id := "cin_a"
	byName.Sources = rs.HitsOfSources{ConnectionID: &id}
	one := records("messages", id)
	one.Path = rs.JoinPath("v1", "streams", "messages", "records", "1")
	for name, test := range map[string]struct {
		request   rs.Request
		body      string
		isRefused bool
	}{
		"its own record":          {one, `{"object":"record","id":"1","connection_id":"cin_a"}`, false},
		"a record without a name": {one, `{"object":"record","id":"1","data":{"connection_id":"cin_b"}}`, false},
		"a record of another":     {one, `{"object":"record","id":"1","connection_id":"cin_b"}`, true},
		"of another, escaped":     {one, `{"object":"record","id":"1","connection_id":"cin_\u0062"}`, true},
		"of one that has ended":   {one, `{"object":"record","id":"1","connection_id":"cin_gone"}`, true},
		"of no member":            {one, `{"object":"record","id":"1","connection_id":"cin_x"}`, false},
		"a row of another": {
			records("messages", id),
			`{"data":[{"id":"1"},{"id":"2","connector_instance_id":"cin_b"}]}`, true,
		},
		"its own rows": {
			records("messages", id),
			`{"data":[{"id":"1"},{"id":"2","connection_id":"cin_a"}]}`, false,
		},
		"a hit of another":            {byName, `{"data":[{"record_key":"1","connection_id":"cin_b"}]}`, true},
		"its own hit":                 {byName, `{"data":[{"record_key":"1","connection_id":"cin_a"}]}`, false},
		"a row of a stream, unnamed":  {records("tracks", ""), `{"data":[{"id":"1","connection_id":"cin_b"}]}`, false},
		"a total, which has no owner": {records("messages", id), `{"object":"aggregate","value":4}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			other := &fakeRS{name: "b", hits: 1}
			reader := newReader(member(&fakeRS{name: "a", body: test.body}, "messages", "tracks"), member(other, "messages"),
				ended("gone", "messages"))
			response, err := ask(t.Context(), reader, test.request)
			untouched(t, other)
			var failure *rs.Failure
			switch {
			case !test.isRefused && (err != nil || string(response.Body()) != test.body):
				t.Errorf("got %v, want the answer as it came", err)
			case test.isRefused && (!errors.As(err, &failure) || failure.Reason != rs.InvalidResponse ||
				!strings.Contains(err.Error(), `"The a"`)):
				t.Errorf("got %v, want a failure that names the source", err)
			}
		})
	}
}

// R-PKG-2, R-PKG-5: a hit that claims to belong to another member is dropped with a warning. Other hits stay, also
// those of unknown connections.
func TestHitsThatClaimAnotherSourceAreDropped(t *testing.T) {
	for name, claim := range map[string]string{
		"its id":           `,"connection_id":"cin_honest"`,
		"its other name":   `,"connection_id":"cin_other","connector_instance_id":"cin_honest"`,
		"one that ended":   `,"connection_id":"cin_gone"`,
		"with an own name": `,"connector_instance_id":"cin_liar","connection_id":"cin_honest"`,
	} {
		for _, hybrid := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, hybrid %t", name, hybrid), func(t *testing.T) {
				liar := &fakeRS{name: "liar", hits: 30, hybrid: hybrid, claims: func(i int) string {
					switch i % 3 {
					case 0:
						return claim
					case 1:
						return `,"connection_id":"cin_unnamed"`
					}
					return ""
				}}
				honest := &fakeRS{name: "honest", hits: 10}
				reader := newReader(append(members(liar, honest), ended("gone", "messages"))...)
				seen, cursor, warned := map[string]int{}, "", false
				const named = `of stream "messages"`
				for range 30 {
					page := search(t, reader, searchFor(4, cursor))
					for _, hit := range page.Data {
						seen[hit.RecordKey]++
						if strings.HasPrefix(hit.RecordKey, "liar") && hit.ConnectionID != "cin_liar" &&
							hit.ConnectionID != "cin_unnamed" {
							t.Errorf("%s is shown as a hit of %s", hit.RecordKey, hit.ConnectionID)
						}
					}
					for _, warning := range page.Meta.Warnings {
						warned = warned || warning.Code == fanout.WarnHitsDropped && warning.ConnectionID == "cin_liar" &&
							strings.Contains(warning.Message, named)
					}
					if cursor == "" && (string(page.Meta.Count) != `{"kind":"none"}` || page.Meta.Recall.Complete) {
						t.Errorf("the count is %s, the recall is %+v", page.Meta.Count, page.Meta.Recall)
					}
					if cursor = page.NextCursor; cursor == "" {
						break
					}
				}
				for i := range 30 {
					if want := min(i%3, 1); seen[fmt.Sprintf("liar-%d", i)] != want {
						t.Errorf("liar-%d is shown %d times, want %d", i, seen[fmt.Sprintf("liar-%d", i)], want)
					}
				}
				if !warned {
					t.Error("no warning tells of the hits that are left out")
				}
				if len(seen) != 30 || cursor != "" {
					t.Errorf("%d hits were shown, want 20 of one and 10 of the other; the cursor is %q", len(seen), cursor)
				}
			})
		}
	}
}
