package fanout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-LOCAL-1: of the grants of one connection, the one that covers a read answers it. What it leaves out is named.
func TestOverlappingGrants(t *testing.T) {
	june := func(day int) time.Time { return time.Date(2026, 6, day, 0, 0, 0, 0, time.UTC) }
	whole := granted.Limit{Fields: []string{"id", "date", "amount"}}
	narrow := granted.Limit{Fields: []string{"id", "date"}, TimeField: "date", Since: june(1), Until: june(30)}
	recent := granted.Limit{TimeField: "date", Since: june(1)}
	dates := granted.Limit{Fields: []string{"id", "date"}}
	inJune := rs.Filter{
		{Field: "date", Operator: "gte", Value: "2026-06-02"},
		{Field: "date", Operator: "lt", Value: "2026-06-05"},
	}
	day := rs.Filter{
		{Field: rs.AnyTime, Operator: "gte", Value: "2026-06-02T00:00:00Z"},
		{Field: rs.AnyTime, Operator: "lt", Value: "2026-06-03T00:00:00Z"},
	}
	for name, test := range map[string]struct {
		newer, older granted.Limit
		query        map[string]string
		filter       rs.Filter
		route        string
		want, warned string
	}{
		"all records": {newer: narrow, older: whole, want: "older"},
		"a count":     {newer: narrow, older: whole, route: "aggregate", want: "older"},
		"a field of the older": {
			newer: narrow, older: whole, query: map[string]string{"fields": "amount"},
			filter: inJune, want: "older",
		},
		"fields of both":         {newer: dates, older: whole, query: map[string]string{"fields": "id,date"}, want: "older"},
		"equal grants":           {newer: whole, older: whole, want: "newer"},
		"records before":         {newer: recent, older: dates, query: map[string]string{"fields": "date"}, want: "older"},
		"a range that both have": {newer: recent, older: dates, filter: inJune, want: "newer"},
		"a day of a timeline":    {newer: recent, older: dates, filter: day, want: "newer"},
		"all, of neither":        {newer: recent, older: dates, want: "older", warned: "grt_newer also has all fields"},
		"a field, of neither": {
			newer: recent, older: dates, query: map[string]string{"fields": "amount"}, want: "newer",
			warned: "grt_older also has records before 2026-06-01T00:00:00Z",
		},
		"a sum, of neither": {
			newer: recent, older: dates, query: map[string]string{"field": "amount"},
			route: "aggregate", want: "newer", warned: "records before",
		},
		"an order of the older": {
			newer: dates, older: whole,
			query: map[string]string{"fields": "id", "sort": "-amount"}, want: "older",
		},
		"single records": {
			newer: granted.Limit{Fields: []string{"id"}, Records: []string{"r1"}},
			older: whole, want: "older",
		},
		"single records, more": {
			newer: granted.Limit{Records: []string{"r1"}}, older: dates,
			query: map[string]string{"fields": "amount"}, want: "newer", warned: "other records",
		},
		"a schema is of no grant": {newer: recent, older: dates, route: "schema", want: "older"},
	} {
		t.Run(name, func(t *testing.T) {
			servers := map[string]*fakeRS{}
			var sources []fanout.Source
			for name, limit := range map[string]granted.Limit{"newer": test.newer, "older": test.older} {
				servers[name] = &fakeRS{name: name, body: `{"object":"list","data":[]}`}
				source := member(servers[name], "transactions")
				source.ConnectionID, source.Limits = "cin_bank", map[string]granted.Limit{"transactions": limit}
				sources = append(sources, source)
			}
			if sources[0].GrantID != "grt_newer" {
				sources[0], sources[1] = sources[1], sources[0]
			}
			id := "cin_bank"
			for _, named := range []*string{nil, &id} {
				request := rs.Request{Path: rs.JoinPath("v1", "streams", "transactions", "records")}
				switch test.route {
				case "aggregate":
					request.Path = rs.JoinPath("v1", "streams", "transactions", "aggregate")
				case "schema":
					request.Path = rs.JoinPath("v1", "schema")
				}
				for name, value := range test.query {
					request.Query.Set(name, value)
				}
				request.Sources = rs.OneSource{Stream: "transactions", ConnectionID: named, Filter: test.filter}
				reader := newReader(sources...)
				response, err := ask(t.Context(), reader, request)
				if err != nil {
					t.Fatal(err)
				}
				if response.GrantIDs[0] != "grt_"+test.want {
					t.Errorf("%s was read, want %s", response.GrantIDs, test.want)
				}
				absences := tool.Absences(t.Context(), reader, request)
				if (test.warned == "") != (absences == nil) || !strings.Contains(fmt.Sprintf("%s", absences), test.warned) {
					t.Errorf("warnings %s, want %q", absences, test.warned)
				}
			}
		})
	}
}

// R-LOCAL-1: a search asks the grant that has most of a stream, whatever its place in the cache.
func TestSearchOfOverlappingGrants(t *testing.T) {
	newer, older := &fakeRS{name: "newer", hits: 1}, &fakeRS{name: "older", hits: 3}
	limited, whole := member(newer, "messages"), member(older, "messages", "labels")
	limited.ConnectionID, whole.ConnectionID = "cin_mail", "cin_mail"
	limited.Limits = map[string]granted.Limit{"messages": {Since: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}}
	page := search(t, newReader(limited, whole), searchFor(10, ""))
	untouched(t, newer)
	if len(page.Data) != 3 || len(page.Meta.Warnings) != 0 {
		t.Errorf("%d hits, warnings %v", len(page.Data), page.Meta.Warnings)
	}
	whole.Limits = map[string]granted.Limit{"messages": {Fields: []string{"id"}}}
	page = search(t, newReader(limited, whole), searchFor(10, ""))
	if len(page.Meta.Warnings) != 1 || page.Meta.Warnings[0].Code != fanout.WarnOverlap {
		t.Errorf("warnings %v", page.Meta.Warnings)
	}
}
