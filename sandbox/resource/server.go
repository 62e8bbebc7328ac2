// Package resource is the resource server of the sandbox: the read interface of PDPP over HTTP, on top of
// the sandbox's store and bounded by what a bearer was granted.
package resource

import (
	"cmp"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// Version is the revision of the protocol that the server speaks, in the header PDPP-Version.
const Version = "2026-04-06"

// Reads is what client tokens may ask of the server. Owner tokens may ask everything.
type Reads string

const (
	// ReadsV01 is PDPP v0.1 as real servers answer it: client tokens get no filter, view or expand, and the names of fields
	// without what they are or can do.
	ReadsV01 Reads = "v0.1"
	// ReadsOpen lets client tokens ask what owner tokens may.
	ReadsOpen Reads = "open"
)

// AllReads are the kinds of reads that there are, the default first.
func AllReads() []Reads { return []Reads{ReadsV01, ReadsOpen} }

// Options are what the server needs to know about its surroundings.
type Options struct {
	// Reads is ReadsV01 when it is empty.
	Reads Reads
	// Coming are answers of later versions.
	Coming Coming
	// ResourceMetadataURL is where the protected resource's metadata (RFC 9728) is served. A 401 answer
	// points there.
	ResourceMetadataURL string
	// Grant tells what a grant is now, for the events of subscriptions, which have no bearer.
	Grant func(id string) (catalog.Grant, bool)
	// Subscriptions keeps the event subscriptions. The server tells it of changes; its owner closes it.
	Subscriptions *subscription.Registry
}

// server answers the requests; it does not change after New.
type server struct {
	store       *store.Store
	connectors  []catalog.Connector
	connections []catalog.Connection
	access      func(token string) (catalog.Access, bool)
	reads       Reads
	coming      Coming
	metadataURL string
	snapshots   *snapshotSigner

	grant         func(id string) (catalog.Grant, bool)
	subscriptions *subscription.Registry
}

// New serves what dataset declares and st holds. access tells what a bearer token may do, and false for a
// token that is unknown or no longer active. The handler is safe for concurrent use if the functions are
// that it was given. From here on subscriptions are told of what changes in st.
func New(st *store.Store, dataset catalog.Dataset, access func(token string) (catalog.Access, bool), options Options) http.Handler {
	s := &server{
		store:       st,
		connectors:  dataset.Connectors,
		connections: dataset.Connections,
		access:      access,
		reads:       cmp.Or(options.Reads, ReadsV01),
		coming:      options.Coming,
		metadataURL: options.ResourceMetadataURL,
		snapshots:   newSnapshotSigner(),

		grant:         options.Grant,
		subscriptions: options.Subscriptions,
	}
	st.OnChange(s.changed)
	return s.routes()
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, read := range map[string]func(*call) (any, error){
		"GET /v1/schema":                                     s.readSchema,
		"GET /v1/connectors":                                 s.readConnectors,
		"GET /v1/streams":                                    s.readStreams,
		"GET /v1/streams/{stream}":                           s.readStream,
		"GET /v1/streams/{stream}/records":                   s.readRecords,
		"GET /v1/streams/{stream}/records/{id}":              s.readRecord,
		"GET /v1/streams/{stream}/records/{id}/field-window": s.readFieldWindow,
		"GET /v1/streams/{stream}/aggregate":                 s.readAggregate,
		"GET /v1/search":                                     s.searchLexical,
		"GET /v1/search/semantic":                            s.searchSemantic,
		"GET /v1/search/hybrid":                              s.searchHybrid,
		"GET /v1/blobs/{id}":                                 s.readBlob,
		"GET /v1/event-subscriptions":                        s.listSubscriptions,
		"POST /v1/event-subscriptions":                       s.createSubscription,
		"GET /v1/event-subscriptions/{id}":                   s.readSubscription,
		"PATCH /v1/event-subscriptions/{id}":                 s.updateSubscription,
		"DELETE /v1/event-subscriptions/{id}":                s.deleteSubscription,
		"POST /v1/event-subscriptions/{id}/test-event":       s.testSubscription,
		"GET /v1/owner/connections":                          ownerOnly(s.listConnections),
		"POST /v1/ingest/{stream}":                           ownerOnly(s.ingestRecord),
		"DELETE /v1/streams/{stream}/records/{id}":           ownerOnly(s.deleteRecord),
	} {
		mux.Handle(pattern, s.authorized(read))
	}
	mux.HandleFunc("GET /{$}", writeIndex)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { writeProblem(w, r, routeNotFound(r)) })
	return identified(mux)
}

// authorized runs read for a request with a usable bearer and writes what it answers.
func (s *server) authorized(read func(*call) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.newCall(r)
		if err != nil {
			writeProblem(w, r, err)
			return
		}
		answer, err := read(c)
		if err != nil {
			writeProblem(w, r, err)
			return
		}
		writeAnswer(w, r, answer)
	})
}

// index is the document at the root, for whoever looks around.
type index struct {
	Object       string            `json:"object"`
	ResourceName string            `json:"resource_name"`
	Role         string            `json:"role"`
	Links        map[string]string `json:"links"`
}

func writeIndex(w http.ResponseWriter, r *http.Request) {
	writeAnswer(w, r, index{
		Object:       "pdpp_discovery_index",
		ResourceName: "PDPP sandbox",
		Role:         "resource_server",
		Links: map[string]string{
			"connectors":      "/v1/connectors",
			"core_query_base": "/v1",
			"schema":          "/v1/schema",
			"well_known":      "/.well-known/oauth-protected-resource",
		},
	})
}
