package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// Documents says whether clients may be named by the URL of their metadata document
// (draft-ietf-oauth-client-id-metadata-document).
type Documents string

// The choices. DocumentsAnywhere also takes http, and this machine's addresses: for tests, whose documents have nowhere
// else to be.
const (
	NoDocuments       Documents = "none"
	PublicDocuments   Documents = "public"
	DocumentsAnywhere Documents = "anywhere"
)

// AllDocuments returns the choices.
func AllDocuments() []Documents { return []Documents{NoDocuments, PublicDocuments, DocumentsAnywhere} }

// Taken reports whether there are such clients.
func (d Documents) Taken() bool { return d == PublicDocuments || d == DocumentsAnywhere }

// Limits of reading a document.
const (
	documentTimeout  = 5 * time.Second
	documentBytes    = 5 << 10
	documentLifetime = 5 * time.Minute // how long one is not read again
)

// documentError reports a document that does not describe a usable client.
type documentError struct{ code, description string }

func (e *documentError) Error() string { return e.description }

// The codes of documentError, as real servers have them (captures 880f to 880i).
const (
	documentRefused = "invalid_request"
	documentMissing = "cimd_fetch_failed"
	documentUnfit   = "invalid_client_metadata"
)

// documents reads the documents that name clients, and keeps them for a while.
type documents struct {
	allowed Documents
	clock   func() time.Time
	client  *http.Client

	mu    sync.Mutex
	byURL map[string]documentClient
}

type documentClient struct {
	client goidc.Client
	readAt time.Time
}

func newDocuments(allowed Documents, clock func() time.Time) *documents {
	d := &documents{allowed: allowed, clock: clock, byURL: map[string]documentClient{}}
	dialer := net.Dialer{Timeout: documentTimeout, Control: d.checkAddress}
	d.client = &http.Client{
		Timeout: documentTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true,
			TLSHandshakeTimeout: documentTimeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return d
}

// names reports whether a client id is meant as the URL of a document.
func (d *documents) names(id string) bool {
	return d.allowed.Taken() && strings.HasPrefix(id, "https://") || d.allowed == DocumentsAnywhere &&
		strings.HasPrefix(id, "http://")
}

// find returns the client of a URL. Its error is a *documentError.
func (d *documents) find(ctx context.Context, address string) (goidc.Client, error) {
	d.mu.Lock()
	known, isKnown := d.byURL[address]
	d.mu.Unlock()
	if isKnown && d.clock().Sub(known.readAt) < documentLifetime {
		return known.client, nil
	}
	if err := checkDocumentURL(address); err != nil {
		return goidc.Client{}, err
	}
	body, err := d.read(ctx, address)
	if err != nil {
		return goidc.Client{}, &documentError{documentMissing, "CIMD fetch failed: " + err.Error()}
	}
	client, err := clientOf(address, body)
	if err != nil {
		return goidc.Client{}, &documentError{documentUnfit, "The client metadata document " + err.Error()}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.byURL) >= maxDocuments {
		clear(d.byURL) // they are read again
	}
	d.byURL[address] = documentClient{client, d.clock()}
	return client, nil
}

// maxDocuments bounds what is kept.
const maxDocuments = 1000

// checkDocumentURL refuses URLs that cannot name a client.
func checkDocumentURL(address string) error {
	parsed, err := url.Parse(address)
	problem := ""
	switch {
	case err != nil || parsed.Hostname() == "":
		problem = "must be a URL with a host"
	case parsed.Path == "" || parsed.Path == "/":
		problem = "must have a non-empty path"
	case strings.Contains(address, "#"):
		problem = "must not include a fragment"
	case parsed.User != nil:
		problem = "must not include a user name or a password"
	case strings.Contains(parsed.Path, "/./") || strings.Contains(parsed.Path, "/../"):
		problem = "must not include dot segments"
	default:
		return nil
	}
	return &documentError{documentRefused, "CIMD client_id " + problem}
}

// errNoDocument reports a response without a document. The wrapping error has the reason.
var errNoDocument = errors.New("no document")

func (d *documents) read(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, documentBytes+1))
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK: // a redirect too
		return nil, fmt.Errorf("%w: answered %s", errNoDocument, response.Status)
	case kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return nil, fmt.Errorf("%w: answered with %q in place of JSON", errNoDocument, kind)
	case len(body) > documentBytes:
		return nil, fmt.Errorf("%w: it is longer than %d bytes", errNoDocument, documentBytes)
	}
	return body, nil
}

// errAddress is an address that the server must not read from on behalf of others.
var errAddress = errors.New("is not a public address")

// checkAddress judges what a name was resolved to, before the connection is made.
func (d *documents) checkAddress(_, address string, _ syscall.RawConn) error {
	where, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, errAddress)
	}
	ip := where.Addr().Unmap()
	isPublic := ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedAddresses.Contains(ip)
	if isPublic || d.allowed == DocumentsAnywhere && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s %w", ip, errAddress)
}

// sharedAddresses are those of carriers' inner networks (RFC 6598).
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// errDocument is a document that describes no client that can be served. What comes after it says why.
var errDocument = errors.New("cannot be used")

// clientOf reads a document. What it does not say is as in a registration.
func clientOf(address string, body []byte) (goidc.Client, error) {
	var document struct {
		ClientID     string            `json:"client_id"`
		ClientSecret json.RawMessage   `json:"client_secret"`
		Name         string            `json:"client_name"`
		RedirectURIs []string          `json:"redirect_uris"`
		GrantTypes   []goidc.GrantType `json:"grant_types"`
		AuthMethod   string            `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return goidc.Client{}, fmt.Errorf("%w: it is not a JSON object with members of the right types", errDocument)
	}
	switch {
	case document.ClientID != address:
		return goidc.Client{}, fmt.Errorf("%w: its client_id is not its URL", errDocument)
	case document.ClientSecret != nil || document.AuthMethod != "" && document.AuthMethod != string(goidc.AuthnMethodNone):
		return goidc.Client{}, fmt.Errorf("%w: a client that is named by a document has no secret", errDocument)
	}
	for _, uri := range document.RedirectURIs {
		if err := checkRedirectURI(uri); err != nil {
			return goidc.Client{}, fmt.Errorf("%w: %w", errDocument, err)
		}
	}
	if document.GrantTypes == nil {
		document.GrantTypes = everyGrantType
	}
	client := goidc.Client{ID: address}
	client.Name, client.RedirectURIs, client.GrantTypes = document.Name, document.RedirectURIs, document.GrantTypes
	client.ApplicationType, client.ResponseTypes = goidc.ApplicationTypeNative, []goidc.ResponseType{
		goidc.ResponseTypeCode,
	}
	client.TokenAuthnMethod, client.ScopeIDs = goidc.AuthnMethodNone, Scope
	return client, nil
}
