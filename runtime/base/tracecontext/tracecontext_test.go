package tracecontext_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
)

const (
	parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	other  = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

func of(parent, state, baggage string) tracecontext.Context {
	return tracecontext.Read(func(name string) string {
		return map[string]string{"traceparent": parent, "tracestate": state, "baggage": baggage}[name]
	})
}

// R-MCP-2: malformed values are ignored.
func TestRead(t *testing.T) {
	members := func(count int, form string) string { return strings.TrimSuffix(strings.Repeat(form+",", count), ",") }
	long := func(part string, length int) string { return strings.Repeat(part, length)[:length] }
	for name, test := range map[string]struct {
		parent, state, baggage string
		want                   tracecontext.Context
	}{
		"all": {
			parent, "rojo=1,congo=t61", "userId=alice,isOk=1;meta;k=v",
			tracecontext.Context{Parent: parent, State: "rojo=1,congo=t61", Baggage: "userId=alice,isOk=1;meta;k=v"},
		},
		"none":                     {},
		"state without parent":     {"", "rojo=1", "", tracecontext.Context{}},
		"baggage without parent":   {"", "", "a=b", tracecontext.Context{Baggage: "a=b"}},
		"trace of zeros":           {parent: "00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
		"parent of zeros":          {parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"},
		"upper case":               {parent: strings.ToUpper(parent)},
		"more":                     {parent: parent + "-x"},
		"a longer trace id":        {parent: "00-4bf92f3577b34da6a3ce929d0e0e47360-0f067aa0ba902b7-01"},
		"longer flags":             {parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-0f067aa0ba902b7-011"},
		"a line end":               {parent: parent + "\n"},
		"another version":          {parent: "01" + parent[2:]},
		"state with a line end":    {parent, "a=1\r\nAuthorization: Bearer x", "", tracecontext.Context{Parent: parent}},
		"state with upper case":    {parent, "A=1", "", tracecontext.Context{Parent: parent}},
		"state without value":      {parent, "a", "", tracecontext.Context{Parent: parent}},
		"state with empty members": {parent, "a=1, ,b=2", "", tracecontext.Context{Parent: parent, State: "a=1, ,b=2"}},
		"32 states": {
			parent, members(32, "a=1"), "",
			tracecontext.Context{Parent: parent, State: members(32, "a=1")},
		},
		"33 states": {parent, members(33, "a=1"), "", tracecontext.Context{Parent: parent}},
		"long state": {
			parent, members(3, "a="+strings.Repeat("x", 200)), "",
			tracecontext.Context{Parent: parent},
		},
		"a key of 256": {
			parent, long("a", 256) + "=1", "",
			tracecontext.Context{Parent: parent, State: long("a", 256) + "=1"},
		},
		"a key of 257": {parent, long("a", 257) + "=1", "", tracecontext.Context{Parent: parent}},
		"a value of 256": {
			parent, " a=" + long(" b", 256) + "\t", "",
			tracecontext.Context{Parent: parent, State: " a=" + long(" b", 256) + "\t"},
		},
		"a value of 257":          {parent, "a=" + long("b", 257), "", tracecontext.Context{Parent: parent}},
		"only commas":             {parent, ", ,", ",,", tracecontext.Context{Parent: parent}},
		"baggage with a line end": {baggage: "a=b\r\nX: y"},
		"baggage with a quote":    {baggage: `a="b"`},
		"baggage with UTF-8":      {baggage: "a=é"},
		"baggage in percents":     {"", "", "a=%C3%A9 ; p = 1 , b=", tracecontext.Context{Baggage: "a=%C3%A9 ; p = 1 , b="}},
		"64 members":              {"", "", members(64, "a=b"), tracecontext.Context{Baggage: members(64, "a=b")}},
		"65 members":              {baggage: members(65, "a=b")},
		"long baggage":            {baggage: "a=" + strings.Repeat("b", 8191)},
	} {
		if got := of(test.parent, test.state, test.baggage); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// R-MCP-2: _meta takes precedence over headers, and a state belongs to its parent.
func TestOr(t *testing.T) {
	header := tracecontext.OfHeader(http.Header{
		"Traceparent": {other}, "Tracestate": {"a=1", "b=2"},
		"Baggage": {"secret=of-a-proxy"},
	})
	if want := (tracecontext.Context{Parent: other, State: "a=1,b=2"}); header != want {
		t.Errorf("the header is read as %+v, want %+v", header, want)
	}
	if twice := tracecontext.OfHeader(http.Header{"Traceparent": {other, parent}}); twice != (tracecontext.Context{}) {
		t.Errorf("two parents are read as %+v", twice)
	}
	for name, test := range map[string]struct{ meta, want tracecontext.Context }{
		"nothing":  {tracecontext.Context{}, header},
		"a parent": {tracecontext.Context{Parent: parent}, tracecontext.Context{Parent: parent}},
		"baggage": {
			tracecontext.Context{Baggage: "a=b"},
			tracecontext.Context{Parent: other, State: "a=1,b=2", Baggage: "a=b"},
		},
		"all of them": {of(parent, "c=3", "a=b"), of(parent, "c=3", "a=b")},
	} {
		if got := test.meta.Or(header); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// From returns the trace of a context only.
func TestWithin(t *testing.T) {
	if got := tracecontext.From(t.Context()); got != (tracecontext.Context{}) {
		t.Errorf("no trace is %+v", got)
	}
	want := of(parent, "a=1", "b=2")
	got := tracecontext.From(want.Within(t.Context()))
	header := http.Header{"Traceparent": {other}}
	if got.WriteTo(header); got != want || header.Get("Traceparent") != parent || header.Get("Tracestate") != "a=1" ||
		header.Get("Baggage") != "b=2" {
		t.Errorf("%+v is written as %v", got, header)
	}
	tracecontext.Context{}.WriteTo(header)
	if header.Get("Traceparent") != parent {
		t.Error("an empty trace removed a header")
	}
}
