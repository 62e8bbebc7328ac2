package main

import (
	"slices"
	"testing"
)

// sentRequests has the requests of calls, with their requirements. Query strings are encoded as sent.
var sentRequests = []struct {
	id        string
	tool      string
	arguments string
	request   string
}{
	{
		"R-ARG-1", "query_records",
		`{"stream":"messages","filter":{"is_seen":true,"at":{"gte":"2026-01-01","lt":"2026-02-01"}}}`,
		"/v1/streams/messages/records?filter%5Bis_seen%5D=true&filter%5Bat%5D%5Bgte%5D=2026-01-01&filter%5Bat%5D%5Blt%5D=2026-02-01",
	},
	{
		"R-ARG-2", "search", `{"q":"x","filter":{"a":1.10,"b":1e-7,"c":12345678901234567890}}`,
		"/v1/search?q=x&filter%5Ba%5D=1.10&filter%5Bb%5D=1e-7&filter%5Bc%5D=12345678901234567890",
	},
	{
		"R-ARG-4", "query_records", `{"stream":"messages","expand":["thread"],"expand_limit":{"thread":5}}`,
		"/v1/streams/messages/records?expand=thread&expand_limit%5Bthread%5D=5",
	},
	{
		"R-ARG-5", "query_records", `{"stream":"messages","limit":100.0}`,
		"/v1/streams/messages/records?limit=100",
	},
	{
		"R-ARG-6", "query_records", `{"changes_since":"eyJ9==","view":"envelope","fields":["id","subject"],"count":"exact",` +
			`"sort":"-at","order":"desc","cursor":"c+/=","limit":5,"stream":"messages","connection_id":"cin_1"}`,
		// The cursor continues the feed alone (051b).
		"/v1/streams/messages/records?limit=5&cursor=c%2B%2F%3D&order=desc&sort=-at&count=exact&fields=id%2Csubject&view=envelope&connection_id=cin_1",
	},
	{
		"R-ARG-6", "query_records", `{"changes_since":"eyJ9==","limit":5,"stream":"messages"}`,
		"/v1/streams/messages/records?limit=5&changes_since=eyJ9%3D%3D",
	},
	{
		"R-QRY-6", "query_records", `{"stream":"messages","changes_since":"now","limit":50}`,
		"/v1/streams/messages/records?limit=1&changes_since=beginning",
	},
	{
		"R-HAND-9", "fetch",
		`{"id":"pdpp://record/eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwiY29ubmVjdGlvbl9pZCI6ImNpbl8xIiwic3RyZWFtIjoicmVwb3NpdG9yaWVzIiwicmVjb3JkX2lkIjoib3duZXIvcmVwbyJ9"}`,
		"/v1/streams/repositories/records/owner%2Frepo?connection_id=cin_1",
	},
	{
		"R-HAND-9", "fetch", `{"id":"pdpp://record/cin_1%2Frepositories:owner%2Frepo"}`,
		"/v1/streams/repositories/records/owner%2Frepo?connection_id=cin_1",
	},
	{
		"R-ARG-6", "query_records", `{"stream":"messages","cursor":null,"fields":null}`,
		"/v1/streams/messages/records",
	},
	{
		"R-ARG-6", "aggregate",
		`{"stream":"messages","metric":"sum","field":"size","group_by":"from","limit":3,"connection_id":"cin_1"}`,
		"/v1/streams/messages/aggregate?metric=sum&field=size&group_by=from&limit=3&connection_id=cin_1",
	},
	{
		"R-ARG-6", "aggregate",
		`{"stream":"messages","metric":"count","group_by_time":"at","granularity":"month","time_zone":"Europe/Berlin"}`,
		"/v1/streams/messages/aggregate?metric=count&group_by_time=at&granularity=month&time_zone=Europe%2FBerlin",
	},
	{
		"R-ARG-6", "search", `{"query":"x","streams":["messages","threads"],"mode":"semantic"}`,
		"/v1/search/semantic?q=x&streams=messages&streams=threads",
	},
	{
		"R-ARG-7", "query_records", `{"stream":"my stream?#%"}`,
		"/v1/streams/my%20stream%3F%23%25/records",
	},
	{
		"R-ARG-9", "read_record_field",
		`{"stream":"messages","record_id":"m1","connection_id":"cin_1","field_path":"body","q":"x","before_chars":1,` +
			`"after_chars":2,"limit_chars":16384}`,
		"/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=body&q=x&limit_chars=16384&before_chars=1&after_chars=2",
	},
	{
		"R-HAND-2", "fetch", `{"id":"cin_1/daily:[\"user \\\"1\\\"\",\"2026-04-01\"]"}`,
		"/v1/streams/daily/records/%5B%22user%20%5C%221%5C%22%22%2C%222026-04-01%22%5D?connection_id=cin_1",
	},
	{
		"R-HAND-3", "fetch", `{"id":"cin_1/messages:p-msg:2"}`,
		"/v1/streams/messages/records/p-msg:2?connection_id=cin_1",
	},
	{
		"R-HAND-3", "fetch", `{"id":"pdpp://record/cin_1%2Fmessages%3Am1"}`,
		"/v1/streams/messages/records/m1?connection_id=cin_1",
	},
	{
		"R-HAND-4", "fetch", `{"id":"cin_1/messages:m1","connection_id":"cin_1"}`,
		"/v1/streams/messages/records/m1?connection_id=cin_1",
	},
	{
		"R-HAND-6", "fetch", `{"id":"messages:m1"}`,
		"/v1/streams/messages/records/m1",
	},
	{"R-SEARCH-1", "search", `{"q":"x","mode":"hybrid"}`, "/v1/search/hybrid?q=x&limit=100"},
	{
		"R-WIN-1", "read_record_field", `{"id":"cin_1/messages:m1","field_path":"a.b","offset_chars":0}`,
		"/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=a.b&offset_chars=0",
	},
}

// The RS has none of these records. Its refusal reaches the client (R-ERR-1).
func TestSentRequests(t *testing.T) {
	listener := &listeningRS{}
	session := serveSurface(t, listener)
	for _, sent := range sentRequests {
		t.Run(sent.id+"/"+sent.tool+" "+sent.arguments, func(t *testing.T) {
			got := callForError(t, session, sent.tool, sent.arguments)
			if got.Type != "not_found_error" || got.Code != "not_found" {
				t.Errorf("error is %+v, want the envelope of the RS", got)
			}
			// Calls with expand read the schema first (R-ARG-8). It is not found either, and the gate passes. A refusal reads
			// the schema for the known names (R-ERR-7), and a search reads what it covers (R-CLAIM-4).
			seen := slices.DeleteFunc(listener.take(), func(request string) bool {
				return request == "/v1/schema?view=compact&stream=messages" || request == "/v1/schema?view=compact" ||
					request == "/.well-known/oauth-protected-resource"
			})
			if !slices.Equal(seen, []string{sent.request}) {
				t.Errorf("the RS saw\n%q, want\n%q", seen, sent.request)
			}
		})
	}
}
