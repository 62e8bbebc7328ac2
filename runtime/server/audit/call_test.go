package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// answers is a reader with one body. It refuses the read if the body is empty.
type answers string

func (a answers) ProviderURL() string { return "https://pdpp.example" }

func (a answers) Get(context.Context, rs.Request) (*rs.Response, error) {
	if a == "" {
		return nil, errors.New("refused")
	}
	return rs.Response{Status: 200}.WithBody([]byte(a))
}

// query makes a query of alternating names and values.
func query(pairs ...string) (q rs.Query) {
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// Covers R-OPS-2: an entry has only names that a response of the resource server confirms, and nothing else of a
// request or a response.
func TestConfirmedNames(t *testing.T) {
	const planted = "planted-value"
	rows := `[{"object":"record","id":"` + planted + `","stream":"messages","connection_id":"cin_1","data":{"subject":"` +
		planted + `","other":1}},` +
		`{"object":"record","id":"m2","stream":"messages","connection_id":"cin_2","data":{"subject":null}}]`
	record := `{"object":"record","id":"m1","stream":"messages","connection_id":"cin_1","data":{"subject":"` + planted +
		`"}}`
	hit := `{"object":"search_result","record_key":"` + planted +
		`","stream":"messages","connection_id":"cin_1","matched_fields":["subject","snippet"],` +
		`"snippet":{"field":"subject","text":"` + planted + `"}}`
	const granted answers = `{"connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"cin_1",` +
		`"display_name":"` + planted + `"}],` +
		`"streams":[{"name":"messages"},{"name":"labels"}]}]}`
	for name, test := range map[string]struct {
		path   rs.Path
		query  rs.Query
		answer answers
		want   audit.Entry
	}{
		"page": {
			rs.JoinPath("v1", "streams", "messages", "records"),
			query("fields", "subject,"+planted, "filter[folder]", planted, "filter[at][gte]", planted, "sort", "-sent",
				"cursor", planted),
			answers(`{"object":"list","data":` + rows + `}`),
			audit.Entry{
				Streams: []string{"messages"}, Connections: []string{"cin_1", "cin_2"},
				Fields: []string{"folder", "at", "sent", "subject"}, RecordsRead: 2,
			},
		},
		"page of an older server": {
			rs.JoinPath("v1", "streams", "messages", "records"), query(),
			answers(`{"data":{"object":"list","data":` + rows + `}}`),
			audit.Entry{
				Streams: []string{"messages"}, Connections: []string{"cin_1", "cin_2"},
				Fields: []string{"*"}, RecordsRead: 2,
			},
		},
		"empty page": {
			rs.JoinPath("v1", "streams", "messages", "records"), query("fields", planted, "connection_id", planted),
			`{"object":"list","data":[]}`,
			audit.Entry{Streams: []string{"messages"}},
		},
		"record": {
			rs.JoinPath("v1", "streams", "messages", "records", planted), query("fields", "subject,"+planted), answers(record),
			audit.Entry{
				Streams: []string{"messages"}, Connections: []string{"cin_1"},
				Fields: []string{"subject"}, RecordsRead: 1,
			},
		},
		"whole record": {
			rs.JoinPath("v1", "streams", "messages", "records", planted), query(), answers(record),
			audit.Entry{Streams: []string{"messages"}, Connections: []string{"cin_1"}, Fields: []string{"*"}, RecordsRead: 1},
		},
		"window": {
			rs.JoinPath("v1", "streams", "messages", "records", planted, "field-window"),
			query("field", "body", "q", planted, "connection_id", "cin_1"),
			`{"object":"field_window","stream":"messages","field":{"path":"body"},"window":{"text":"` + planted + `"}}`,
			audit.Entry{Streams: []string{"messages"}, Connections: []string{"cin_1"}, Fields: []string{"body"}, RecordsRead: 1},
		},
		"aggregate": {
			rs.JoinPath("v1", "streams", "messages", "aggregate"),
			query("metric", "count", "group_by", "sender", "field", planted, "filter[folder]", planted),
			`{"object":"aggregation","stream":"messages","group_by":"sender","groups":[{"key":"` + planted + `","count":1}]}`,
			audit.Entry{Streams: []string{"messages"}, Fields: []string{"folder", "sender"}},
		},
		"search": {
			rs.JoinPath("v1", "search"), query("q", planted, "streams", planted, "filter[folder]", planted),
			answers(`{"object":"list","data":[` + hit + `]}`),
			audit.Entry{
				Streams: []string{"messages"}, Connections: []string{"cin_1"},
				Fields: []string{"folder", "subject", "snippet"}, RecordsRead: 1,
			},
		},
		"search that found nothing": { // every source may have been passed over for the filter
			rs.JoinPath("v1", "search"), query("q", planted, "filter["+planted+"]", planted),
			`{"object":"list","data":[]}`,
			audit.Entry{},
		},
		"schema of a stream": {
			rs.JoinPath("v1", "schema"), query("stream", "messages", "connection_id", "cin_1"), granted,
			audit.Entry{Streams: []string{"messages"}, Connections: []string{"cin_1"}},
		},
		"schema of names that are not there": {
			rs.JoinPath("v1", "schema"),
			query("stream", planted, "connection_id", planted), granted,
			audit.Entry{},
		},
		"whole schema": {rs.JoinPath("v1", "schema"), query("view", "compact"), granted, audit.Entry{}},
		"schema": {
			rs.JoinPath("v1", "schema"), query("stream", planted, "connection_id", planted),
			`{"object":"schema","connectors":[]}`,
			audit.Entry{},
		},
		"refused": {
			rs.JoinPath("v1", "streams", planted, "records"), query("fields", planted, "connection_id", planted),
			"",
			audit.Entry{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			line := lineOf(t, rs.Request{Path: test.path, Query: test.query}, test.answer, test.want)
			if strings.Contains(line, planted) {
				t.Errorf("a value is in %s", line)
			}
		})
	}
}

// lineOf returns the line of a call with one read. The line must be a valid entry.
func lineOf(t *testing.T, request rs.Request, answer answers, want audit.Entry) string {
	t.Helper()
	var out bytes.Buffer
	logger, _ := logged()
	call := audit.NewStream(&out, logger).Begin(audit.Caller{ClientID: "cli_1", GrantID: "grt_1"}, "a_tool")
	_, _ = call.Reader(answer).Get(t.Context(), request)
	call.End(3, "ok", 1500*time.Microsecond)
	want.Provider, want.Tool, want.Rows, want.Reads, want.Code, want.Duration = "https://pdpp.example", "a_tool", 3, 1, "ok", 1
	want.Caller = audit.Caller{ClientID: "cli_1", GrantID: "grt_1"}
	var got audit.Entry
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
		t.Fatalf("%v: %s", err, out.String())
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(audit.Entry{}, "Time")); diff != "" {
		t.Error(diff)
	}
	return out.String()
}

