package scan_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-8: a client that asks for progress gets the number of records after each page, and none for a call that the
// resource server answers.
func TestProgressOfAReading(t *testing.T) {
	for reads, want := range map[resource.Reads]bool{resource.ReadsV01: true, resource.ReadsOpen: false} {
		c := newCaller(sandboxOf(t, reads, "gmail_personal"), 10_000)
		var mu sync.Mutex
		var reported []string
		last := int64(0)
		env := tool.Env{RS: c.watched, Readings: c.readings, Progress: func(done int64, message string) {
			mu.Lock()
			defer mu.Unlock()
			if done <= last {
				t.Errorf("reported %d after %d", done, last)
			}
			last = done
			reported = append(reported, message)
		}}
		for _, definition := range gen.Surface().Tools {
			if definition.Name != "aggregate" {
				continue
			}
			if _, err := definition.Run(t.Context(), env,
				json.RawMessage(`{"stream":"messages","metric":"count","filter":{"is_seen":false}}`)); err != nil {
				t.Fatal(err)
			}
		}
		if (len(reported) > 0) != want {
			t.Errorf("%v: reported %q after %q", reads, reported, c.taken())
		}
	}
}
