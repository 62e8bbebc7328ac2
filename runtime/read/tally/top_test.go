package tally_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
)

// The first rows of a stream are those of all rows in order, whichever way they come: ties by key, and those without a
// value last in either direction (R-SCAN-4).
func TestTopIsTheBeginningOfAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type ranked struct {
			key   string
			value any
		}
		descending, limit := rapid.Bool().Draw(t, "descending"), rapid.IntRange(0, 8).Draw(t, "limit")
		top := tally.NewTop("v", descending, limit)
		all := make([]ranked, rapid.IntRange(0, 20).Draw(t, "rows"))
		for i := range all {
			fields := rapid.SampledFrom([]string{
				`{"v":1}`, `{"v":10}`, `{"v":2.5}`, `{"v":-3}`, `{"v":null}`, `{}`,
				`{"v":[1]}`,
			}).Draw(t, "fields")
			all[i].key = fmt.Sprintf("r%02d", (i*7)%20)
			var read map[string]any
			if err := json.Unmarshal([]byte(fields), &read); err != nil {
				t.Fatal(err)
			}
			all[i].value = read["v"]
			row := []byte(`"` + all[i].key + `"`)
			top.Add(func() string { return all[i].key }, rawjson.NewCursor(rawjson.Value(fields)), row)
			clear(row) // a page's memory is used again
		}
		slices.SortFunc(all, func(a, b ranked) int {
			left, hasLeft := a.value.(float64)
			right, hasRight := b.value.(float64)
			switch {
			case hasLeft != hasRight && hasLeft:
				return -1
			case hasLeft != hasRight:
				return 1
			case descending:
				left, right = right, left
			}
			return cmp.Or(cmp.Compare(left, right), cmp.Compare(a.key, b.key))
		})
		rows, ties := top.Rows(), top.Ties()
		for i := range max(0, len(rows)-1) {
			value, hasValue := all[i].value.(float64)
			next, hasNext := all[i+1].value.(float64)
			if ties[i] != (hasValue == hasNext && value == next) {
				t.Fatalf("row %d: equal to the next one: %v", i, ties[i])
			}
		}
		if len(rows) != min(limit, len(all)) {
			t.Fatalf("%d rows of %d, at most %d", len(rows), len(all), limit)
		}
		for i, row := range rows {
			if string(row) != `"`+all[i].key+`"` {
				t.Fatalf("row %d is %s, want %s", i, row, all[i].key)
			}
		}
	})
}

func TestTopOfTimesAndTexts(t *testing.T) {
	for name, test := range map[string]struct {
		fields []string
		want   string
	}{
		"instants": {
			[]string{`{"v":"2026-03-01T23:30:00-05:00"}`, `{"v":"2026-03-02T00:00:00Z"}`, `{"v":"2026-03-02"}`},
			"[0 1 2]",
		},
		"code points": {[]string{`{"v":"\ud83d\ude00"}`, `{"v":"ｚ"}`, `{"v":"a"}`}, "[0 1 2]"},
		"all kinds": {
			[]string{`{"v":"text"}`, `{"v":"2026-01-01"}`, `{"v":9}`, `{"v":true}`, `{"v":false}`, `{"v":{}}`},
			"[0 1 2 3 4 5]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := tally.NewTop("v", true, 10)
			for i, fields := range test.fields {
				top.Add(func() string { return fmt.Sprint(i) }, rawjson.NewCursor(rawjson.Value(fields)), fmt.Append(nil, i))
			}
			if got := fmt.Sprintf("%s", top.Rows()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
