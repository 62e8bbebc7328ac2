package resource_test

import (
	"slices"
	"testing"
)

func TestRecordsAreReadNewestFirstInPages(t *testing.T) {
	f := newFixture(t)
	first := f.get(personalToken, "/v1/streams/messages/records")
	if got := len(first.column("data", "id")); got != 25 {
		t.Errorf("first page has %d records, want 25", got)
	}
	first.want("data.0.id", `"p-040"`)
	first.want("data.0.connection_id", `"`+personal+`"`)
	first.want("data.0.connector_instance_id", `"`+personal+`"`)
	first.want("data.0.display_name", `"Personal mail"`)
	first.want("data.0.emitted_at", `"2026-05-01T00:00:00Z"`)
	first.want("meta.count", `{"kind":"none"}`)
	first.want("links.self", `"/v1/streams/messages/records"`)

	rest := f.get(personalToken, first.text("links.next"))
	rest.want("has_more", "false")
	rest.want("links.next", "null")
	ids := append(first.column("data", "id"), rest.column("data", "id")...)
	if want := f.number(`SELECT count(*) FROM record WHERE connection_id = ? AND stream = 'messages'`,
		personal); len(ids) != want {
		t.Errorf("both pages have %d records, the database %d", len(ids), want)
	}
	if ids[len(ids)-1] != "shared" {
		t.Errorf("oldest record is %s, want shared", ids[len(ids)-1])
	}
}

// Offsets differ from record to record: texts decide the order, not instants (770).
func TestRecordsAreOrderedByText(t *testing.T) {
	f := newFixture(t)
	for _, query := range []string{"order=asc", "sort=received_at"} {
		page := f.get(personalToken, "/v1/streams/messages/records?limit=3&"+query)
		if got := page.column("data", "id"); !slices.Equal(got, []string{"shared", "p-001", "p-002"}) {
			t.Errorf("%s: %v", query, got)
		}
		next := f.get(personalToken, page.text("links.next"))
		if got := next.column("data", "id"); !slices.Equal(got, []string{"p-003", "p-004", "p-005"}) {
			t.Errorf("%s, second page: %v", query, got)
		}
	}
}

func TestRecordsAreOrderedByNumber(t *testing.T) {
	f := newFixture(t)
	page := f.get(ownerToken, "/v1/streams/days/records?connector_id=steps")
	if got := page.column("data", "id"); !slices.Equal(got, []string{"d3", "d2", "d0", "d1"}) {
		t.Errorf("order is %v, want 200, 10, 9, -3", got)
	}
}

func TestRecordsParameters(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		token, query string
		path, want   string
	}{
		"limit is clamped":          {personalToken, "limit=1000", "meta.warnings.0.code", `"limit_clamped"`},
		"limit 0 means the default": {personalToken, "limit=0", "data.25", "null"},
		"limit abc means default":   {personalToken, "limit=abc", "data.24.id", `"p-016"`},
		"count exact":               {personalToken, "count=exact", "meta.count", `{"kind":"exact","value":41}`},
		"count estimated":           {personalToken, "count=estimated", "meta.count", `{"kind":"exact","value":41}`},
		"count in a grant's range":  {narrowToken, "count=exact", "meta.count", `{"kind":"exact","value":22}`},
		"window":                    {personalToken, "window=exact", "meta.window.total", "41"},
		"window ends":               {personalToken, "window=exact", "meta.window.earliest_at", `"2025-12-31T23:30:00Z"`},
		"fields": {
			personalToken, "limit=1&fields=id,subject", "data.0.data",
			`{"id":"p-040","subject":"Overdraft notice 40"}`,
		},
		"fields in a narrow grant": {narrowToken, "limit=1&fields=subject", "data.0.data", `{"subject":"note 31"}`},
		"everything that is granted": {
			narrowToken, "limit=1", "data.0.data",
			`{"id":"p-031","labels":["INBOX"],"received_at":"2026-01-31T09:00:00Z","subject":"note 31"}`,
		},
		"view": {
			personalToken, "limit=1&view=envelope", "data.0.data",
			`{"id":"p-040","received_at":"2026-02-09T02:00:00-07:00","subject":"Overdraft notice 40"}`,
		},
		"exact filter on boolean": {personalToken, "count=exact&filter[is_flagged]=true", "meta.count.value", "8"},
		"its own text on time": {
			personalToken, "filter[received_at]=2026-01-02T02:00:00-07:00",
			"data.0.id", `"p-002"`,
		},
		"exact filter on integer": {personalToken, "filter[size_bytes]=1007", "data.0.id", `"p-007"`},
		"exact filter on time": {
			personalToken, "count=exact&filter[received_at]=2026-01-02T09:00:00Z",
			"meta.count.value", "0",
		},
		"range of numbers": {
			personalToken, "count=exact&filter[size_bytes][gt]=999&filter[size_bytes][lte]=1009",
			"meta.count.value", "9",
		},
		"range of times": {
			personalToken,
			"count=exact&filter[received_at][gte]=2026-01-02T09:00:00Z&filter[received_at][lt]=2026-01-05",
			"meta.count.value", "3",
		},
		"null meets no filter":  {personalToken, "count=exact&filter[size_bytes][gte]=0", "meta.count.value", "40"},
		"one connection of two": {bothToken, "count=exact&connection_id=" + work, "meta.count.value", "9"},
		"deprecated name of it": {
			personalToken, "connector_instance_id=" + personal, "meta.warnings.0.code",
			`"deprecated_alias_used"`,
		},
		"owner by connector": {ownerToken, "count=exact&connector_id=mail", "meta.count.value", "50"},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.get(test.token, "/v1/streams/messages/records?"+test.query)
			a.t = t
			a.want(test.path, test.want)
		})
	}
}

