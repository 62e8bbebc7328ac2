package sandbox

import (
	"encoding/json"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// ResourceMetadataPath is the path of a resource's metadata (RFC 9728) when the resource is an origin.
const ResourceMetadataPath = "/.well-known/oauth-protected-resource"

// resourceMetadata is the RFC 9728 document with PDPP's additions.
type resourceMetadata struct {
	AuthorizationServers   []string       `json:"authorization_servers"`
	BearerMethodsSupported []string       `json:"bearer_methods_supported"`
	CoreQueryBase          string         `json:"pdpp_core_query_base"`
	TokenKindsSupported    []string       `json:"pdpp_token_kinds_supported"`
	Resource               string         `json:"resource"`
	ResourceName           string         `json:"resource_name"`
	DiscoveryHints         discoveryHints `json:"pdpp_discovery_hints"`
	Capabilities           capabilities   `json:"capabilities"`
}

type capabilities struct {
	EventSubscriptions subscription.Capabilities `json:"client_event_subscriptions"`
	Hybrid             retrieval                 `json:"hybrid_retrieval"`
	Lexical            retrieval                 `json:"lexical_retrieval"`
	Semantic           retrieval                 `json:"semantic_retrieval"`
}

type discoveryHints struct {
	Aggregate               endpointTemplate `json:"aggregate"`
	BlobIndirection         string           `json:"blob_indirection"`
	ChangesSinceBootstrap   string           `json:"changes_since_bootstrap"`
	ConnectorsEndpoint      string           `json:"connectors_endpoint"`
	QueryBase               string           `json:"query_base"`
	SchemaEndpoint          string           `json:"schema_endpoint"`
	StreamsEndpointTemplate string           `json:"streams_endpoint_template"`
	Search                  searchHint       `json:"search"`
	HybridPagination        bool             `json:"hybrid_pagination_supported"`
}

type endpointTemplate struct {
	Template string `json:"endpoint_template"`
}

type searchHint struct {
	Endpoint                   string `json:"endpoint"`
	FilterRequiresSingleStream bool   `json:"filter_requires_single_stream"`
	ScopeParam                 string `json:"scope_param"`
}

// retrieval describes one way to search.
type retrieval struct {
	Supported       bool     `json:"supported"`
	Endpoint        string   `json:"endpoint"`
	CrossStream     bool     `json:"cross_stream"`
	CountSupported  bool     `json:"count_supported"`
	CursorSupported bool     `json:"cursor_supported"`
	DefaultLimit    int      `json:"default_limit"`
	MaxLimit        int      `json:"max_limit"`
	Snippets        bool     `json:"snippets,omitempty"`
	IndexState      string   `json:"index_state,omitempty"`
	Score           *score   `json:"score,omitempty"`
	Sources         []string `json:"sources,omitempty"`
	Stability       string   `json:"stability,omitempty"`
}

type score struct {
	Kind           string `json:"kind"`
	Order          string `json:"order"`
	Supported      bool   `json:"supported"`
	ValueSemantics string `json:"value_semantics"`
}

func (s *Sandbox) resourceMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, resourceMetadata{
		AuthorizationServers:   []string{s.publicURL},
		BearerMethodsSupported: []string{"header"},
		CoreQueryBase:          s.publicURL + "/v1",
		TokenKindsSupported:    []string{"owner", "client"},
		Resource:               s.publicURL,
		ResourceName:           "PDPP sandbox",
		DiscoveryHints: discoveryHints{
			Aggregate:               endpointTemplate{"/v1/streams/{stream}/aggregate"},
			BlobIndirection:         "data.blob_ref.fetch_url",
			ChangesSinceBootstrap:   "beginning",
			ConnectorsEndpoint:      "/v1/connectors",
			QueryBase:               "/v1",
			SchemaEndpoint:          "/v1/schema",
			StreamsEndpointTemplate: "/v1/streams/{stream}",
			Search: searchHint{
				Endpoint: "/v1/search", FilterRequiresSingleStream: true,
				ScopeParam: "streams[]",
			},
		},
		Capabilities: capabilities{
			EventSubscriptions: s.subscriptions.Capabilities(),
			Lexical: s.rankedRetrieval("/v1/search",
				score{"bm25", "lower_is_better", true, "implementation_relative"}),
			Semantic: s.rankedRetrieval("/v1/search/semantic",
				score{"semantic_distance", "lower_is_better", true, "distance"}),
			Hybrid: retrieval{
				Supported: true, Endpoint: "/v1/search/hybrid", CrossStream: true, DefaultLimit: 25, MaxLimit: 100,
				Sources: []string{"lexical", "semantic"}, Stability: "experimental",
			},
		},
	})
}

func (s *Sandbox) rankedRetrieval(endpoint string, scored score) retrieval {
	return retrieval{
		Supported: true, Endpoint: endpoint, CrossStream: true, CursorSupported: true, DefaultLimit: 25, MaxLimit: 100,
		Snippets: true, IndexState: s.indexState, Score: &scored,
	}
}

// writeJSON writes a document. It ignores errors of the connection.
func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body)
}
