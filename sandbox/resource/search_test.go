package resource_test

import (
	"slices"
	"strings"
	"testing"
)

func TestLexicalSearch(t *testing.T) {
	f := newFixture(t)
	a := f.get(personalToken, "/v1/search?q=overdraft&limit=2")
	for path, want := range map[string]string{
		"object":              `"list"`,
		"url":                 `"/v1/search"`,
		"has_more":            "true",
		"meta.count":          "8",
		"meta.count_accuracy": `"exact"`,
		"meta.recall": `{"complete":true,"ranked_candidate_count":8,"ranking_scope":"all_matches",` +
			`"sources_searched_count":1,"truncated":false}`,
		"data.0.object":         `"search_result"`,
		"data.0.connector_id":   `"mail"`,
		"data.0.connection_id":  `"` + personal + `"`,
		"data.0.display_name":   `"Personal mail"`,
		"data.0.record_key":     `"p-005"`,
		"data.0.record_url":     `"/v1/streams/messages/records/p-005"`,
		"data.0.authored_at":    `"2026-01-05T09:00:00Z"`,
		"data.0.matched_fields": `["subject","body"]`,
		"data.0.snippet":        `{"field":"subject","text":"<mark>Overdraft</mark> notice 5"}`,
		"data.0.score.kind":     `"bm25"`,
		"data.0.score.order":    `"lower_is_better"`,
		"data.0.retrieval_mode": "null",
		"data.0.evidence_excerpts": `[{"field_path":"subject","object":"evidence_excerpt",` +
			`"preview_text":"<mark>Overdraft</mark> notice 5","provenance":"lexical_match","read":{"connection_id":"` +
			personal + `","field":"subject","method":"GET","object":"field_window_read","record_id":"p-005",` +
			`"route":"/v1/streams/messages/records/p-005/field-window","stream":"messages"},"truncated":false}]`,
	} {
		a.want(path, want)
	}
	// The links of a hit lead to the record and the field.
	f.get(personalToken, a.text("data.0.record_url")).want("id", `"p-005"`)
	f.get(personalToken, a.text("data.0.evidence_excerpts.0.read.route")+"?field=subject")
}

func TestLexicalSearchInPages(t *testing.T) {
	f := newFixture(t)
	page := f.get(personalToken, "/v1/search?q=overdraft&limit=3")
	keys := page.column("data", "record_key")
	for page.text("next_cursor") != "" {
		page = f.get(personalToken, page.text("links.next"))
		keys = append(keys, page.column("data", "record_key")...)
	}
	slices.Sort(keys)
	if want := []string{
		"p-005", "p-010", "p-015", "p-020", "p-025", "p-030", "p-035",
		"p-040",
	}; !slices.Equal(keys, want) {
		t.Errorf("all pages have %v, want %v", keys, want)
	}
}

func TestLexicalSearchFinds(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		token, query string
		count        string
	}{
		"a phrase":                     {personalToken, `q="overdraft+fee"`, "8"},
		"no phrase":                    {personalToken, `q="fee+overdraft"`, "0"},
		"all words":                    {personalToken, "q=overdraft+waived", "8"},
		"not some words":               {personalToken, "q=overdraft+zebra", "0"},
		"accents aside":                {personalToken, "q=zurich", "8"},
		"nothing":                      {personalToken, "q=zzzzqq", "0"},
		"only punctuation":             {personalToken, "q=***", "0"},
		"operators are words":          {personalToken, "q=overdraft+NOT+NEAR(", "0"},
		"one stream":                   {personalToken, "q=file&streams=messages", "0"},
		"one stream, brackets":         {personalToken, "q=file&streams[]=attachments", "8"},
		"two streams":                  {personalToken, "q=file&streams[]=attachments&streams[]=messages", "8"},
		"two connections":              {bothToken, "q=overdraft", "9"},
		"one of two connections":       {bothToken, "q=overdraft&connection_id=" + work, "1"},
		"within a filter":              {personalToken, "q=overdraft&streams=messages&filter[size_bytes][gt]=1020", "4"},
		"within the grant's range":     {narrowToken, "q=overdraft", "5"},
		"not in a field left out":      {narrowToken, "q=waived", "0"},
		"everything that an owner has": {ownerToken, "q=overdraft", "9"},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.get(test.token, "/v1/search?"+test.query)
			a.t = t
			a.want("meta.count", test.count)
		})
	}
	f.get(narrowToken, "/v1/search?q=overdraft").want("data.0.matched_fields", `["subject"]`)
	owner := f.get(ownerToken, "/v1/search?q=overdraft&limit=1")
	owner.want("data.0.record_url", `"/v1/streams/messages/records/p-005?connector_id=mail"`)
	owner.want("meta.warnings.0.code", `"source_skipped_not_applicable"`)
	owner.want("meta.warnings.0.detail.source", `"steps"`)
}

