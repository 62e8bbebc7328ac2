package doctor

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// DefaultDeadline is the time limit of one check.
const DefaultDeadline = 5 * time.Second

// Options say what to examine.
type Options struct {
	ProviderURL string   // as passed, possibly invalid; empty: every provider in the cache
	CacheRoot   string   // of the credential cache
	Grants      []string // ids or labels; empty: every grant of the providers

	// Token returns a token that was passed for this run; nil: the cache is used. TokenSource names the flag or variable.
	Token       func() (rs.Secret, error)
	TokenSource string

	AllowPlainHTTP bool // also read from another machine over plain http

	Environment []string        // as os.Environ returns it
	Machine     mcphost.Machine // whose hosts are checked; the zero value: none
	Deadline    time.Duration   // of one check; 0: DefaultDeadline

	Transport *http.Transport  // nil: rs.NewTransport
	Now       func() time.Time // nil: time.Now
}

// examination is the state of one provider's checks. The comments name the check that sets a field.
type examination struct {
	options        *Options
	providerURL    string              // as passed or stored
	grants         []string            // ids or labels; empty: every grant of the provider
	selectionError error               // why there is no provider to examine
	provider       string              // provider_url: the normalized URL
	address        *url.URL            // provider_url
	inspection     *connect.Inspection // resource_metadata
	token          rs.Secret           // credential: the first usable one
	isExpired      bool                // credential: the token has expired
	furtherGrants  []*credential.Entry // credential: the further grants, examined last
	reader         rs.Reader           // token_kind
	schema         *rs.Response        // token_kind
}

// Examine runs the checks of each provider and then those of this machine. It reports each result at once, always in the same order.
func Examine(ctx context.Context, options Options, report func(Result)) {
	if options.Deadline <= 0 {
		options.Deadline = DefaultDeadline
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Transport == nil {
		options.Transport = rs.NewTransport()
	}
	defer options.Transport.CloseIdleConnections()
	examinations, machineChecks := options.examinations()
	for _, each := range examinations {
		each.run(ctx, report)
	}
	run(ctx, machineChecks, options.Deadline, report)
}

// The further grants are tried after this check.
const (
	tokenKind      = "token_kind"
	tokenKindTitle = "Token kind"
)

func (e *examination) run(ctx context.Context, report func(Result)) {
	isReachable := false
	reportResult := func(result Result) {
		result.Provider = e.provider // the first check sets it
		isReachable = isReachable || result.ID == tokenKind && result.State != Skipped && result.Class != credential.Unreachable
		report(result)
	}
	run(ctx, e.checks(), e.options.Deadline, reportResult)
	run(ctx, e.grantChecks(isReachable), e.options.Deadline, reportResult)
}

func (e *examination) checks() []check {
	return []check{
		{id: "provider_url", title: "Provider URL", ask: e.checkURL},
		{id: "connection", title: "Connection", needs: []string{"provider_url"}, ask: e.checkConnection},
		{id: "resource_metadata", title: "Resource metadata", needs: []string{"connection"}, ask: e.checkResourceMetadata},
		{id: "authorization_server", title: "Authorization server", needs: []string{"resource_metadata"}, ask: e.checkAuthorizationServer},
		{id: cacheFile, title: cacheFileTitle, needs: []string{"provider_url"}, ask: e.checkCacheFile},
		{id: "credential", title: "Credential", needs: []string{cacheFile}, ask: e.checkCredential},
		{id: tokenKind, title: tokenKindTitle, needs: []string{"connection", "credential"}, ask: e.checkTokenKind},
		{id: "schema", title: "Schema", needs: []string{tokenKind}, ask: func(context.Context) Finding { return e.coverage(e.schema) }},
		{id: "search_lexical", title: "Search, lexical", needs: []string{tokenKind}, ask: e.searchCheck("search")},
		{id: "search_semantic", title: "Search, semantic", needs: []string{tokenKind}, ask: e.searchCheck("search", "semantic")},
		{id: "search_hybrid", title: "Search, hybrid", needs: []string{tokenKind}, ask: e.searchCheck("search", "hybrid")},
		{id: "clock", title: "Clock", needs: []string{"connection"}, ask: e.checkClock},
	}
}

func (e *examination) checkURL(context.Context) Finding {
	provider, err := credential.ParseProviderURL(e.providerURL)
	if err = cmp.Or(e.selectionError, err); err != nil {
		fix := e.options.doctorCommand("https://data.example")
		if e.providerURL == "" && e.options.Token == nil {
			fix = e.connectCommand() // nothing is connected
		}
		return fromError(err, fix)
	}
	e.provider = provider
	e.address, _ = url.Parse(provider) // ParseProviderURL wrote it
	return ok("%s", provider)
}
