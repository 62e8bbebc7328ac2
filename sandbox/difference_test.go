package sandbox_test

import (
	"path"
	"regexp"
	"strings"
)

// signIn is the reason for not replaying a step of a flow alone.
const signIn = "a step of one sign-in, with its codes (TestConnecting and package flow walk them)"

// outside returns the reason why a capture cannot be replayed, or an empty string.
func outside(c capture) string {
	address, _, _ := strings.Cut(c.target, "?")
	switch {
	case c.method == "":
		return "a file, or a delivery that another server received (TestCapturedSubscriptions replays deliveries)"
	case address == "/mcp" || strings.HasSuffix(address, "/oauth-protected-resource/mcp"):
		return "another adapter at /mcp"
	case address == "/" || c.header.Get("Host") == "evil.example":
		return "pages of that server"
	case regexp.MustCompile(`^/(_ref|consent|device|oauth/authorize|oauth/client-metadata)`).MatchString(address):
		return "the owner's pages of that server, in a session (packages authorization and flow walk the sandbox's own)"
	case regexp.MustCompile(`^/(agent-connect|oauth/(token|device_authorization|revoke)|grants)`).MatchString(address):
		return signIn
	case regexp.MustCompile(`[0-9a-f]{64}`).MatchString(c.header.Get("Authorization") + c.body):
		return signIn
	case c.name == "713-events-hint-read-changes" || strings.HasPrefix(c.name, "7") &&
		strings.Contains(address, "event-subscriptions") || strings.Contains(c.name, "subscription"):
		return "a subscription of one session (TestCapturedSubscriptions replays them)"
	}
	return ""
}

// difference is a deliberate departure of the sandbox from captures.
type difference struct {
	reason string
	status int      // what the sandbox answers instead; 0: as captured, and only shape differs
	code   string   // with status
	shape  []string // accepted problems of shapeProblems; a star at the end matches any rest
}

// differenceOf finds the difference whose pattern a capture's name matches.
func differenceOf(name string) (difference, bool) {
	for pattern, declared := range differences {
		if matched, _ := path.Match(pattern, name); matched {
			return declared, true
		}
	}
	return difference{}, false
}

// differsEverywhere lists members of the reference implementation that nothing reads: ids of its traces
// and test scenarios.
var differsEverywhere = []string{
	".trace_id: absent",
	".scenario_id: absent",
}

const (
	fewerFlows = "every client registers itself: none is known before, and no document is fetched that would say who it is"
	plainTypes = "the sandbox declares types and roles only: no elements of lists, no semantics of streams; and it " +
		"searches every text both ways"
	fewerPages    = "the sandbox has no connect page and no model to describe"
	fewerFacts    = "the sandbox's connections have no history and no schedule"
	anyClient     = "a library does the sandbox's registration (RFC 7591); it takes secrets and refuses scripts"
	oneOwner      = "the sandbox answers at any name of its host, since it trusts none with anything"
	anotherMoment = "the capture was made when the server held other records, or had not put all into its index"
	firstMistake  = "of several mistakes the sandbox names the first, and not always its place in a list"
	anyRecords    = "every stream of the sandbox can be granted record by record"
	allSearched   = "every connection of the sandbox can be searched, so none is skipped with a warning"
	noModel       = "likeness of spelling finds nothing where a model of language finds the least unlike"
	ownSnapshots  = "a cursor of another server says nothing about the query that it was for"
	byRole        = "the event time of a record comes from the role of a field, and the captured schema shows no roles"
	rightExcerpts = "an excerpt that shows the whole field is not called truncated, and nothing is indexed later"
)

// differences is the whole list, by a pattern of the names of captures (path.Match).
var differences = map[string]difference{
	"004-prm": {reason: fewerPages, shape: []string{
		".capabilities.semantic_retrieval*",
		".pdpp_discovery_hints.owner_polyfill_requires_source_kind_connector: absent",
		".pdpp_provider_connect_version: absent",
		".pdpp_self_export_supported: absent",
	}},
	"006-as-metadata": {reason: fewerFlows, shape: []string{
		".pdpp_pre_registered_public_clients: absent",
	}},
	"007-prm-bad-host": {reason: oneOwner, status: 200},
	"026-stream-owner": {reason: plainTypes, shape: []string{
		".field_capabilities.*", ".schema.*", ".selection: absent", ".semantics: absent",
	}},
	"135-search-cursor-owner":        {reason: ownSnapshots, shape: []string{".error.message*"}},
	"212-owner-connections":          {reason: fewerFacts, shape: []string{".data[].*"}},
	"501b-dcr-web-loopback-rejected": {reason: anyClient, shape: []string{".error_description*"}},
	"502-dcr-bad":                    {reason: anyClient, status: 201},
	"503-dcr-bad-redirect":           {reason: anyClient, status: 400, code: "invalid_redirect_uri"},
	"132-search-owner":               {reason: allSearched, shape: []string{".meta.warnings: empty"}},
	"152-semantic-owner":             {reason: allSearched, shape: []string{".meta.warnings: empty"}},
	"749b-*":                         {reason: anotherMoment, shape: []string{".has_more*", ".next_cursor: absent"}},
	"749c-*": {
		reason: plainTypes,
		shape:  []string{".connectors[].streams[].field_capabilities.*"},
	},
	"789h-*": {reason: anotherMoment, shape: []string{".data*", ".meta*"}},
	"812f-*": {reason: plainTypes, shape: []string{
		".field_capabilities.*", ".schema.*", ".selection*", ".semantics*", ".query.*", ".views[].*",
		".instance_ids: not captured",
	}},
	"813j-*": {reason: plainTypes, shape: []string{
		".connectors[].streams[].field_capabilities.*", ".connectors[].streams[].schema.*",
		".connectors[].streams[].selection*",
		".connectors[].streams[].semantics*", ".connectors[].streams[].query.*", ".connectors[].streams[].views[].*",
		".connectors[].streams[].instance_ids: not captured",
	}},
	"880-as-metadata": {reason: fewerFlows, shape: []string{
		".pdpp_pre_registered_public_clients: absent",
	}},
	"850h-*":                 {reason: firstMistake, shape: []string{".error.message*"}},
	"852f-*":                 {reason: firstMistake, shape: []string{".error.message*"}},
	"853d-*":                 {reason: anyRecords, status: 201},
	"853e-*":                 {reason: firstMistake, shape: []string{".error.message*"}},
	"855[df]-*":              {reason: firstMistake, shape: []string{".error.message*"}},
	"856d-*":                 {reason: firstMistake, shape: []string{".error.message*"}},
	"880k-par-cimd-loopback": {reason: fewerFlows, status: 400, code: "invalid_client"},
	"914*-slash-search*":     {reason: byRole, shape: []string{".data[].authored_at: absent"}},
	"920h-hybrid-no-hit":     {reason: noModel, shape: []string{".data: empty"}},
	"925-*": {
		reason: rightExcerpts,
		shape:  []string{".data[].evidence_excerpts[].truncated*", ".meta.index_maintenance*"},
	},
	"925b-*": {
		reason: rightExcerpts,
		shape:  []string{".data[].evidence_excerpts[].truncated*", ".links.self*"},
	},
	"925[cd]-*": {reason: rightExcerpts, shape: []string{".data[].evidence_excerpts[].truncated*"}},
}
