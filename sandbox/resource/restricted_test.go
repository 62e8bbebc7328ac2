package resource_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// Under v0.1 a client token gets the first of several errors, in the order of captures 800 to 803l.
func TestRestrictedRefusalsInOrder(t *testing.T) {
	f := newFixtureOf(t, resource.Options{})
	const records = "messages/records?"
	for target, want := range map[string]struct{ code, message string }{
		"attachments/records?filter[id]=1&bogus=1": {
			"context.stream_not_allowed",
			"Token introspection failed closed",
		},
		records + "filter[id]=1&connection_id=" +
			work: {"context.instance_mismatch", "Token introspection failed closed"},
		records + "filter[id]=1&expand=x&view=envelope": {
			"invalid_request",
			"expand[] is not supported for client-token reads in PDPP v0.1",
		},
		records + "filter[id]=1&expand_limit[x]=1": {
			"invalid_request",
			"expand_limit[...] is not supported for client-token reads in PDPP v0.1",
		},
		records + "filter[nope]=1&cursor=garbage&fields=nope": {
			"invalid_request",
			"filter[...] is not supported for client-token reads in PDPP v0.1",
		},
		records + "changes_since=garbage&filter=1": {
			"invalid_request",
			"filter[...] is not supported for client-token reads in PDPP v0.1",
		},
		records + "view=envelope&fields=id": {
			"invalid_request",
			"view and fields are mutually exclusive",
		},
		records + "view=nope&sort=nope&bogus=1": {
			"invalid_request",
			"Client record reads must use explicit fields; views are resolved when the grant is issued",
		},
		records + "fields=nope&sort=nope&bogus=1": {"unknown_field", "Unknown field: nope"},
		records + "fields=&limit=1": {
			"invalid_request",
			"fields must be a comma-separated list of field names",
		},
		"messages/aggregate?metric=median&filter[id]=1": {
			"invalid_request",
			"filter[...] is not supported for client-token reads in PDPP v0.1",
		},
		"messages/records/p-010?expand=attachments": {
			"invalid_request",
			"expand[] is not supported for client-token reads in PDPP v0.1",
		},
		"/v1/search?q=overdraft&streams=messages&filter[id]=1&cursor=x": {
			"invalid_request",
			"filter[...] is not supported for client-token reads in PDPP v0.1",
		},
	} {
		if !strings.HasPrefix(target, "/") {
			target = "/v1/streams/" + target
		}
		a := f.send("GET", narrowToken, target, "")
		if a.text("error.code") != want.code || a.text("error.message") != want.message {
			t.Errorf("%s: answered %d %s, want %s: %s", target, a.Code, a.Body, want.code, want.message)
		}
	}
	f.get(ownerToken, "/v1/streams/messages/records?connection_id="+personal+
		"&filter[is_flagged]=true&expand=attachments").want("data.0.id", `"p-040"`)
}

// Capabilities that the schema does not advertise work anyway.
func TestBareSchema(t *testing.T) {
	f := newFixtureOf(t, resource.Options{})
	const stream = "connectors.0.streams.0."
	compact := f.get(narrowToken, "/v1/schema?view=compact")
	compact.want("stream_count", "1")
	compact.want("connectors.0.streams.0",
		`{"expand_capabilities":[],"field_capabilities":{"id":"declared","labels":"declared",`+
			`"received_at":"declared","subject":"declared"},"name":"messages","primary_key":[]}`)

	full := f.get(narrowToken, "/v1/schema?stream=messages&detail=full")
	full.want(stream+"schema",
		`{"additionalProperties":false,"properties":{"id":{},"labels":{},"received_at":{},"subject":{}},"type":"object"}`)
	full.want(stream+"query", "{}")
	full.want(stream+"cursor_field", "null")
	full.want(stream+"field_capabilities.id.exact_filter", "null")
	full.want(stream+"field_capabilities.id.lexical_search", `{"declared":false,"usable":false}`)
	full.want(stream+"time_constraint",
		`{"field":"received_at","since":"2026-01-10T00:00:00Z","until":"2026-02-01T00:00:00Z"}`)
	full.want(stream+"consent_time_field", `"received_at"`)
	f.get(personalToken, "/v1/schema").want(stream+"consent_time_field", "null")

	f.get(personalToken, "/v1/streams/messages/records?sort=received_at&limit=1").want("data.0.id", `"shared"`)
	f.get(personalToken, "/v1/streams/messages/aggregate?metric=count&group_by=is_flagged").want("other_count", "0")
	f.get(personalToken, "/v1/search?q=overdraft&limit=1").want("has_more", "true")
}
