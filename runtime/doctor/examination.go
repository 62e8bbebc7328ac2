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

// DefaultDeadline is the time of one check. No check waits for more than three others, but for the further grants of a provider,
// which come after all of them, so that a whole examination ends within five times as long.
const DefaultDeadline = 5 * time.Second

// Options say what to examine.
type Options struct {
	ProviderURL string   // as it was passed; may be wrong; empty: every provider of the cache
	CacheRoot   string   // of the credential cache
	Grants      []string // ids or labels; none: every grant of the providers

	// Token gives a token that was passed for this run, in place of the cache; nil when none was passed. TokenSource says
	// where it came from.
	Token       func() (rs.Secret, error)
	TokenSource string

	AllowPlainHTTP bool // read over plain http also from another machine

	Environment []string        // as os.Environ gives it
	Machine     mcphost.Machine // whose hosts are looked at; the zero value for none
	Deadline    time.Duration   // of one check; 0 means DefaultDeadline

	Transport *http.Transport  // nil: one as rs.NewTransport makes it
	Now       func() time.Time // nil: time.Now
}

// examination is the state of that of one provider. A check writes a part of it, and only checks that need that one
// read it.
type examination struct {
	options    *Options
	passed     string              // the provider's URL as it was passed or is stored
	grants     []string            // ids or labels; none: every grant of the provider
	notChosen  error               // why there is no provider to examine; nil otherwise
	provider   string              // by provider_url: in one spelling
	address    *url.URL            // by provider_url
	inspection *connect.Inspection // by resource_metadata
	token      rs.Secret           // by credential: the first that can be read with
	isSpent    bool                // by credential: the token has expired
	others     []*credential.Entry // by credential: the further grants, which are examined last
	reader     rs.Reader           // by token_kind
	schema     *rs.Response        // by token_kind
}

// Examine runs every check and reports each result in a fixed order, as soon as it and all before it are known: those of each
// provider, then those of this machine. The providers are examined side by side. It ends within a bounded time, and when the
// context ends.
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
	examinations, machine := options.examinations()
	found := make([]chan Result, len(examinations))
	for i, each := range examinations {
		found[i] = make(chan Result, aheadMost)
		go func() {
			defer close(found[i])
			each.run(ctx, func(result Result) { found[i] <- result })
		}()
	}
	for _, results := range found {
		for result := range results {
			report(result)
		}
	}
	run(ctx, machine, options.Deadline, report)
}

// aheadMost is how many results of a provider are known before those of the provider before it are all reported.
const aheadMost = 64

// needsReading is the check after which the further grants are tried.
const (
	needsReading      = "token_kind"
	needsReadingTitle = "Token kind"
)

// run examines one provider.
func (e *examination) run(ctx context.Context, report func(Result)) {
	isReached := false
	named := func(result Result) {
		result.Provider = e.provider // the first check has settled it
		report(result)
	}
	run(ctx, e.checks(), e.options.Deadline, func(result Result) {
		isReached = isReached || result.ID == needsReading && result.State != Skipped && result.Class != credential.Unreachable
		named(result)
	})
	run(ctx, e.grantChecks(isReached), e.options.Deadline, named)
}

func (e *examination) checks() []check {
	return []check{
		{id: "provider_url", title: "Provider URL", ask: e.checkURL},
		{id: "connection", title: "Connection", needs: []string{"provider_url"}, ask: e.checkConnection},
		{id: "resource_metadata", title: "Resource metadata", needs: []string{"connection"}, ask: e.checkResourceMetadata},
		{id: "authorization_server", title: "Authorization server", needs: []string{"resource_metadata"}, ask: e.checkAuthorizationServer},
		{id: cacheFile, title: cacheFileTitle, needs: []string{"provider_url"}, ask: e.checkCacheFile},
		{id: "credential", title: "Credential", needs: []string{cacheFile}, ask: e.checkCredential},
		{id: needsReading, title: needsReadingTitle, needs: []string{"connection", "credential"}, ask: e.checkTokenKind},
		{id: "schema", title: "Schema", needs: []string{needsReading}, ask: e.checkSchema},
		{id: "search_lexical", title: "Search, lexical", needs: []string{needsReading}, ask: e.searchCheck("search")},
		{id: "search_semantic", title: "Search, semantic", needs: []string{needsReading}, ask: e.searchCheck("search", "semantic")},
		{id: "search_hybrid", title: "Search, hybrid", needs: []string{needsReading}, ask: e.searchCheck("search", "hybrid")},
		{id: "clock", title: "Clock", needs: []string{"connection"}, ask: e.checkClock},
	}
}

// checkURL settles the spelling that all other checks use.
func (e *examination) checkURL(context.Context) Finding {
	provider, err := credential.ParseProviderURL(e.passed)
	if err = cmp.Or(e.notChosen, err); err != nil {
		mend := e.options.doctorCommand("https://data.example")
		if e.passed == "" && e.options.Token == nil {
			mend = e.connectCommand() // nothing is connected
		}
		return fromError(err, mend)
	}
	e.provider = provider
	e.address, _ = url.Parse(provider) // ParseProviderURL wrote it
	return ok("%s", provider)
}
