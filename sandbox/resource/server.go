// Package resource is the resource server of the sandbox: PDPP's reads over HTTP from the sandbox's store, limited to
// what a bearer was granted.
package resource

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// Version is the protocol version that the server sends in the header PDPP-Version.
const Version = "2026-04-06"

// Reads determines what client tokens may request. Owner tokens may request everything.
type Reads string

const (
	// ReadsV01 answers as PDPP v0.1 servers do: client tokens may not use filter, view or expand, and the schema shows
	// them the names of fields without types and capabilities.
	ReadsV01 Reads = "v0.1"
	// ReadsOpen lets client tokens request what owner tokens may.
	ReadsOpen Reads = "open"
)

// AllReads returns every value of Reads, the default first.
func AllReads() []Reads { return []Reads{ReadsV01, ReadsOpen} }

// Options configures the server.
type Options struct {
	// Reads defaults to ReadsV01.
	Reads Reads
	// Coming adds members that later versions of PDPP announce.
	Coming Coming
	// Quirks are habits of the reference provider.
	Quirks Quirks
	// ResourceMetadataURL is the URL of the protected resource's metadata (RFC 9728). A 401 response links to it.
	ResourceMetadataURL string
	// Grant returns a grant's current state. Events of subscriptions need it, because they have no bearer.
	Grant func(id string) (catalog.Grant, bool)
	// Subscriptions keeps the event subscriptions. The server reports changes to it. The caller closes it.
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
	staleIndex  bool
	metadataURL string
	snapshots   *snapshotSigner

	grant         func(id string) (catalog.Grant, bool)
	subscriptions *subscription.Registry
}

// New returns a handler that serves what dataset declares and st holds. access returns what a bearer token may read,
// and false for an unknown or inactive one. The handler is safe for concurrent use if the given functions are. From now
// on changes in st are published to the subscriptions.
func New(st *store.Store, dataset catalog.Dataset, access func(token string) (catalog.Access, bool),
	options Options,
) http.Handler {
	s := &server{
		store:       st,
		connectors:  options.Quirks.connectors(dataset.Connectors),
		connections: dataset.Connections,
		access:      access,
		reads:       cmp.Or(options.Reads, ReadsV01),
		coming:      options.Coming,
		staleIndex:  options.Quirks.StaleIndex,
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
	mux.HandleFunc("/", nothingHere)
	return identified(mux)
}

// nothingHere refuses an unknown path: with a page for a browser, otherwise as the original does.
func nothingHere(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !webpage.PrefersHTML(r.Header.Values("Accept")) {
		writeProblem(w, r, routeNotFound(r))
		return
	}
	webpage.Message{
		Site: "PDPP sandbox", Title: "There is nothing here",
		Text: []string{"The sandbox has nothing at this path. The index names what there is."},
		Link: "/", LinkText: "Open the index",
	}.Write(w, http.StatusNotFound)
}

// authorized runs read for a request with a usable bearer, and writes its answer.
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

// index is the document at the root, which lists the endpoints.
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

type requestIDKey struct{}

// identified wraps a handler. It assigns every request an id, for the header Request-Id and error bodies, and every
// answer the protocol's version.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newRequestID()
		w.Header().Set("Request-Id", id)
		w.Header().Set("PDPP-Version", Version)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func newRequestID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return "req_" + hex.EncodeToString(random[:])
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}
