package main

import (
	"slices"
	"strings"
	"testing"
)

// A refusal is a call that must fail before any request to the resource server.
type refusal struct {
	id        string // of the requirement
	tool      string
	arguments string
	code      string
	says      string // a part of the message
}

// refusedCalls has every negative case of R-ARG and R-HAND, and of other requirements that name one.
var refusedCalls = []refusal{
	{"R-SURF-9", "query_records", `{"stream":"messages","offset":1}`, "unknown_argument", "offset"},
	{"R-SURF-9", "schema", `{"streams":"messages"}`, "unknown_argument", "streams"},
	{
		"R-SURF-9", "fetch", `{"id":"messages:m1","connector_instance_id":"cin_1"}`, "unknown_argument",
		"connector_instance_id",
	},
	{"R-SURF-9", "aggregate", `{"stream":"messages","metric":"count","order":"asc"}`, "unknown_argument", "order"},
	{"R-SURF-9", "search", `{"q":"x","stream":"messages"}`, "unknown_argument", "stream"},
	{"R-SURF-9", "read_record_field", `{"id":"messages:m1","field_path":"body","limit":1}`, "unknown_argument", "limit"},
	{"R-SURF-9", "query_records", `["messages"]`, "invalid_arguments", "object"},

	{"R-ARG-3", "query_records", `{"stream":"messages","filter":"is_seen=true"}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":"{\"is_seen\":true}"}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":""}`, "invalid_filter", `{"`},
	{"R-ARG-3", "aggregate", `{"stream":"messages","metric":"count","filter":["is_seen"]}`, "invalid_filter", `{"`},
	{"R-ARG-3", "search", `{"q":"x","filter":{}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"is[seen]":true}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":{}}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":{"like":"x"}}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":null}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":{"gte":null}}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":{"gte":{"x":1}}}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"at":["x"]}}`, "invalid_filter", `{"`},
	{"R-ARG-3", "query_records", `{"stream":"messages","filter":7}`, "invalid_filter", `{"`},

	{"R-ARG-3", "query_records", `{"stream":"messages","filter":{"__proto__":"a"}}`, "invalid_filter", `{"`},
	{
		"R-ARG-3", "aggregate", `{"stream":"messages","metric":"count","filter":{"__proto__":{"gte":1}}}`,
		"invalid_filter", `{"`,
	},
	{"R-ARG-3", "search", `{"q":"x","filter":{"at":"2026-01-01","__proto__":"a"}}`, "invalid_filter", `{"`},

	{
		"R-ARG-4", "query_records", `{"stream":"messages","expand":["thread"],"expand_limit":{}}`,
		"invalid_expand", "expand_limit",
	},
	{"R-ARG-4", "fetch", `{"id":"messages:m1","expand_limit":{"a[b]":1}}`, "invalid_expand", "expand_limit"},
	{"R-ARG-4", "fetch", `{"id":"messages:m1","expand_limit":{"thread":0}}`, "invalid_expand", "expand_limit"},
	{
		"R-ARG-4", "query_records", `{"stream":"messages","expand_limit":{"thread":"five"}}`,
		"invalid_expand", "expand_limit",
	},
	{"R-ARG-4", "query_records", `{"stream":"messages","expand_limit":"thread=5"}`, "invalid_expand", "expand_limit"},

	{"R-ARG-5", "query_records", `{"stream":"messages","limit":0}`, "invalid_arguments", "limit"},
	{"R-ARG-5", "query_records", `{"stream":"messages","limit":101}`, "invalid_arguments", "limit"},
	{"R-ARG-5", "search", `{"q":"x","limit":-1}`, "invalid_arguments", "limit"},
	{"R-ARG-5", "aggregate", `{"stream":"messages","metric":"count","limit":1000}`, "invalid_arguments", "limit"},
	{"R-ARG-5", "query_records", `{"stream":"messages","limit":"five"}`, "invalid_arguments", "limit"},
	{"R-ARG-5", "query_records", `{"stream":"messages","limit":1.5}`, "invalid_arguments", "limit"},

	{"R-ARG-6", "query_records", `{}`, "invalid_arguments", "stream"},
	{"R-ARG-6", "query_records", `{"stream":"messages","order":"sideways"}`, "invalid_arguments", "order"},
	{"R-ARG-6", "query_records", `{"stream":"messages","fields":["id,subject"]}`, "invalid_arguments", "fields"},
	{"R-ARG-6", "search", `{}`, "invalid_arguments", "q"},
	{"R-ARG-6", "search", `{"q":"x","query":"y"}`, "invalid_arguments", "q"},

	{"R-ARG-6", "query_records", `{"stream":7}`, "invalid_arguments", "stream must be a string"},
	{"R-ARG-6", "search", `{"q":7}`, "invalid_arguments", "q must be a string"},
	{
		"R-ARG-6", "aggregate", `{"stream":"messages","metric":"sum","group_by":"subject"}`, "invalid_arguments",
		"field is required",
	},
	{
		"R-ARG-6", "aggregate", `{"stream":"messages","metric":"count","group_by":"subject","group_by_time":"at"}`,
		"invalid_arguments", "granularity is required",
	},

	{"R-ARG-7", "query_records", `{"stream":""}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"."}`, "invalid_id", "stream"},
	{"R-ARG-7", "aggregate", `{"stream":"..","metric":"count"}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"a/b"}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"a\\b"}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"a..b"}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"a\u0000b"}`, "invalid_id", "stream"},
	{"R-ARG-7", "schema", `{"stream":"../owner"}`, "invalid_id", "stream"},
	{"R-ARG-7", "query_records", `{"stream":"messages","connection_id":"a/b"}`, "invalid_id", "connection_id"},
	{"R-ARG-7", "search", `{"q":"x","connection_id":".."}`, "invalid_id", "connection_id"},
	{"R-ARG-7", "read_record_field", `{"id":"messages:m1","field_path":"../x"}`, "invalid_id", "field_path"},
	{
		"R-ARG-7", "read_record_field", `{"stream":"messages","record_id":"a/b","field_path":"x"}`,
		"invalid_id", "record_id",
	},
	{
		"R-ARG-7", "read_record_field", `{"stream":"messages","record_id":"a\\..b","field_path":"x"}`,
		"invalid_id", "record_id",
	},

	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","offset_chars":0,"q":"x"}`,
		"invalid_field_window_selector", "",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","cursor":"c","q":"x"}`,
		"invalid_field_window_selector", "",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","offset_chars":0,"cursor":"c"}`,
		"invalid_field_window_selector", "",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","before_chars":10}`,
		"invalid_field_window_selector", "",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","offset_chars":0,"after_chars":10}`,
		"invalid_field_window_selector", "",
	},
	{"R-ARG-9", "read_record_field", `{"field_path":"body"}`, "invalid_field_window_selector", ""},
	{
		"R-ARG-9", "read_record_field", `{"stream":"messages","field_path":"body"}`,
		"invalid_field_window_selector", "record_id",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","stream":"messages","record_id":"m1","field_path":"body"}`,
		"invalid_field_window_selector", "",
	},
	{
		"R-ARG-9", "read_record_field", `{"id":"messages:m1","field_path":"body","limit_chars":16385}`,
		"invalid_arguments", "16384",
	},
	{"R-ARG-9", "read_record_field", `{"id":"messages:m1"}`, "invalid_arguments", "field_path"},

	{"R-HAND-1", "fetch", `{"id":"https://pdpp.example/v1/streams/messages/records/m1"}`, "invalid_id", ""},
	{"R-HAND-3", "fetch", `{"id":"pdpp://record/!!!"}`, "invalid_id", ""},
	{
		"R-HAND-4", "fetch", `{"id":"cin_1/messages:m1","connection_id":"cin_2"}`, "conflicting_connection_id",
		"connection_id",
	},
	{
		"R-HAND-4", "read_record_field", `{"id":"cin_1/messages:m1","connection_id":"cin_2","field_path":"body"}`,
		"conflicting_connection_id", "connection_id",
	},
	{"R-HAND-5", "fetch", `{"id":""}`, "invalid_id", "id"},
	{"R-HAND-5", "fetch", `{"id":"messages"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":":m1"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"messages:"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"/messages:m1"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"cin_1//messages:m1"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"cin_1/x/messages:m1"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"../messages:m1"}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"cin_1/messages:.."}`, "invalid_id", ""},
	{"R-HAND-5", "fetch", `{"id":"cin_1/messages:a/../b"}`, "invalid_id", ""},

	{"R-SCH-6", "schema", `{"detail":"full"}`, "invalid_schema_detail", `detail: "full"`},
}

