package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// pushedLifetime is the validity of a pushed request.
const pushedLifetime = 300 * time.Second

// pushedRequests holds pushed requests (RFC 9126). In PDPP they are JSON objects of two members, for agent connect.
type pushedRequests struct {
	clock func() time.Time

	mu    sync.Mutex
	byURI map[string]pushedRequest
}

type pushedRequest struct {
	clientID  string
	details   string // authorization_details
	expiresAt time.Time
}

func (p *pushedRequests) save(request pushedRequest) (uri string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for old, known := range p.byURI {
		if !p.clock().Before(known.expiresAt) {
			delete(p.byURI, old)
		}
	}
	uri = "urn:pdpp:pending-consent:" + opaque.ID("dc_")
	request.expiresAt = p.clock().Add(pushedLifetime)
	p.byURI[uri] = request
	return uri
}

// take removes and returns a request that has not expired.
func (p *pushedRequests) take(uri string) (pushedRequest, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, known := p.byURI[uri]
	delete(p.byURI, uri)
	return found, known && p.clock().Before(found.expiresAt)
}

// pushedMembers are the members of a pushed request, in the order in which a refusal names them.
var pushedMembers = []string{"client_id", "authorization_details"}

// push answers POST /oauth/par.
func (f *Flow) push(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	request := members{}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || json.Unmarshal(body, &request) != nil {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "Grant initiation requires authorization_details")
		return
	}
	if unknown := unknownMembers(body); len(unknown) > 0 {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "Unsupported request fields: "+strings.Join(unknown, ", "))
		return
	}
	clientID, details := "", []json.RawMessage{}
	_ = json.Unmarshal(request["client_id"], &clientID) // a value that is not a text names no client
	if json.Unmarshal(request["authorization_details"], &details) != nil {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "Grant initiation requires authorization_details")
		return
	}
	if len(details) == 0 {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "authorization_details must contain at least one entry")
		return
	}
	var document *documentError
	switch _, err := f.clients.Client(r.Context(), clientID); {
	case errors.As(err, &document):
		respond.Error(w, http.StatusBadRequest, document.code, document.description)
		return
	case err != nil:
		respond.Error(w, http.StatusBadRequest, "invalid_client", "Unknown client_id: "+clientID)
		return
	}
	for _, detail := range details {
		if err := f.keeper.CheckDetail(detail); err != nil {
			respond.Error(w, http.StatusBadRequest, detailCode(err), err.Error())
			return
		}
	}
	uri := f.pushed.save(pushedRequest{clientID: clientID, details: string(request["authorization_details"])})
	respond.JSON(w, http.StatusCreated, struct {
		AuthorizationURL string `json:"authorization_url"`
		ExpiresIn        int    `json:"expires_in"` // seconds
		RequestURI       string `json:"request_uri"`
	}{f.issuer + VerificationPath, int(pushedLifetime.Seconds()), uri})
}

// unknownMembers returns the names of a request's unknown members, in its order.
func unknownMembers(body json.RawMessage) []string {
	var unknown []string
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	_, _ = decoder.Token() // the body is an object
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			break
		}
		if !slices.Contains(pushedMembers, fmt.Sprint(name)) {
			unknown = append(unknown, fmt.Sprint(name))
		}
	}
	return unknown
}

// detailCode returns the code of a refusal of authorization_details.
func detailCode(err error) string {
	var refused *DetailError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return "invalid_authorization_details"
}
