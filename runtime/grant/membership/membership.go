// Package membership reads with the grants in this machine's credential cache, of one provider or of several, as one
// set of sources (R-LOCAL-1). It checks the cache before every call, so that a grant that was connected, refreshed or
// removed counts from the next call.
package membership

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Options configures a Membership.
type Options struct {
	Cache     *credential.Cache
	Providers []string // URLs, at least one
	Grants    []string // ids or labels; empty means every grant of the providers

	Transport    http.RoundTripper // may be nil
	Timeout      time.Duration     // of one request; 0 means rs.DefaultTimeout
	ChildTimeout time.Duration     // of one source in a merged answer; 0 means fanout.DefaultChildTimeout
	Now          func() time.Time  // may be nil

	ApprovalTimeout time.Duration // of a sign-in while the server runs; 0 means 5 minutes
}

// Membership is host.Local over the grants. It is safe for concurrent use.
type Membership struct {
	options  Options
	lifetime context.Context // of the server
	started  time.Time
	renewal  *connect.Renewal
	secrets  atomic.Pointer[rs.Secrets] // of all grants
	refused  chan struct{}              // closed with the refusal

	signIns    context.Context // of running sign-ins
	endSignIns context.CancelFunc

	noting    sync.WaitGroup // writes of grant uses, and sign-ins
	mu        sync.Mutex
	names     []string // of the selected grants; nil means all
	providers []*provider
	refusal   *admission.Refusal
}

// New reads the cache and sends nothing. Later requests end with the lifetime. Its errors are those of
// credential.Cache.Select, and one of class Configuration if two providers have the same connection id. If some
// provider has a usable grant and no grants are named, every answer reports the other providers as missing (R-LOCAL-2).
func New(lifetime context.Context, options Options) (*Membership, error) {
	options.ChildTimeout = cmp.Or(options.ChildTimeout, fanout.DefaultChildTimeout)
	options.ApprovalTimeout = cmp.Or(options.ApprovalTimeout, approvalTimeout)
	if options.Now == nil {
		options.Now = time.Now
	}
	m := &Membership{
		options: options, lifetime: lifetime, started: options.Now(), refused: make(chan struct{}), names: options.Grants,
		renewal: &connect.Renewal{Cache: options.Cache, Transport: options.Transport, Now: options.Now},
	}
	m.signIns, m.endSignIns = context.WithCancel(lifetime)
	for _, each := range options.Providers {
		url, err := credential.ParseProviderURL(each)
		if err != nil {
			return nil, err
		}
		path, err := options.Cache.Path(url)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(m.providers, func(p *provider) bool { return p.url == url }) {
			m.providers = append(m.providers, &provider{url: url, path: path, retries: rs.NewRetryBudget()})
		}
	}
	var stored []*credential.Entry
	var problem error // the first
	isUsable := false
	for _, each := range m.providers {
		m.load(each)
		if failure, ok := errors.AsType[*credential.Error](each.err); each.err != nil && (!ok || failure.Class != credential.Configuration) {
			return nil, each.err
		}
		problem, isUsable = cmp.Or(problem, each.err), isUsable || each.err == nil
		grants, _ := options.Cache.Grants(each.url) // load records the error
		stored = append(stored, grants...)
	}
	if !isUsable || options.Grants != nil && problem != nil {
		return nil, problem
	}
	if err := options.Cache.CheckNames(options.Grants, stored); err != nil {
		return nil, err
	}
	m.shareSecrets()
	_, err := m.sources(m.grants())
	return m, err
}

// Only returns the credential of the only grant, or nil.
func (m *Membership) Only() *credential.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if grants := m.grants(); len(grants) == 1 {
		return grants[0].stored()
	}
	return nil
}

// Begin starts the admission of the only bearer (R-STDIO-3). If there are several, each is admitted at its first use.
func (m *Membership) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if grants := m.grants(); len(grants) == 1 {
		grants[0].admission.Begin()
	}
}

// Environment is a toolcall.Environment. Its reader is the only grant, or merges several.
func (m *Membership) Environment(ctx context.Context) (tool.Env, error) {
	grants, absent, err := m.current()
	if err != nil {
		return tool.Env{}, err
	}
	env := tool.Env{Connect: func(u tool.Uncovered) string { return m.connect(grants, u) }}
	for _, each := range grants {
		env.Granted = append(env.Granted, each.approved...)
	}
	if len(grants) == 1 && len(m.providers) == 1 {
		env.RS = grants[0]
		return env, grants[0].admitted(ctx)
	}
	m.fetchSchemas(ctx, grants)
	sources, err := m.sources(grants)
	if err != nil {
		return tool.Env{}, unusable(err)
	}
	options := fanout.Options{ChildTimeout: m.options.ChildTimeout}
	if len(m.providers) == 1 {
		options.ProviderURL = m.providers[0].url
	}
	env.RS = fanout.New(append(sources, absent...), options)
	return env, ctx.Err()
}

// Refused returns a channel that is closed if a bearer must not be used.
func (m *Membership) Refused() <-chan struct{} { return m.refused }

func (m *Membership) refuse(refusal *admission.Refusal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusal == nil {
		m.refusal = refusal
		close(m.refused)
	}
}

// Settle ends sign-ins, finishes writes to the cache, and waits for admissions until the context ends. It returns the
// refusal, if any.
func (m *Membership) Settle(ctx context.Context) *admission.Refusal {
	m.endSignIns()
	m.noting.Wait()
	m.renewal.Settle()
	m.mu.Lock()
	grants := m.grants()
	m.mu.Unlock()
	for _, each := range grants {
		if refusal := each.admission.Settle(ctx); refusal != nil {
			return refusal
		}
	}
	return nil
}

// fetchSchemas fetches the schema of every grant with unknown coverage, concurrently, within ChildTimeout.
func (m *Membership) fetchSchemas(ctx context.Context, grants []*grant) {
	limited, cancel := context.WithTimeout(ctx, m.options.ChildTimeout)
	defer cancel()
	var asking sync.WaitGroup
	for _, each := range grants {
		if each.needsSchema() {
			asking.Go(func() { _ = each.admitted(limited) }) // the grant records a failure
		}
	}
	asking.Wait()
}

// sources returns the connections of the grants, or an error if handles would be ambiguous.
func (m *Membership) sources(grants []*grant) ([]fanout.Source, error) {
	var sources []fanout.Source
	providers := map[string]string{} // by connection
	for _, each := range grants {
		for _, source := range each.sources() {
			other, isKnown := providers[source.ConnectionID]
			if isKnown && source.ConnectionID != "" && other != each.provider.url {
				return nil, &credential.SeveralError{
					URLs: []string{other, each.provider.url}, Apart: true,
					Refusal: credential.Misconfigured(
						"the providers "+other+" and "+each.provider.url+" both have the connection "+source.ConnectionID,
						"serve each of them alone, with one --provider-url", nil),
				}
			}
			providers[source.ConnectionID] = each.provider.url
			sources = append(sources, source)
		}
	}
	return sources, nil
}

// unusable returns the error of a call without a usable grant.
func unusable(err error) *tool.Error {
	return &tool.Error{Code: tool.SourceUnavailable, Message: err.Error(), Cause: err}
}
