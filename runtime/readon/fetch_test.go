package readon_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-8: pages that were asked for by guess are read in their order and each once; a wrong guess is the last one.
func TestPagesAreGuessed(t *testing.T) {
	for name, guess := range map[string]func(string) string{
		"right": func(cursor string) string { return cursor },
		"wrong": func(cursor string) string { return cursor + "x" },
	} {
		t.Run(name, func(t *testing.T) {
			told := atomic.Int32{}
			server := &standIn{guess: func(cursor string) string { told.Add(1); return guess(cursor) }}
			want := 0
			for n := range 1_000 {
				server.records = append(server.records, number(n, fmt.Sprintf("2026-%02d-%02dT10:00:00Z", 1+n%12, 1+n%28), "a", 0))
				want += n
			}
			env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{Most: 1_000})}
			result, err := definition("aggregate").Run(t.Context(), env,
				json.RawMessage(`{"stream":"notes","connection_id":"cin_1","metric":"sum","field":"n"}`))
			if err != nil {
				t.Fatal(err)
			}
			if value := fmt.Sprintf(`"value":%d`, want); !strings.Contains(string(result.Structured), value) || !strings.Contains(result.Text, "complete=true") {
				t.Errorf("not %s: %s", value, result.Text)
			}
			if told.Load() == 0 {
				t.Error("nobody listens to the body of a page")
			}
			cursors, guessed := map[string]int{}, 0
			for _, request := range server.asked {
				if limit, _ := request.Query.Get("limit"); limit == "1" { // asks for the order of the list
					continue
				}
				cursor, _ := request.Query.Get("cursor")
				if cursors[cursor]++; cursors[cursor] > 1 && cursor != "" {
					t.Errorf("%s is read twice", request.Query.Encoded())
				}
				if strings.HasSuffix(cursor, "x") {
					guessed++
				}
			}
			if guessed > 2 {
				t.Errorf("%d wrong guesses", guessed)
			}
		})
	}
}
