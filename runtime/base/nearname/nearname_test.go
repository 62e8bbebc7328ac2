package nearname_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

var fields = []string{
	"id", "from_email", "from_name", "received_at", "subject", "send_date", "is_seen",
	"labels", "categories",
}

// R-ERR-7: a name is suggested only if it is the only near one.
func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"subject": "subject", "Subject": "subject", "receivedAt": "received_at", "RECEIVED-AT": "received_at",
		"label":    "labels",
		"category": "categories", "subejct": "subject", "recieved_at": "received_at", "subject_line": "subject",
		"data.subject": "subject",
		"date":         "send_date", "isSeen": "is_seen", "subjcets": "subject", "seen": "is_seen",
		"from": "", "sender_email": "", "body": "", "": "", "x": "", "€": "",
	} {
		if got := nearname.Nearest(word, fields); got != want {
			t.Errorf("%q was meant as %q, want %q", word, got, want)
		}
	}
	if got := nearname.Nearest("a", []string{"a", "a"}); got != "a" {
		t.Errorf("a name that stands twice is not found: %q", got)
	}
}

func TestOrder(t *testing.T) {
	got := nearname.Order("from_mail", fields)
	if want := []string{"from_email", "from_name", "id"}; !slices.Equal(got[:3], want) {
		t.Errorf("got %q", got)
	}
}

// Order loses no name, and a known name is its own nearest.
func TestOrderKeepsNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z_é]{1,9}`), rapid.ID).Draw(t, "names")
		word := rapid.String().Draw(t, "word")
		ordered := nearname.Order(word, names)
		if slices.Sort(ordered); !slices.Equal(ordered, slices.Sorted(slices.Values(names))) {
			t.Fatalf("%q became %q", names, ordered)
		}
		if meant := nearname.Nearest(word, names); meant != "" && !slices.Contains(names, meant) {
			t.Fatalf("%q is not one of %q", meant, names)
		}
	})
}
