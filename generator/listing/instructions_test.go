package listing_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/generator/listing"
)

// R-INSTR-2: the opening ends with a sentence, and counts characters, not bytes.
func TestOpeningEndsWithASentence(t *testing.T) {
	short := "Read-only. Start with schema."
	if got := listing.Opening(short); got != short {
		t.Errorf("got %q, want all of it", got)
	}
	first := strings.Repeat("é", 508) + "one."
	if got := listing.Opening(first + " two."); got != first {
		t.Errorf("got %d bytes, want the first sentence of %d", len(got), len(first))
	}
	if got := listing.Opening(strings.Repeat("x", 600)); got != "" {
		t.Errorf("got %q, want nothing: no sentence ends within 512 characters", got)
	}
}
