package main

import (
	"fmt"
	"strings"
)

// Bodies of the canned resource server, without white space, as servers send them.

// recordsBody returns a page of so many rows, each of about size bytes.
func recordsBody(rows, size int) []byte {
	var body strings.Builder
	body.WriteString(`{"data":[`)
	for i := range rows {
		separate(&body, i)
		body.WriteString(record(i, size))
	}
	body.WriteString(`],"has_more":true,"links":{"self":"/v1/streams/messages/records"},` +
		`"meta":{"count":{"kind":"none"},"warnings":[]},"next_cursor":"eyJjdXJzb3IiOiIyMDI2LTAzLTAxIiwia2luZCI6InBhZ2UifQ","object":"list"}`)
	return []byte(body.String())
}

// record returns a record of size bytes, or more if its envelope and short fields need more.
func record(number, size int) string {
	head := fmt.Sprintf(`{"data":{"id":"msg-%03d","from_name":"Grace Hopper","is_seen":false,"labels":["INBOX"],`+
		`"received_at":"2026-03-02T09:00:00.000Z","size_bytes":1600,"subject":"Note number %d","snippet":"`, number, number)
	tail := fmt.Sprintf(`"},"emitted_at":"2026-05-01T00:00:00Z","id":"msg-%03d","object":"record","stream":"messages",`+
		`"connection_id":"cin_gmail_personal","display_name":"Personal Gmail"}`, number)
	return head + words(size-len(head)-len(tail)) + tail
}

// words returns prose of exactly size bytes.
func words(size int) string {
	const prose = "the garden of a mountain protocol has lanterns and a budget for travel, "
	if size <= 0 {
		return ""
	}
	return strings.Repeat(prose, size/len(prose)+1)[:size]
}

// hitsBody returns a page of search hits in the form of a captured server.
func hitsBody(hits int, connection string) []byte {
	var body strings.Builder
	body.WriteString(`{"has_more":false,"object":"list","url":"/v1/search","data":[`)
	for i := range hits {
		separate(&body, i)
		fmt.Fprintf(&body, `{"connector_id":"gmail","emitted_at":"2026-05-01T00:00:00Z","matched_fields":["subject","snippet"],`+
			`"object":"search_result","record_key":"msg-%03[1]d","record_url":"/v1/streams/messages/records/msg-%03[1]d","stream":"messages",`+
			`"connection_id":%[2]q,"connector_instance_id":%[2]q,"display_name":"Personal Gmail",`+
			`"snippet":{"field":"subject","text":"<mark>Overdraft</mark> notice number %[1]d"},`+
			`"evidence_excerpts":[{"field_path":"subject","object":"evidence_excerpt","preview_text":"<mark>Overdraft</mark> notice number %[1]d",`+
			`"provenance":"lexical_match","read":{"field":"subject","method":"GET","object":"field_window_read","record_id":"msg-%03[1]d",`+
			`"route":"/v1/streams/messages/records/msg-%03[1]d/field-window","stream":"messages","connection_id":%[2]q},"truncated":true}],`+
			`"score":{"kind":"bm25","order":"lower_is_better","value":-%[1]d.539792112677818}}`, i, connection)
	}
	body.WriteString(`],"meta":{"count":{"kind":"none"},"warnings":[]}}`)
	return []byte(body.String())
}

// fullSchema returns the full document of a server that does not know the compact view. 20 connectors of 30 streams of
// 25 fields make about 8 MB.
func fullSchema(connectors, streams, fields int) []byte {
	const unusable = `{"declared":false,"usable":false}`
	var body strings.Builder
	body.WriteString(`{"bearer":{"scope":"grant","token_kind":"client"},"connectors":[`)
	for c := range connectors {
		separate(&body, c)
		fmt.Fprintf(&body, `{"object":"connector","connector_key":"connector_%02d","stream_count":%d,"streams":[`, c, streams)
		for s := range streams {
			separate(&body, s)
			body.WriteString(`{"field_capabilities":{`)
			var properties strings.Builder
			for f := range fields {
				separate(&body, f)
				separate(&properties, f)
				schema := fmt.Sprintf(`{"type":["string","null"],"description":%q}`, strings.Repeat("what it means ", 3))
				fmt.Fprintf(&body, `"field_%02d":{"aggregation":{"count_distinct":%[2]s,"group_by":%[2]s,"max":%[2]s,"min":%[2]s,"sum":%[2]s},`+
					`"granted":true,"schema":%[3]s,"exact_filter":{"declared":true,"usable":true}}`, f, unusable, schema)
				fmt.Fprintf(&properties, `"field_%02d":%s`, f, schema)
			}
			fmt.Fprintf(&body, `},"name":"stream_%02[1]d_%02[2]d","primary_key":["id"],"cursor_field":"field_01","schema":{"type":"object","properties":{%[3]s}},`+
				`"granted_connections":[{"connection_id":"cin_%02[1]d","display_name":"Connection %02[1]d"}]}`, c, s, properties.String())
		}
		body.WriteString(`]}`)
	}
	body.WriteString(`],"object":"schema","meta":{"count":{"kind":"none"},"warnings":[]}}`)
	return []byte(body.String())
}

// smallSchema is the compact document of a grant of one stream.
const smallSchema = `{"bearer":{"scope":"grant","token_kind":"client"},"detail":"compact","connectors":[{"connector_key":"gmail",` +
	`"object":"connector","stream_count":1,"granted_connections":[{"connection_id":"cin_gmail_personal","display_name":"Personal Gmail"}],` +
	`"streams":[{"name":"messages","primary_key":["id"],"cursor_field":"received_at"}]}],"object":"schema","meta":{"count":{"kind":"none"},"warnings":[]}}`

const aggregateBody = `{"approximate":false,"field":null,"filtered_record_count":12,"granularity":null,"group_by":null,"group_by_time":null,` +
	`"metric":"count","object":"aggregation","stream":"messages","time_zone":null,"value":12,"meta":{"count":{"kind":"none"},"warnings":[]}}`

const windowBody = `{"field":{"path":"snippet","type":"string"},"object":"field_window","record_id":"msg-001","stream":"messages",` +
	`"window":{"complete":true,"end_chars":17,"has_more":false,"limit_chars":4096,"next_offset_chars":null,"previous_offset_chars":null,` +
	`"start_chars":0,"text":"the garden of a m","total_chars":17},"meta":{"count":{"kind":"none"},"warnings":[]}}`

func separate(body *strings.Builder, at int) {
	if at > 0 {
		body.WriteByte(',')
	}
}
