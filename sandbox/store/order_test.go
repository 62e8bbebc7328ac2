package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// Pages of any size, joined, are the stream in the order of the texts of its cursor field.
func TestPagesJoinToTheStream(t *testing.T) {
	s := open(t, "", notes())
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		moments := rapid.SliceOfN(rapid.Int64Range(0, 4e9), 1, 12).Draw(rt, "moments")
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		descending := rapid.Bool().Draw(rt, "descending")
		var records []catalog.Record
		var order []string
		at := map[string]string{}
		for i, moment := range moments {
			key := fmt.Sprintf("k%02d", i)
			zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(rt, "offset")*3600)
			order, at[key] = append(order, key), time.Unix(moment, 0).In(zone).Format(time.RFC3339)
			records = append(records, note(key, at[key], ""))
		}
		slices.SortFunc(order, func(a, b string) int { return cmp.Or(strings.Compare(at[a], at[b]), strings.Compare(a, b)) })
		if descending {
			slices.Reverse(order)
		}
		round++
		selection := store.Selection{ConnectionID: fmt.Sprint("cin_", round), Stream: "notes"}
		dataset := notes(records...)
		dataset.Connections[0].ID = selection.ConnectionID
		for i := range records {
			records[i].ConnectionID = selection.ConnectionID
		}
		if err := s.Load(t.Context(), dataset); err != nil {
			rt.Fatal(err)
		}
		var read []string
		var after *store.Position
		for more := true; more; {
			var entries []store.Entry
			var err error
			if entries, more, err = s.Page(t.Context(), selection, descending, after, limit); err != nil {
				rt.Fatal(err)
			}
			for _, entry := range entries {
				read, after = append(read, entry.Key), &entry.Position
			}
		}
		if !slices.Equal(read, order) {
			rt.Errorf("pages give %v, want %v", read, order)
		}
	})
}

func TestNumbersAreOrderedAsNumbers(t *testing.T) {
	dataset := notes()
	dataset.Connectors[0].Streams[0].Fields[1] = catalog.Field{Name: "at", Type: "number"}
	s := open(t, "", dataset)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.Float64Range(-1e300, 1e300).Draw(rt, "a"), rapid.Float64Range(-1e300, 1e300).Draw(rt, "b")
		for key, number := range map[string]float64{"a": a, "b": b} {
			if err := s.Put(t.Context(), raw(key, fmt.Sprintf(`{"at":%g}`, number))); err != nil {
				rt.Fatal(err)
			}
		}
		entries, _, err := s.Page(t.Context(), everything, false, nil, 2)
		if err != nil {
			rt.Fatal(err)
		}
		if want := map[bool]string{true: "a b ", false: "b a "}[a <= b]; keys(entries) != want {
			rt.Errorf("%g and %g are read as %q", a, b, keys(entries))
		}
	})
}

func TestSelectionByTimeAndCondition(t *testing.T) {
	s := open(t, "", notes(
		note("a", "2026-01-01T00:00:00Z", ""),
		note("b", "2026-01-01T23:30:00-01:00", ""), // January 2 in UTC
		note("d", "2026-01-02T01:00:00+01:00", ""), // the very start of January 2
		raw("c", `{"at":null,"odd \"name\"":"x"}`),
	))
	second := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	odd := catalog.Field{Name: `odd "name"`, Type: "string"}
	at := catalog.Field{Name: "at", Type: "string", Format: "date-time"}
	for name, test := range map[string]struct {
		selection store.Selection
		want      string
	}{
		"all":   {store.Selection{}, "c a b d "},
		"since": {store.Selection{Since: second}, "b d "},
		"until": {store.Selection{Until: second}, "a "},
		"strange name": {
			store.Selection{Conditions: []store.Condition{{Field: odd, Operator: "eq", Operand: "x"}}},
			"c ",
		},
		"instant": {
			store.Selection{Conditions: []store.Condition{{Field: at, Operator: "gt", Operand: second}}},
			"b ",
		},
		"unknown operator": {store.Selection{Conditions: []store.Condition{{Field: at, Operator: "like", Operand: "x"}}}, ""},
	} {
		test.selection.ConnectionID, test.selection.Stream = connection, "notes"
		entries, _, err := s.Page(t.Context(), test.selection, false, nil, 10)
		if err != nil || keys(entries) != test.want {
			t.Errorf("%s: %q, %v, want %q", name, keys(entries), err, test.want)
		}
	}
}
