package scan_test

import (
	"slices"
	"strings"
	"testing"
)

// R-CLAIM-4: both channels say what a search left out: fields that the schema does not mark as searchable, streams
// without such a field, the text of files, and what an index lacks that is not up to date.
func TestWhatASearchLeavesOut(t *testing.T) {
	marked := `{"name":"mails","field_capabilities":{"subject":"t=string,lex","to":"t=array","sent":"t=string,r=gte|lt",` +
		`"size":"t=integer","secret":"t=string,g=false"}},` +
		`{"name":"labels","field_capabilities":{"color":"t=string"}},{"name":"files",` +
		`"field_capabilities":{"name":"t=string,lex","kind":"t=string|null","blob_ref":"t=object"}}`
	declared := `{"name":"files","field_capabilities":{"name":"declared","blob_ref":"declared"}}`
	for name, test := range map[string]struct {
		streams, state, arguments string
		hits                      []string
		want                      string
	}{
		"hits": {
			marked, "built", `{"q":"word"}`,
			[]string{bareHit(1)},
			"text fields mails.to, files.kind; streams labels; text of files in files",
		},
		"no hits": {
			marked, "built", `{"q":"word"}`, nil,
			"text fields mails.to, files.kind; streams labels; text of files in files (31 records)",
		},
		"one stream": {marked, "built", `{"q":"word","streams":["mails"]}`, []string{bareHit(1)}, "text fields to"},
		"a stale index": {
			marked, "stale", `{"q":"word","streams":["mails"]}`, nil,
			"text fields to; records that the provider's index lacks: it is stale",
		},
		"another index": {
			marked, "stale", `{"q":"word","streams":["mails"],"mode":"semantic"}`, nil,
			"text fields to",
		},
		"an unmarked schema": {
			declared, "built", `{"q":"word"}`,
			[]string{bareHit(1)},
			"unindexed fields, which the schema does not list; text of files in files",
		},
		"everything is marked": {
			`{"name":"mails","field_capabilities":{"subject":"t=string,lex"}}`, "",
			`{"q":"word"}`, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{hits: test.hits, streams: test.streams, indexState: test.state}
			structured, text := s.found(t, test.arguments)
			if test.want == "" {
				if strings.Contains(text+structured, "not_searched") {
					t.Errorf("%s\n%s", text, structured)
				}
				return
			}
			if !strings.Contains(text+"\n", "\nnot_searched: "+test.want+"\n") ||
				!strings.Contains(structured, `"not_searched":"`+test.want+`"`) {
				t.Errorf("%s\n%s", text, structured)
			}
		})
	}
}

// R-CLAIM-4: a search without hits offers to list the files whose text it did not search, and no search by meaning,
// which does not read them either.
func TestFilesThatWereNotSearched(t *testing.T) {
	const streams = `{"name":"files","field_capabilities":{"filename":"declared","size":"declared",` +
		`"content_type":"declared","mime_type":"g=false","blob_ref":"declared"}},` +
		`{"name":"scans","field_capabilities":{"blob_ref":"declared"}}`
	const ofTwoGrants = `{"name":"scans","granted_connections":[{"connection_id":"a"},{"connection_id":"b"}],` +
		`"field_capabilities":{"blob_ref":"declared"}}`
	for _, test := range []struct {
		*shelf
		arguments string
		want      []string
	}{
		{&shelf{streams: streams}, `{"q":"word"}`, []string{
			`query_records {"stream":"files","fields":["filename","content_type"]}`, `query_records {"stream":"scans"}`,
		}},
		{&shelf{streams: streams}, `{"q":"word","streams":["files"],"connection_id":"cin_1"}`, []string{
			`search {"q":"word"}`,
			`query_records {"stream":"files","connection_id":"cin_1","fields":["filename","content_type"]}`,
		}},
		{&shelf{streams: ofTwoGrants, tokenKind: "mcp_package"}, `{"q":"word"}`, []string{ // a call reads one grant
			`query_records {"stream":"scans","connection_id":"a"}`, `query_records {"stream":"scans","connection_id":"b"}`,
		}},
	} {
		structured, text := test.found(t, test.arguments)
		var lines []string
		for line := range strings.Lines(text) {
			if call, isTry := strings.CutPrefix(strings.TrimSpace(line), "try: "); isTry {
				lines = append(lines, call)
				name, fields, _ := strings.Cut(call, " ")
				if !strings.Contains(structured, `{"tool":"`+name+`","arguments":`+fields) {
					t.Errorf("structured output lacks %s: %s", call, structured)
				}
			}
		}
		const said = "read_record_field with q searches the text of one file."
		if !slices.Equal(lines, test.want) || !strings.Contains(text, said) || !strings.Contains(structured, said) {
			t.Errorf("%s: %q\n%s", test.arguments, lines, text)
		}
	}
}

// R-CLAIM-4: many fields are counted.
func TestManyUnsearchedFields(t *testing.T) {
	fields := ""
	for _, name := range strings.Fields("a b c d e f g h i j k l m") {
		fields += `"` + name + `":"t=string",`
	}
	s := &shelf{streams: `{"name":"mails","field_capabilities":{` + fields + `"subject":"t=string,lex"}}`}
	if _, text := s.found(t, `{"q":"word"}`); !strings.Contains(text,
		"not_searched: 13 text fields without lex in schema") {
		t.Error(text)
	}
}