func TestSearchFollowsChanges(t *testing.T) {
	f := newFixture(t)
	cursor := f.get(personalToken, "/v1/search?q=overdraft&limit=2").text("next_cursor")
	if err := f.store.Delete(t.Context(), personal, "messages", "p-005"); err != nil {
		t.Fatal(err)
	}
	f.get(personalToken, "/v1/search?q=overdraft").want("meta.count", "7")
	a := f.send("GET", personalToken, "/v1/search?q=overdraft&limit=2&cursor="+cursor, "")
	if a.Code != 400 || !strings.Contains(a.text("error.message"), "expired or unknown snapshot") {
		t.Errorf("a cursor from before the change: %d %s", a.Code, a.Body)
	}
}

func TestSearchRefusals(t *testing.T) {
	f := newFixture(t)
	cursor := f.get(personalToken, "/v1/search?q=overdraft&limit=2").text("next_cursor")
	const foreign = "eyJvZmYiOjIsInNuYXAiOiJzbmFwXzAwMDAwMDAwMDAwMDAwMDAifQ" // a snapshot of another server
	for target, want := range map[string]struct {
		token, code, param string
		status             int
	}{
		"?":                                {personalToken, "invalid_request", "q", 400},
		"?q=x&q=y":                         {personalToken, "invalid_request", "q", 400},
		"?q=x&bogus=1":                     {personalToken, "invalid_request", "bogus", 400},
		"?q=x&count=exact":                 {personalToken, "invalid_request", "count", 400},
		"?q=x&streams[]=labels":            {personalToken, "grant_stream_not_allowed", "", 403},
		"?q=x&connection_id=" + work:       {personalToken, "connection_not_found", "connection_id", 404},
		"?q=x&filter[is_flagged]=true":     {personalToken, "invalid_request", "streams", 400},
		"?q=x&cursor=garbage":              {personalToken, "invalid_cursor", "", 400},
		"?q=overdraft&cursor=" + foreign:   {personalToken, "invalid_cursor", "", 400},
		"?q=notice&cursor=" + cursor:       {personalToken, "invalid_cursor", "", 400},
		"?q=overdraft&cursor=" + cursor:    {bothToken, "invalid_cursor", "", 400},
		"/semantic?q=x&cursor=" + cursor:   {personalToken, "invalid_cursor", "", 400},
		"/semantic":                        {personalToken, "invalid_request", "q", 400},
		"/hybrid?q=overdraft&cursor=x":     {personalToken, "invalid_request", "cursor", 400},
		"/hybrid?q=overdraft&streams=none": {personalToken, "grant_stream_not_allowed", "", 403},
	} {
		a := f.send("GET", want.token, "/v1/search"+target, "")
		if a.Code != want.status || a.text("error.code") != want.code || a.text("error.param") != want.param {
			t.Errorf("%s: answered %d %s", target, a.Code, a.Body)
		}
	}
}

func TestSemanticSearch(t *testing.T) {
	f := newFixture(t)
	// A misspelt word, which the lexical search does not find.
	f.get(personalToken, "/v1/search?q=overdrafft").want("meta.count", "0")
	a := f.get(personalToken, "/v1/search/semantic?q=overdrafft&limit=2")
	a.want("data.0.retrieval_mode", `"semantic"`)
	a.want("data.0.score.kind", `"trigram_coverage"`)
	a.want("data.0.score.order", `"higher_is_better"`)
	a.want("data.0.evidence_excerpts", "null")
	a.want("data.0.snippet.text", `"Overdraft notice 5"`)
	a.want("meta.count", `{"kind":"none"}`)
	if !strings.HasPrefix(a.text("next_cursor"), "sem1.") {
		t.Errorf("next_cursor is %q", a.text("next_cursor"))
	}
	next := f.get(personalToken, a.text("links.next"))
	if slices.Contains(a.column("data", "record_key"), next.text("data.0.record_key")) {
		t.Error("the second page repeats the first")
	}
}

func TestHybridSearch(t *testing.T) {
	f := newFixture(t)
	a := f.get(personalToken, "/v1/search/hybrid?q=overdraft&limit=2")
	a.want("data.0.retrieval_mode", `"hybrid"`)
	a.want("data.0.retrieval_sources", `["lexical","semantic"]`)
	a.want("data.0.scores.lexical.kind", `"bm25"`)
	a.want("data.0.scores.semantic.kind", `"trigram_coverage"`)
	a.want("data.0.score", "null")
	a.want("data.0.evidence_excerpts", "null")
	a.want("data.0.snippet.text", `"<mark>Overdraft</mark> notice 5"`)
	a.want("has_more", "true")
	a.want("next_cursor", "null")
	a.want("links.next", "null")
	f.get(personalToken, "/v1/search/hybrid?q=overdrafft&limit=1").want("data.0.retrieval_sources", `["semantic"]`)
}
