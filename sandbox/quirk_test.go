package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// found has the members of a response that the tests of quirks read: groups, hits and the state of the index.
type found struct {
	Groups []struct {
		Key   string
		Count int
	}
	Meta struct {
		Count  any
		Recall struct{ Complete bool }
	}
	Capabilities struct {
		Lexical struct {
			IndexState string `json:"index_state"`
		} `json:"lexical_retrieval"`
	}
}

// ask reads with the token of the grant of everything.
func ask(t *testing.T, box *sandbox.Sandbox, target string) found {
	t.Helper()
	var answer found
	if status := read(t, box, box.Tokens()["everything"], target, &answer); status != http.StatusOK {
		t.Fatalf("%s: %d", target, status)
	}
	return answer
}

// A date belongs to the day before west of UTC, as in the reference provider.
func TestShiftedDates(t *testing.T) {
	box := newSandbox(t, sandbox.Options{Quirks: resource.Quirks{ShiftedDates: true}})
	const target = "/v1/streams/transactions/aggregate?metric=count&group_by_time=booked_on&granularity=year&limit=100"
	plain, shifted := ask(t, box, target).Groups, ask(t, box, target+"&time_zone=America/Los_Angeles").Groups
	if plain[0].Key != shifted[0].Key || plain[0].Count >= shifted[0].Count {
		t.Errorf("no date moved to the year before: %v, then %v", plain, shifted)
	}
}

// A narrow index claims to be complete without the fields that it leaves out, and a stale one without the newer
// records.
func TestIndexQuirks(t *testing.T) {
	whole := newSandbox(t, sandbox.Options{})
	for name, test := range map[string]struct {
		query, state string
	}{
		"narrow-index": {"q=deposit&streams[]=message_bodies", "built"},
		"stale-index":  {"q=lease", "stale"},
	} {
		var quirks resource.Quirks
		if err := quirks.Set(name); err != nil {
			t.Fatal(err)
		}
		box := newSandbox(t, sandbox.Options{Quirks: quirks})
		all, some := ask(t, whole, "/v1/search?"+test.query), ask(t, box, "/v1/search?"+test.query)
		if !some.Meta.Recall.Complete || some.Meta.Count.(float64) >= all.Meta.Count.(float64) {
			t.Errorf("%s: %v hits, complete %v; a whole index has %v", name, some.Meta.Count,
				some.Meta.Recall.Complete, all.Meta.Count)
		}
		if state := ask(t, box, sandbox.ResourceMetadataPath).Capabilities.Lexical.IndexState; state != test.state {
			t.Errorf("%s: index_state %q, want %q", name, state, test.state)
		}
	}
	var quirks resource.Quirks
	if err := quirks.Set("odd"); err == nil || !strings.Contains(err.Error(), "stale-index") {
		t.Errorf("an unknown quirk: %v", err)
	}
}
