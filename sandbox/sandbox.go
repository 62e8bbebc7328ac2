// Package sandbox is a complete PDPP provider on one machine, for trials and tests: an authorization server and
// a resource server on one origin, with invented data. It is never linked into the adapter.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// ErrPublicURL reports that Options.PublicURL is not the URL of an origin.
var ErrPublicURL = errors.New(
	"the public URL must be http or https with a host and no path, as in http://127.0.0.1:8787")

// Options configures a Sandbox.
type Options struct {
	// PublicURL is the origin that clients see, such as http://127.0.0.1:8787. It is the issuer, the
	// resource and the base of every advertised URL.
	PublicURL string
	// DataDir is the directory of the database; empty means in memory. Changed and deleted records survive a
	// restart; grants and tokens are new at every start.
	DataDir string
	// Seed chooses the sample data.
	Seed uint64
	// Data, if not nil, is served instead of the sample data.
	Data *catalog.Dataset
	// Reads determines what client tokens may request. The default is resource.ReadsV01.
	Reads resource.Reads
	// Coming adds members that later versions of PDPP announce.
	Coming resource.Coming
	// Quirks are habits of the reference provider's resource server.
	Quirks resource.Quirks
	// Authorization configures the authorization server.
	Authorization []authorization.Option
	// Retries are the pauses before an event is sent again to a subscription; nil means
	// subscription.DefaultRetries.
	Retries []time.Duration
}

// Sandbox is a running authorization and resource server without a listener. It is safe for
// concurrent use until Close.
type Sandbox struct {
	publicURL     string
	records       *store.Store
	authorization *authorization.Server
	resource      http.Handler
	subscriptions *subscription.Registry
	indexState    string
}

// New opens the store and fills it with the sample data. The caller closes the Sandbox.
func New(ctx context.Context, options Options) (*Sandbox, error) {
	origin, err := publicOrigin(options.PublicURL)
	if err != nil {
		return nil, err
	}
	set, records, err := fill(ctx, options)
	if err != nil {
		return nil, err
	}
	open := authorization.WithOwnersChoice(options.Reads == resource.ReadsOpen)
	as := authorization.New(origin, set, append([]authorization.Option{open}, options.Authorization...)...)
	if options.Retries == nil {
		options.Retries = subscription.DefaultRetries()
	}
	subscriptions := subscription.NewRegistry(subscription.Options{Retries: options.Retries})
	as.OnRevoke(func(grantID string) {
		if err := subscriptions.Revoke(grantID); err != nil {
			slog.Error("sandbox event was not queued", "grant_id", grantID, "error", err)
		}
	})
	return &Sandbox{
		publicURL:     origin,
		records:       records,
		authorization: as,
		resource: resource.New(records, set, as.Access, resource.Options{
			Reads: options.Reads, Coming: options.Coming, Quirks: options.Quirks,
			ResourceMetadataURL: origin + ResourceMetadataPath, Grant: as.Grant, Subscriptions: subscriptions,
		}),
		subscriptions: subscriptions,
		indexState:    options.Quirks.IndexState(),
	}, nil
}

func publicOrigin(raw string) (string, error) {
	raw = strings.TrimSuffix(raw, "/")
	parsed, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPublicURL, err)
	}
	// An origin consists of scheme and host only.
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || raw != parsed.Scheme+"://"+parsed.Host {
		return "", fmt.Errorf("%w, not %s", ErrPublicURL, parsed.Redacted())
	}
	return raw, nil
}

// PublicURL returns the origin, without a trailing slash.
func (s *Sandbox) PublicURL() string { return s.publicURL }

// Authorization returns the authorization server, to revoke grants and to find credentials.
func (s *Sandbox) Authorization() *authorization.Server { return s.authorization }

// Store returns the resource server's store, to change records while it runs.
func (s *Sandbox) Store() *store.Store { return s.records }

// Tokens returns the ready tokens by name; see authorization.Server.Tokens.
func (s *Sandbox) Tokens() map[string]string { return s.authorization.Tokens() }

// Handler serves the whole origin. The resource server answers every path that is neither metadata nor the
// authorization server's, unknown ones too.
func (s *Sandbox) Handler() http.Handler {
	as := s.authorization.Handler()
	mux := http.NewServeMux()
	for _, path := range authorization.Paths() {
		mux.Handle(path, as)
	}
	mux.Handle(ResourceMetadataPath, respond.AnyOrigin(http.MethodGet, http.HandlerFunc(s.resourceMetadata)))
	mux.Handle("/", s.resource)
	return mux
}

// Close stops the deliveries to subscriptions and closes the store. No request may be running.
func (s *Sandbox) Close() error {
	s.subscriptions.Close()
	if err := s.records.Close(); err != nil {
		return fmt.Errorf("close the sandbox: %w", err)
	}
	return nil
}