func TestRecordsRefusals(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		token, target string
		status        int
		kind, code    string
	}{
		"unknown parameter": {
			personalToken, "messages/records?bogus=1", 400, "invalid_request_error",
			"invalid_request",
		},
		"malformed encoding": {
			personalToken, "messages/records?fields=%zz", 400, "invalid_request_error",
			"invalid_request",
		},
		"count": {
			personalToken, "messages/records?count=bogus", 400, "invalid_request_error",
			"invalid_request",
		},
		"order": {
			personalToken, "messages/records?order=sideways", 400, "invalid_request_error",
			"invalid_request",
		},
		"sort on another field": {
			personalToken, "messages/records?sort=size_bytes", 400,
			"invalid_request_error", "invalid_sort",
		},
		"sort on two fields": {
			personalToken, "messages/records?sort=-received_at,id", 400,
			"invalid_request_error", "invalid_sort",
		},
		"sort against order": {
			personalToken, "messages/records?sort=-received_at&order=asc", 400,
			"invalid_request_error", "invalid_sort",
		},
		"unknown field": {
			personalToken, "messages/records?fields=id,nope", 400, "invalid_request_error",
			"unknown_field",
		},
		"field not granted": {
			narrowToken, "messages/records?fields=id,body", 403, "permission_error",
			"field_not_granted",
		},
		"unknown view": {
			personalToken, "messages/records?view=nope", 400, "invalid_request_error",
			"invalid_request",
		},
		"view and fields": {
			personalToken, "messages/records?view=envelope&fields=id", 400,
			"invalid_request_error", "invalid_request",
		},
		"filter on unknown field": {
			personalToken, "messages/records?filter[nope]=1", 400, "invalid_request_error",
			"unknown_field",
		},
		"filter on field not granted": {
			narrowToken, "messages/records?filter[is_flagged]=true", 403, "permission_error",
			"field_not_granted",
		},
		"range not declared": {
			personalToken, "messages/records?filter[subject][gte]=a", 400,
			"invalid_request_error", "invalid_request",
		},
		"unknown operator": {
			personalToken, "messages/records?filter[received_at][like]=a", 400,
			"invalid_request_error", "invalid_request",
		},
		"filter on an array": {
			personalToken, "messages/records?filter[labels]=INBOX", 400, "invalid_request_error",
			"invalid_request",
		},
		"value is no integer": {
			personalToken, "messages/records?filter[size_bytes][gte]=abc", 400,
			"invalid_request_error", "invalid_request",
		},
		"value is no time": {
			personalToken, "messages/records?filter[received_at][gte]=abc", 400,
			"invalid_request_error", "invalid_request",
		},
		"filter without field": {
			personalToken, "messages/records?filter=x", 400, "invalid_request_error",
			"invalid_request",
		},
		"unknown relation": {
			personalToken, "messages/records?expand=nope", 400, "invalid_request_error",
			"invalid_expand",
		},
		"expand limit too high": {
			personalToken, "messages/records?expand=attachments&expand_limit[attachments]=500",
			400, "invalid_request_error", "invalid_expand",
		},
		"expand limit of nothing": {
			personalToken, "messages/records?expand_limit[attachments]=5", 400,
			"invalid_request_error", "invalid_expand",
		},
		"relation not granted": {
			narrowToken, "messages/records?expand=attachments", 403, "permission_error",
			"grant_stream_not_allowed",
		},
		"malformed cursor": {
			personalToken, "messages/records?cursor=garbage", 400, "invalid_request_error",
			"invalid_cursor",
		},
		"malformed changes_since": {
			personalToken, "messages/records?changes_since=garbage", 400, "invalid_request_error",
			"invalid_cursor",
		},
		"changes of two connections": {
			bothToken, "messages/records?changes_since=beginning", 400, "invalid_request_error",
			"invalid_argument",
		},
		"stream not granted": {
			narrowToken, "attachments/records", 401, "authentication_error",
			"context.stream_not_allowed",
		},
		"connection not granted": {
			personalToken, "messages/records?connection_id=" + work, 401, "authentication_error",
			"context.instance_mismatch",
		},
		"owner names no source": {ownerToken, "messages/records", 400, "invalid_request_error", "invalid_request"},
		"owner, unknown stream": {ownerToken, "nope/records?connector_id=mail", 404, "not_found_error", "not_found"},
		"owner, unknown connection": {
			ownerToken, "messages/records?connection_id=cin_nope", 404, "not_found_error",
			"connection_not_found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.send("GET", test.token, "/v1/streams/"+test.target, "")
			if a.Code != test.status || a.text("error.type") != test.kind || a.text("error.code") != test.code {
				t.Errorf("answered %d %s, want %d %s %s", a.Code, a.Body, test.status, test.kind, test.code)
			}
			if a.text("error.request_id") != a.Header().Get("Request-Id") || a.text("error.message") == "" {
				t.Errorf("request id or message is missing: %s", a.Body)
			}
		})
	}
}

