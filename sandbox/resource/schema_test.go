package resource_test

import (
	"slices"
	"testing"
)

func TestCompactSchema(t *testing.T) {
	f := newFixture(t)
	a := f.get(personalToken, "/v1/schema?view=compact")
	for path, want := range map[string]string{
		"object":          `"schema"`,
		"detail":          `"compact"`,
		"connector_count": "1",
		"stream_count":    "3",
		"bearer": `{"client_id":"longview","grant_id":"grt_personal","scope":"grant",` +
			`"token_kind":"client"}`,
		"connectors.0.connector_key": `"mail"`,
		"connectors.0.granted_connections": `[{"connection_id":"` + personal +
			`","display_name":"Personal mail"}]`,
		"connectors.0.streams.0.name":                            `"messages"`,
		"connectors.0.streams.0.primary_key":                     `["id"]`,
		"connectors.0.streams.0.field_capabilities.subject":      `"t=string,role=primary-title,eq,lex,sem"`,
		"connectors.0.streams.0.field_capabilities.received_at":  `"t=string,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time|max|min"`,
		"connectors.0.streams.0.field_capabilities.size_bytes":   `"t=integer|null,eq,r=gte|gt|lte|lt,a=max|min|sum"`,
		"connectors.0.streams.0.field_capabilities.labels":       `"t=array"`,
		"connectors.0.streams.0.expand_capabilities.0.usable":    "true",
		"connectors.0.streams.0.expand_capabilities.0.max_limit": "50",
		"connectors.0.streams.0.expand_capabilities.1.max_limit": "null",
		"links.self": `"/v1/schema?view=compact"`,
	} {
		a.want(path, want)
	}
	a.want("connectors.0.streams.0.cursor_field", `"received_at"`)
	a.want("connectors.0.streams.2.cursor_field", "null")
}

func TestSchemaOfANarrowGrant(t *testing.T) {
	f := newFixture(t)
	a := f.get(narrowToken, "/v1/schema?view=compact")
	const fields = "connectors.0.streams.0.field_capabilities."
	a.want("stream_count", "1")
	a.want(fields+"id", `"t=string,eq"`)
	a.want(fields+"body", `"t=string|null,g=false"`)
	a.want("connectors.0.streams.0.expand_capabilities.0.granted", "false")
	a.want("connectors.0.streams.0.expand_capabilities.0.usable", "false")

	full := f.get(narrowToken, "/v1/schema?stream=messages")
	full.want(fields+"body.granted", "false")
	full.want(fields+"body.lexical_search", `{"declared":true,"usable":false}`)
	full.want("connectors.0.streams.0.schema.properties.body", "null")
	full.want("connectors.0.streams.0.query.search.lexical_fields", `["subject"]`)
}

func TestFullSchema(t *testing.T) {
	f := newFixture(t)
	a := f.get(ownerToken, "/v1/schema?detail=full&stream=messages&connection_id="+personal)
	const stream = "connectors.0.streams.0."
	for path, want := range map[string]string{
		"bearer":                   `{"scope":"owner","token_kind":"owner"}`,
		"detail":                   "null",
		stream + "object":          `"stream_metadata"`,
		stream + "cursor_field":    `"received_at"`,
		stream + "schema.required": `["id","received_at"]`,
		stream + "views.0.id":      `"envelope"`,
		stream + "instance_ids":    `["` + personal + `"]`,
		stream + "relationships.0": `{"cardinality":"has_many","foreign_key":"message_id","name":"attachments",` +
			`"stream":"attachments"}`,
		stream + "field_capabilities.size_bytes.schema.type": `["integer","null"]`,
		stream + "field_capabilities.size_bytes.range_filter": `{"declared":true,"operators":["gte","gt","lte",` +
			`"lt"],"usable":true}`,
		stream + "field_capabilities.size_bytes.aggregation.sum":      `{"declared":true,"usable":true}`,
		stream + "field_capabilities.size_bytes.aggregation.group_by": `{"declared":false,"usable":false}`,
		stream + "query.aggregations.count":                           "true",
		stream + "query.aggregations.group_by":                        `["from_email","is_flagged"]`,
		stream + "query.expand.0": `{"default_limit":10,"max_limit":50,` +
			`"name":"attachments"}`,
		stream + "freshness": `{"captured_at":"2026-05-01T00:00:00Z",` +
			`"status":"unknown"}`,
	} {
		a.want(path, want)
	}
}

func TestSchemaSelection(t *testing.T) {
	f := newFixture(t)
	for query, want := range map[string]string{
		"stream=nope": "0", "connection_id=cin_nope": "0", "stream=messages": "1", "connection_id=" + personal: "3",
		"bogus=1": "null", "view=weird": "null", // the full schema of everything does not count
	} {
		f.get(bothToken, "/v1/schema?"+query).want("stream_count", want)
	}
	f.get(ownerToken, "/v1/schema?view=compact").want("connector_count", "3")
	f.get(bothToken, "/v1/schema?stream=nope").want("connectors", "[]")
}

func TestFullDetailNeedsOneSource(t *testing.T) {
	f := newFixture(t)
	a := f.send("GET", personalToken, "/v1/schema?detail=full", "")
	if a.Code != 400 || a.text("error.param") != "detail" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	a = f.send("GET", bothToken, "/v1/schema?detail=full&stream=messages", "")
	if a.Code != 409 || a.text("error.code") != "ambiguous_schema_detail" || a.text("error.type") != "api_error" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	if got := a.column("error.available_connections", "connection_id"); !slices.Equal(got, []string{personal, work}) {
		t.Errorf("available connections are %v", got)
	}
	a.want("error.available_connections.0.connector_key", `"mail"`)
	a.want("error.retry_with", `"connection_id"`)
}

func TestStreams(t *testing.T) {
	f := newFixture(t)
	a := f.get(bothToken, "/v1/streams?bogus=1")
	a.want("data.0.name", `"messages"`)
	a.want("data.0.record_count", "41")
	a.want("data.0.last_updated", `"2026-05-01T00:00:00Z"`)
	a.want("data.1.connection_id", `"`+work+`"`)
	a.want("data.1.record_count", "9")
	a.want("data.0.source", "null")
	a.want("has_more", "false")
	if got := len(a.column("data", "name")); got != 6 {
		t.Errorf("%d rows, want one for each of 3 streams in 2 connections", got)
	}
	f.get(narrowToken, "/v1/streams").want("data.0.record_count", "22")
	f.get(ownerToken, "/v1/streams?connector_id=steps").want("data.0.source", `{"id":"steps","kind":"connector"}`)

	one := f.get(personalToken, "/v1/streams/messages")
	one.want("object", `"stream_metadata"`)
	one.want("links.self", `"/v1/streams/messages"`)
	if a := f.send("GET", personalToken, "/v1/streams/nope", ""); a.Code != 401 ||
		a.text("error.code") != "context.stream_not_allowed" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
}

func TestConnectors(t *testing.T) {
	f := newFixture(t)
	a := f.get(bothToken, "/v1/connectors")
	a.want("data.0.connector_id", `"mail"`)
	a.want("data.0.streams.0.record_count", "50")
	a.want("data.0.streams.0.capabilities.records_url", `"/v1/streams/messages/records?connector_id=mail"`)
	a.want("data.0.streams.1.capabilities.range_filters", "false")
	f.get(bothToken, a.text("data.0.streams.0.capabilities.records_url"))
	f.get(ownerToken, "/v1/connectors").want("data.1.connector_key", `"steps"`)
}
