package doctor

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// DefaultDeadline is the time limit of one check.
const DefaultDeadline = 5 * time.Second

// Options say what to examine.
type Options struct {
	ProviderURL string   // as passed, possibly invalid; empty: every provider in the cache
	Grants      []string // ids or labels; empty: every grant of the providers

	Cache *credential.Cache // with KeepModes; nil: Token is used

	// Token returns a token that was passed for this run; nil: the cache is used. TokenSource names the flag or variable.
	Token       func() (rs.Secret, error)
	TokenSource string

	AllowPlainHTTP bool // also read from another machine over plain http

	Machine  mcphost.Machine // whose hosts are checked; the zero value: none
	Deadline time.Duration   // of one check

	Transport *http.Transport // nil: rs.NewTransport
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
	overlaps       []credential.Overlap
	reader         rs.Reader    // token_kind
	isReachable    bool         // token_kind: the provider has answered
	schema         *rs.Response // token_kind
}

// Examine runs the checks of each provider and then those of this machine. It reports each result at once, always in
// the same order.
func Examine(ctx context.Context, options Options, report func(Result)) {
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

const tokenKind = "Token kind" // the check before the further grants are tried

func (e *examination) run(ctx context.Context, report func(Result)) {
	reportResult := func(result Result) {
		result.Provider = e.provider // the first check sets it
		report(result)
	}
	run(ctx, e.checks(), e.options.Deadline, reportResult)
	run(ctx, e.grantChecks(), e.options.Deadline, reportResult)
}

func (e *examination) checks() []check {
	return []check{
		{id: "provider_url", title: "Provider URL", ask: e.checkURL},
		{id: "connection", title: "Connection", needs: []string{"Provider URL"}, ask: e.checkConnection},
		{id: "resource_metadata", title: "Resource metadata", needs: []string{"Connection"}, ask: e.checkResourceMetadata},
		{id: "authorization_server", title: "Authorization server", needs: []string{"Resource metadata"}, ask: e.checkAuthorizationServer},
		{id: cacheFile, title: cacheFileTitle, needs: []string{"Provider URL"}, ask: e.checkCacheFile},
		{id: "credential", title: "Credential", needs: []string{cacheFileTitle}, ask: e.checkCredential},
		{id: "token_kind", title: tokenKind, needs: []string{"Connection", "Credential"}, ask: e.checkTokenKind},
		{id: "schema", title: "Schema", needs: []string{tokenKind}, ask: func(context.Context) Finding { return e.coverage(e.schema) }},
		{id: "search_lexical", title: "Search, lexical", needs: []string{tokenKind}, ask: e.searchCheck("search")},
		{id: "search_semantic", title: "Search, semantic", needs: []string{tokenKind}, ask: e.searchCheck("search", "semantic")},
		{id: "search_hybrid", title: "Search, hybrid", needs: []string{tokenKind}, ask: e.searchCheck("search", "hybrid")},
		{id: "clock", title: "Clock", needs: []string{"Connection"}, ask: e.checkClock},
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

// The check of a file of the cache.
const (
	cacheFile      = "cache_file"
	cacheFileTitle = "Credential file"
)

// examinations returns an examination for each provider, and the checks of this machine. Without a provider URL and a
// token it takes the providers of the cache; unusable cache files become checks of this machine.
func (o *Options) examinations() (providers []*examination, machine []check) {
	if o.ProviderURL == "" && o.Token == nil {
		providers, machine = o.cached()
	}
	if providers == nil && machine == nil {
		providers = []*examination{{options: o, providerURL: o.ProviderURL, grants: o.Grants}}
	}
	machine = append(machine, check{id: "environment", title: "Environment", ask: checkEnvironment})
	return providers, append(machine, o.hostChecks(providers)...)
}

// cached returns an examination for each provider of the cache that has a wanted grant, and a check for each unusable
// file.
func (o *Options) cached() (providers []*examination, faults []check) {
	files, err := o.Cache.List()
	var stored []*credential.Entry
	for _, file := range files {
		if file.Err != nil {
			faults = append(faults, check{id: cacheFile, title: cacheFileTitle, ask: func(context.Context) Finding {
				return fromError(file.Err, commandline.Read("connections", "", o.Cache.NamedRoot()))
			}})
			continue
		}
		stored = append(stored, file.Grants...)
		if names := credential.Named(file.Grants, o.Grants); len(names) > 0 || len(o.Grants) == 0 {
			providers = append(providers, &examination{options: o, providerURL: file.Grants[0].ProviderURL, grants: names})
		}
	}
	if err = cmp.Or(err, o.Cache.CheckNames(o.Grants, stored)); err != nil {
		return []*examination{{options: o, selectionError: err}}, faults
	}
	return providers, faults
}

// checkEnvironment finds owner credentials, with which no command runs (R-STDIO-3).
func checkEnvironment(context.Context) Finding {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return fromError(err, "")
	}
	return ok("no owner credentials")
}

func (o *Options) hostChecks(providers []*examination) []check {
	if o.Machine.Home == "" {
		return nil
	}
	var checks []check
	for _, host := range mcphost.Hosts() {
		if host.Installed(o.Machine) {
			checks = append(checks, check{
				id: "host_" + strings.ReplaceAll(host.Name, "-", "_"), title: host.Title,
				ask: func(ctx context.Context) Finding { return o.checkHost(ctx, host, providers) },
			})
		}
	}
	if len(checks) == 0 {
		return []check{{id: "hosts", title: "MCP hosts", ask: func(context.Context) Finding {
			return note("", "no known host on this machine")
		}}}
	}
	return checks
}

// checkHost looks for the adapter among the host's servers, and starts each entry. A host without it is not a failure.
func (o *Options) checkHost(ctx context.Context, host mcphost.Host, providers []*examination) Finding {
	setup := o.setupCommand(host, providers)
	entries, err := host.Entries(o.Machine)
	if err != nil {
		return fromError(err, setup+" --print")
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsAdapter() && !slices.ContainsFunc(providers, func(e *examination) bool { return e.serves(entry.URL) }) {
			continue
		}
		again := setup + " --name " + commandline.Word(entry.Name)
		if filepath.IsAbs(entry.Command) {
			if _, err := os.Stat(entry.Command); err != nil {
				return failed(credential.Configuration, again, "its server %s starts %s, which does not exist", entry.Name, entry.Command)
			}
		}
		if entry.IsAdapter() {
			if problem := startProblem(ctx, entry); problem != "" {
				return failed(credential.Configuration, again, "its server %s does not start: %s", entry.Name, problem)
			}
		}
		names = append(names, entry.Name)
	}
	if names == nil {
		return note(setup, "found, without pdpp-mcp")
	}
	return ok("has pdpp-mcp as %s", strings.Join(names, ", "))
}

func (e *examination) serves(address string) bool {
	provider, err := credential.ParseProviderURL(e.providerURL)
	return err == nil && strings.HasPrefix(address, provider+"/")
}

// setupCommand names the provider if there is only one. Without a name, setup takes every provider of the cache.
func (o *Options) setupCommand(host mcphost.Host, providers []*examination) string {
	provider := ""
	if len(providers) == 1 {
		provider = "https://data.example"
		if parsed, err := credential.ParseProviderURL(providers[0].providerURL); err == nil {
			provider = parsed
		}
	}
	return commandline.Read("setup "+host.Name, provider, o.Cache.NamedRoot())
}
