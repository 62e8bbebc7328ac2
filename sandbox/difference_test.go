package sandbox_test

// difference is a deliberate departure of the sandbox from one capture.
type difference struct {
	reason string
	status int      // what the sandbox answers instead; 0: as captured, and only shape differs
	code   string   // with status
	shape  []string // problems of shapeProblems that are meant to be; a star at the end stands for any rest
}

// differsEverywhere lists members of the reference implementation that nothing reads: ids of its traces
// and test scenarios.
var differsEverywhere = []string{
	".trace_id: absent",
	".scenario_id: absent",
}

const (
	fewerFlows  = "every client registers itself, and the owner chooses on the consent page; nothing needs to be pushed before"
	plainTypes  = "the sandbox declares JSON Schema types and roles only, and all of its streams are of one kind"
	otherData   = "the capture lists another connector first, with streams of its own"
	allSearched = "every connection of the sandbox can be searched, so none is skipped with a warning"
	fewerPages  = "the sandbox has no connect page and no model to describe"
)

// differences is the whole list, by capture.
var differences = map[string]difference{
	"004-prm": {reason: fewerPages, shape: []string{
		".capabilities.semantic_retrieval*",
		".pdpp_discovery_hints.owner_polyfill_requires_source_kind_connector: absent",
		".pdpp_provider_connect_version: absent",
		".pdpp_self_export_supported: absent",
	}},
	"006-as-metadata": {reason: fewerFlows, shape: []string{
		".pdpp_pre_registered_public_clients: absent",
		".pushed_authorization_request_endpoint: absent",
	}},
	"016-schema-owner-compact": {reason: otherData, shape: []string{
		".connectors[].streams[].expand_capabilities: empty",
		".connectors[].streams[].field_capabilities*",
	}},
	"026-stream-owner": {reason: plainTypes, shape: []string{
		".field_capabilities.subject.schema.x_pdpp_type: absent",
		".field_capabilities.subject.type: absent",
		".schema.properties.subject.x_pdpp_type: absent",
		".selection: absent",
		".semantics: absent",
	}},
	"132-search-owner":   {reason: allSearched, shape: []string{".meta.warnings: empty"}},
	"152-semantic-owner": {reason: allSearched, shape: []string{".meta.warnings: empty"}},
}