// answeredBy is a reader of several grants that answer with one body each. An empty body is a refusal.
type answeredBy struct{ grants [][]string }

func (a *answeredBy) ProviderURL() string { return "https://pdpp.example" }

func (a *answeredBy) Get(context.Context, rs.Request) (*rs.Response, error) {
	next := a.grants[0]
	a.grants = a.grants[1:]
	if next == nil {
		return nil, errors.New("refused")
	}
	return rs.Response{Status: 200, GrantIDs: next}.WithBody([]byte(`{}`))
}

// Covers R-OPS-2: an entry names the grants that answered: one as the caller's grant, several as a list.
func TestGrantsOfACall(t *testing.T) {
	for name, test := range map[string]struct {
		caller string
		grants [][]string
		one    string
		all    []string
	}{
		"the caller's":     {"grt_1", [][]string{{}}, "grt_1", nil},
		"one of several":   {"", [][]string{{"grt_2"}, nil, {"grt_2"}}, "grt_2", nil},
		"another than was": {"grt_1", [][]string{{"grt_2"}}, "grt_2", nil},
		"several":          {"grt_1", [][]string{{"grt_1"}, {"grt_2", "grt_1"}}, "", []string{"grt_1", "grt_2"}},
		"none that answer": {"", [][]string{nil}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			call := audit.NewStream(&out, nil).Begin(audit.Caller{GrantID: test.caller}, "a_tool")
			reader := call.Reader(&answeredBy{test.grants})
			for range test.grants {
				_, _ = reader.Get(t.Context(), rs.Request{Path: rs.JoinPath("v1", "schema")})
			}
			call.End(0, "ok", 0)
			var got audit.Entry
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.GrantID != test.one ||
				!slices.Equal(got.GrantIDs, test.all) {
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
}

// Covers R-OPS-2: reads are the requests that were sent. An answer from a kept response does not count.
func TestKeptResponsesAreNotReads(t *testing.T) {
	var out bytes.Buffer
	call := audit.NewStream(&out, nil).Begin(audit.Caller{}, "a_tool")
	inner, kept := answers(`{"connectors":[]}`), new(schemaquery.Kept)
	reader := call.Reader(tool.Wrap(inner, func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		return kept.Get(ctx, request, inner.Get)
	}, nil, nil))
	for range 3 {
		if _, err := schemaquery.Ask(schemaquery.Recent(t.Context()), reader, schemadoc.Scope{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	call.End(0, "ok", 0)
	var got audit.Entry
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Reads != 1 {
		t.Errorf("%v: %s", err, out.String())
	}
}

// Covers R-OPS-2: a nil log does nothing.
func TestNilLog(t *testing.T) {
	var none *audit.Log
	reader := answers(`{}`)
	call := none.Begin(audit.Caller{}, "a_tool")
	if call.Reader(reader) != rs.Reader(reader) {
		t.Error("the reader is wrapped")
	}
	call.End(0, "ok", 0)
}

// Covers R-OPS-2: a line is bounded, however long the client's name is and however many names a call reads.
func TestLineIsBounded(t *testing.T) {
	var out bytes.Buffer
	logger, _ := logged()
	rows := []byte(`{"object":"list","data":[`)
	for i := range 100 {
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(rows, `{"stream":"`+string(bytes.Repeat([]byte{'s'}, i*3))+`","data":{}}`...)
	}
	call := audit.NewStream(&out, logger).Begin(audit.Caller{ClientName: string(bytes.Repeat([]byte("é"), 10_000))},
		"a_tool")
	if _, err := call.Reader(answers(append(rows, `]}`...))).Get(t.Context(),
		rs.Request{Path: rs.JoinPath("v1", "search")}); err != nil {
		t.Fatal(err)
	}
	call.End(1, "ok", 0)
	if out.Len() > 6<<10 || !json.Valid(out.Bytes()) {
		t.Errorf("%d bytes: %.200s", out.Len(), out.String())
	}
}