func TestRefusedBeforeAnyRequest(t *testing.T) {
	listener := &listeningRS{}
	session := serveSurface(t, listener)
	for _, refused := range refusedCalls {
		t.Run(refused.id+"/"+refused.tool+" "+refused.arguments, func(t *testing.T) {
			got := callForError(t, session, refused.tool, refused.arguments)
			if got.Type != "adapter_error" || got.Code != refused.code {
				t.Errorf("error is %+v, want code %s", got, refused.code)
			}
			if !strings.Contains(got.Message, refused.says) {
				t.Errorf("message %q does not say %s", got.Message, refused.says)
			}
			if refused.code == "unknown_argument" && !slices.Contains(got.Accepted, "connection_id") {
				t.Errorf("accepted is %v, want the arguments of the tool", got.Accepted)
			}
			if seen := listener.take(); len(seen) > 0 {
				t.Errorf("the RS saw %v, want nothing", seen)
			}
		})
	}
}

// Covers R-ARG-8: the call reads the stream's live schema and not the records endpoint.
func TestUnadvertisedExpand(t *testing.T) {
	listener := &listeningRS{schema: `{"object":"schema","connectors":[{"connector_key":"gmail",` +
		`"streams":[{"name":"messages","field_capabilities":{"id":"declared"}}],` +
		`"granted_connections":[{"connection_id":"cin_1"}]}]}`}
	session := serveSurface(t, listener)
	got := callForError(t, session, "query_records", `{"stream":"messages","connection_id":"cin_1","expand":["thread"]}`)
	if got.Code != "invalid_expand" || !strings.Contains(got.Message, "messages") ||
		!strings.Contains(got.Message, "GET /v1/schema") {
		t.Errorf("error is %+v, want invalid_expand that names the stream and the schema", got)
	}
	want := []string{"/v1/schema?view=compact&stream=messages&connection_id=cin_1"}
	if seen := listener.take(); !slices.Equal(seen, want) {
		t.Errorf("the RS saw %v, want %v", seen, want)
	}
}
