// Package sandbox is a whole PDPP on one machine, for trying and testing: an authorization server and
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

// ErrPublicURL says that Options.PublicURL is not the URL of an origin.
var ErrPublicURL = errors.New("the public URL must be http or https with a host and no path, as in http://127.0.0.1:8787")

// Options says where a Sandbox stands and what it holds.
type Options struct {
	// PublicURL is the origin that clients see, such as http://127.0.0.1:8787. It is the issuer, the
	// resource and the base of every advertised URL.
	PublicURL string
	// DataDir keeps the records over restarts; empty keeps them in memory. Records that were changed or
	// deleted stay so; grants and tokens are made anew at every start.
	DataDir string
	// Seed chooses the sample data.
	Seed uint64
	// Data is served in place of the sample data when it is not nil.
	Data *catalog.Dataset
	// Reads is what client tokens may ask; the default is resource.ReadsV01.
	Reads resource.Reads
	// Coming are answers of later versions of PDPP.
	Coming resource.Coming
	// Authorization is passed on to the authorization server.
	Authorization []authorization.Option
	// Retries are the pauses before an event is sent to a subscription again; nil means
	// subscription.DefaultRetries.
	Retries []time.Duration
}

// Sandbox is a running authorization and resource server without a listener of its own. It is safe for
// concurrent use until Close.
type Sandbox struct {
	publicURL     string
	records       *store.Store
	authorization *authorization.Server
	resource      http.Handler
	subscriptions *subscription.Registry
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
			Reads: options.Reads, Coming: options.Coming, ResourceMetadataURL: origin + ResourceMetadataPath, Grant: as.Grant, Subscriptions: subscriptions,
		}),
		subscriptions: subscriptions,
	}, nil
}

func publicOrigin(raw string) (string, error) {
	raw = strings.TrimSuffix(raw, "/")
	parsed, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPublicURL, err)
	}
	// An origin has nothing but these two parts, so that it can be put together again from them.
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || raw != parsed.Scheme+"://"+parsed.Host {
		return "", fmt.Errorf("%w, not %s", ErrPublicURL, parsed.Redacted())
	}
	return raw, nil
}

// PublicURL is the origin, without a slash at its end.
func (s *Sandbox) PublicURL() string { return s.publicURL }

// Authorization is the authorization server, to revoke grants and to find credentials.
func (s *Sandbox) Authorization() *authorization.Server { return s.authorization }

// Store is the resource server's store, to change records while it runs.
func (s *Sandbox) Store() *store.Store { return s.records }

// Tokens returns the ready tokens by the names that authorization.Server.Tokens lists.
func (s *Sandbox) Tokens() map[string]string { return s.authorization.Tokens() }

// Handler serves the whole origin. What is neither metadata nor the authorization server's goes to the
// resource server, which also answers for paths that do not exist.
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

// Close ends the deliveries to subscriptions and closes the store. Requests must have ended.
func (s *Sandbox) Close() error {
	s.subscriptions.Close()
	if err := s.records.Close(); err != nil {
		return fmt.Errorf("close the sandbox: %w", err)
	}
	return nil
}