// With another filter, and on another stream, a real server continues from the position without an error (770s, 814i).
func TestCursorIsBoundToDirectionAlone(t *testing.T) {
	f := newFixture(t)
	cursor := f.get(personalToken, "/v1/streams/messages/records?limit=2").text("next_cursor")
	a := f.send("GET", personalToken, "/v1/streams/messages/records?limit=2&order=asc&cursor="+cursor, "")
	if a.Code != 400 || a.text("error.code") != "invalid_cursor" {
		t.Errorf("other order: answered %d %s", a.Code, a.Body)
	}
	f.get(personalToken, "/v1/streams/messages/records?limit=2&filter[is_flagged]=true&cursor="+cursor).want("data.0.id",
		`"p-035"`)
	f.get(personalToken, "/v1/streams/attachments/records?limit=1&cursor="+cursor).want("data.0.id", `"p-030:2"`)
	f.get(personalToken, "/v1/streams/messages/records?limit=5&fields=id&cursor="+cursor).want("data.0.id", `"p-038"`)
}

func TestFanInCountsPerConnectionAndHasNoCursor(t *testing.T) {
	f := newFixture(t)
	a := f.get(bothToken, "/v1/streams/messages/records?limit=3&fields=id")
	if got, want := a.column("data", "id"), []string{
		"p-040", "p-039", "p-038", "w-008", "w-007",
		"w-006",
	}; !slices.Equal(got, want) {
		t.Errorf("records are %v, want %v", got, want)
	}
	a.want("has_more", "true")
	a.want("next_cursor", "null")
	a.want("meta.warnings.0.code", `"partial_results"`)
	a.want("meta.warnings.0.param", `"connection_id"`)
}

func TestExpand(t *testing.T) {
	f := newFixture(t)
	for _, parameter := range []string{"expand", "expand[]"} {
		a := f.get(personalToken, "/v1/streams/messages/records?filter[size_bytes]=1010&"+
			parameter+"=attachments&"+parameter+"=envelope&expand_limit[attachments]=1")
		a.want("data.0.expanded.attachments.object", `"list"`)
		a.want("data.0.expanded.attachments.has_more", "true")
		a.want("data.0.expanded.attachments.data.0.id", `"p-010:1"`)
		a.want("data.0.expanded.attachments.data.1", "null")
		a.want("data.0.expanded.envelope.id", `"[\"p-010\",\"2026-01-01\"]"`)
	}
	f.get(personalToken, "/v1/streams/messages/records?filter[size_bytes]=1011&expand=envelope").want("data.0.expanded",
		`{"envelope":null}`)

	// Both connections have a record of that key; what is expanded is of the record's own connection.
	f.get(bothToken, "/v1/streams/messages/records/shared?expand=attachments&connection_id="+work).
		want("expanded.attachments.data.0.connection_id", `"`+work+`"`)
	f.get(ownerToken, "/v1/streams/messages/records/shared?expand=attachments&connection_id="+work).
		want("expanded.attachments.data.0.connection_id", `"`+work+`"`)
	a := f.send("GET", unlinkedToken, "/v1/streams/messages/records?expand=attachments", "")
	if a.Code != 403 || a.text("error.code") != "field_not_granted" {
		t.Errorf("a relation over a field that is not granted: %d %s", a.Code, a.Body)
	}
}

func TestOnlyOneNameOfAConnection(t *testing.T) {
	f := newFixture(t)
	a := f.send("GET", bothToken, "/v1/streams/messages/records?connector_instance_id="+personal+
		"&connection_id="+work, "")
	if a.Code != 500 || a.at("statusCode") != 500.0 || a.text("code") != "invalid_argument" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
}

// Two connectors may call a stream alike and mean different things by it.
func TestStreamOfTwoConnectors(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"days/records", "days/aggregate?metric=count"} {
		a := f.send("GET", crossToken, "/v1/streams/"+target, "")
		if a.Code != 409 || a.text("error.code") != "ambiguous_connection" {
			t.Errorf("%s: answered %d %s", target, a.Code, a.Body)
		}
		if got := a.column("error.available_connections", "connection_id"); !slices.Equal(got,
			[]string{"cin_steps", "cin_sleep"}) {
			t.Errorf("available connections are %v", got)
		}
	}
	f.get(crossToken, "/v1/streams/days/records?connection_id=cin_sleep").want("data.0.id", `"night"`)
	f.get(crossToken, "/v1/streams/days/records/d1").want("connection_id", `"cin_steps"`)
}
