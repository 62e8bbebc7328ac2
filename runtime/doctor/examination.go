package doctor

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// DefaultDeadline is the time of one check. No check waits for more than three others, so that a whole
// examination ends within four times as long.
const DefaultDeadline = 5 * time.Second

// Options say what to examine.
type Options struct {
	ProviderURL string   // as it was passed; may be empty or wrong
	NotChosen   error    // why no provider could be chosen when none was passed; nil otherwise
	CacheRoot   string   // of the credential cache
	Grants      []string // ids or labels; none: every grant of the provider

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

// examination is the state of one run. A check writes a part of it, and only checks that need that one
// read it.
type examination struct {
	options    Options
	provider   string              // by provider_url: in one spelling
	address    *url.URL            // by provider_url
	inspection *connect.Inspection // by resource_metadata
	issuer     string              // by resource_metadata
	token      rs.Secret           // by credential: the first that is usable
	others     []*credential.Entry // by credential: the further grants
	reader     rs.Reader           // by token_kind
	schema     *rs.Response        // by token_kind
}

// Examine runs every check and reports each result in a fixed order, as soon as it and all before it are
// known. The further grants of the provider come last. It ends within a bounded time, and when the context ends.
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
	e := &examination{options: options}
	isReached := false
	run(ctx, e.checks(), options.Deadline, func(result Result) {
		isReached = isReached || result.ID == "token_kind" && result.State != Skipped && result.Class != credential.Unreachable
		report(result)
	})
	if isReached { // else it is said already why none of them can be tried
		run(ctx, e.grantChecks(), options.Deadline, report)
	}
}

func (e *examination) checks() []check {
	checks := []check{
		{id: "provider_url", title: "Provider URL", ask: e.checkURL},
		{id: "connection", title: "Connection", needs: []string{"provider_url"}, ask: e.checkConnection},
		{id: "resource_metadata", title: "Resource metadata", needs: []string{"connection"}, ask: e.checkResourceMetadata},
		{id: "authorization_server", title: "Authorization server", needs: []string{"resource_metadata"}, ask: e.checkAuthorizationServer},
		{id: "cache_file", title: "Credential file", needs: []string{"provider_url"}, ask: e.checkCacheFile},
		{id: "credential", title: "Credential", needs: []string{"cache_file"}, ask: e.checkCredential},
		{id: "token_kind", title: "Token kind", needs: []string{"connection", "credential"}, ask: e.checkTokenKind},
		{id: "schema", title: "Schema", needs: []string{"token_kind"}, ask: e.checkSchema},
		{id: "search_lexical", title: "Search, lexical", needs: []string{"token_kind"}, ask: e.searchCheck("search")},
		{id: "search_semantic", title: "Search, semantic", needs: []string{"token_kind"}, ask: e.searchCheck("search", "semantic")},
		{id: "search_hybrid", title: "Search, hybrid", needs: []string{"token_kind"}, ask: e.searchCheck("search", "hybrid")},
		{id: "clock", title: "Clock", needs: []string{"connection"}, ask: e.checkClock},
		{id: "environment", title: "Environment", ask: e.checkEnvironment},
	}
	return append(checks, e.hostChecks()...)
}

// checkURL settles the spelling that all other checks use.
func (e *examination) checkURL(context.Context) Finding {
	provider, err := credential.ParseProviderURL(e.options.ProviderURL)
	if err = cmp.Or(e.options.NotChosen, err); err != nil {
		return fromError(err, e.doctorCommand("https://data.example"))
	}
	e.provider = provider
	e.address, _ = url.Parse(provider) // ParseProviderURL wrote it
	return ok("%s", provider)
}

// checkEnvironment: every command that reads refuses to run beside an owner credential (R-STDIO-3).
func (e *examination) checkEnvironment(context.Context) Finding {
	if err := credential.RefuseOwnerEnvironment(e.options.Environment); err != nil {
		var names []string
		for _, variable := range e.options.Environment {
			if name, value, _ := strings.Cut(variable, "="); value != "" && credential.RefuseOwnerEnvironment([]string{variable}) != nil {
				names = append(names, name)
			}
		}
		return fromError(err, "unset "+strings.Join(names, " "))
	}
	return ok("no owner credentials")
}
