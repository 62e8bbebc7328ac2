package scan_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-TIME-1: an invented cursor of a timeline is refused, or reads a page of what is there. It breaks nothing.
func FuzzTimelineCursor(f *testing.F) {
	server := &life{}
	for _, name := range []string{"a", "b"} {
		stream := &lifeStream{name: name, connection: "cin_" + name, field: "sent_at", forms: []int{1}}
		for n := range 5 {
			stream.add(n, 0, spellings[1])
		}
		server.streams = append(server.streams, stream)
	}
	env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{Most: 1000})}
	arguments := map[string]any{"stream": "*", "limit": 3}
	first, err := timelinePage(env, arguments)
	if err != nil {
		f.Fatal(err)
	}
	sent, isOurs := strings.CutPrefix(first.Data.NextCursor, "timeline.")
	text, err := base64.RawURLEncoding.DecodeString(sent)
	if err != nil || !isOurs {
		f.Fatalf("the cursor is %q: %v", first.Data.NextCursor, err)
	}
	for _, seed := range []string{string(text), "{}", `{"v":1,"n":"abcdef","l":{"abcdef":9}}`, strings.Replace(string(text), `"p":{`, `"l":{"abcdef":-1},"b":[{}],"p":{`, 1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := timelinePage(env, map[string]any{"stream": "*", "limit": 3, "cursor": "timeline." + base64.RawURLEncoding.EncodeToString([]byte(text))})
		var refused *tool.Error
		if err != nil && (!errors.As(err, &refused) || refused.Param != "cursor") || len(read.all) > 3 {
			t.Errorf("%q: %v, %q", text, err, read.all)
		}
	})
}
