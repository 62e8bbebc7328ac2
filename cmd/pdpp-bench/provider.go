package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Tokens of the canned provider. The prefix of a token chooses what it may read.
const (
	tokenBegins  = "token-of-the-bench-"    // a bearer has 16 characters at least
	clientToken  = tokenBegins + "client-"  // followed by a number: a single grant
	packageToken = tokenBegins + "package-" // followed by the number of its children
	childToken   = tokenBegins + "child-"   // one of a package; its searches take searchTakes
	swiftToken   = tokenBegins + "swift-"   // a child whose searches do not wait, for the sweep
	largeToken   = tokenBegins + "large-"   // followed by the numbers of connectors, streams and fields: a server that ignores the compact view
)

const searchTakes = 5 * time.Millisecond

// provider is a canned resource server and authorization server. It makes each answer once and keeps it, so that its
// own cost stays small and constant.
type provider struct {
	bodies sync.Map // by name
	seen   sync.Map // tokens that have read a schema
}

func newProvider() http.Handler {
	p := &provider{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/schema", p.schema)
	mux.HandleFunc("GET /v1/streams/{stream}/records", p.records)
	mux.HandleFunc("GET /v1/streams/{stream}/records/{id}", func(w http.ResponseWriter, _ *http.Request) {
		send(w, p.body("record", func() []byte { return []byte(record(1, 1000)) }))
	})
	mux.HandleFunc("GET /v1/streams/{stream}/records/{id}/field-window", func(w http.ResponseWriter, _ *http.Request) { send(w, []byte(windowBody)) })
	mux.HandleFunc("GET /v1/streams/{stream}/aggregate", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("group_by") {
			refuse(w, "invalid_request", "")
			return
		}
		send(w, []byte(aggregateBody))
	})
	mux.HandleFunc("GET /v1/search", p.search)
	mux.HandleFunc("POST /introspect", introspect)
	p.document(mux)
	return mux
}

func (p *provider) body(name string, make func() []byte) []byte {
	if kept, ok := p.bodies.Load(name); ok {
		return kept.([]byte)
	}
	kept, _ := p.bodies.LoadOrStore(name, make())
	return kept.([]byte)
}

// records reads the size of each record from the name of the stream, records_1000, and their number from
// limit.
func (p *provider) records(w http.ResponseWriter, r *http.Request) {
	if stream, isSlow := strings.CutPrefix(r.PathValue("stream"), "slow_"); strings.HasPrefix(stream, mailboxStream) {
		if isSlow {
			time.Sleep(mailboxTakes)
		}
		p.mailbox(w, r, numberAfter(stream, mailboxStream))
		return
	}
	size := numberAfter(r.PathValue("stream"), "records_")
	rows, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || size == 0 {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	send(w, p.body(fmt.Sprint("records", rows, size), func() []byte { return recordsBody(rows, size) }))
}

func (p *provider) search(w http.ResponseWriter, r *http.Request) {
	bearer := bearerOf(r)
	if strings.HasPrefix(bearer, childToken) {
		time.Sleep(searchTakes)
	}
	send(w, p.body("hits"+bearer, func() []byte { return hitsBody(25, connectionOf(bearer)) }))
}

// schema sends the large document from the second request of a token on. The first one only reads the kind of the
// token.
func (p *provider) schema(w http.ResponseWriter, r *http.Request) {
	bearer := bearerOf(r)
	_, before := p.seen.LoadOrStore(bearer, true)
	if !strings.HasPrefix(bearer, largeToken) || !before {
		send(w, []byte(smallSchema))
		return
	}
	size := strings.Split(strings.TrimPrefix(bearer, largeToken), "-")
	send(w, p.body(bearer, func() []byte {
		return fullSchema(numberAfter(size[0], ""), numberAfter(size[1], ""), numberAfter(size[2], ""))
	}))
}

// introspect answers that every token is active (RFC 7662).
func introspect(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	if children := max(numberAfter(token, packageToken), numberAfter(token, packageToken+swiftToken)); children > 0 {
		prefix := childToken
		if strings.HasPrefix(token, packageToken+swiftToken) {
			prefix = swiftToken
		}
		members := make([]string, children)
		for i := range members {
			members[i] = fmt.Sprintf(`{"grant_id":"grt_%[1]d","status":"active","connection_id":"%[3]s","connector_key":"gmail",`+
				`"display_name":"Mail %[1]d","streams":["messages"],"access_token":"%[2]s%[1]d"}`, i, prefix, connectionOf(fmt.Sprint(prefix, i)))
		}
		send(w, fmt.Appendf(nil, `{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"gpkg_1","package":{"package_id":"gpkg_1","members":[%s]}}`,
			strings.Join(members, ",")))
		return
	}
	send(w, []byte(`{"active":true,"pdpp_token_kind":"client","grant_id":"grt_1"}`))
}

func bearerOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// connectionOf returns the connection that a bearer reads.
func connectionOf(bearer string) string {
	return "cin_" + strings.ReplaceAll(strings.TrimPrefix(bearer, tokenBegins), "-", "_")
}

func numberAfter(text, prefix string) int {
	rest, ok := strings.CutPrefix(text, prefix)
	number, err := strconv.Atoi(rest)
	if !ok || err != nil {
		return 0
	}
	return number
}

func send(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Request-Id", "req_canned")
	_, _ = w.Write(body) // the client may have gone
}
