package invocation

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	providerFlag = "provider-url"
	grantFlag    = "grant-id"
)

// AddProviderURL adds the flag that names a provider.
func AddProviderURL(flags *pflag.FlagSet, providerURL *string, usage string) {
	flags.StringVar(providerURL, providerFlag, "", usage)
	ReadVariables(flags, providerFlag)
}

// AddReadOn adds the flag that bounds what one call reads for itself.
func AddReadOn(flags *pflag.FlagSet, most *int) {
	flags.IntVar(most, "read-on", tool.DefaultReadOn, "most records that one call reads for what the resource server refuses, 0 for none")
	ReadVariables(flags, "read-on")
}

// RefuseReadOn returns a usage error for a bound that is none.
func RefuseReadOn(most int) error {
	if most < 0 {
		return Usagef("--read-on must not be negative; pass 0 to leave refusals as they are")
	}
	return nil
}

// AddCacheRoot adds the flag that names the credential cache.
func AddCacheRoot(flags *pflag.FlagSet, cacheRoot *string) {
	flags.StringVar(cacheRoot, "cache-root", "", "`directory` of the credential cache (default .pdpp here if it exists, else ~/.pdpp)")
	ReadVariables(flags, "cache-root")
}

// AddGrants adds the flag that names grants, for a command that reads with cached credentials.
func AddGrants(flags *pflag.FlagSet, grants *[]string, usage string) {
	flags.StringArrayVar(grants, grantFlag, nil, usage)
	ReadVariables(flags, grantFlag)
}

// AddProviderURLs adds the flag that names one provider or several.
func AddProviderURLs(flags *pflag.FlagSet, urls *[]string, usage string) {
	flags.StringSliceVar(urls, providerFlag, nil, usage)
	ReadVariables(flags, providerFlag)
}

// OpenCache opens the credential cache at root, or at its default place if root is empty.
func OpenCache(root string, logger *slog.Logger) (*credential.Cache, error) {
	if root == "" {
		var err error
		if root, err = credential.DefaultRoot(); err != nil {
			return nil, err
		}
	}
	return &credential.Cache{Root: root, Logger: logger}, nil
}

// ClearText is whether a token may be sent over plain http to another machine, for users who trust the network between.
type ClearText struct{ Allowed bool }

// AllowPlainHTTP is the name of the flag that sets ClearText.
const AllowPlainHTTP = "allow-plain-http"

// AddFlags adds the flag AllowPlainHTTP.
func (c *ClearText) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.Allowed, AllowPlainHTTP, false, "send tokens over plain http to another machine too, in a private network")
	ReadVariables(flags, AllowPlainHTTP)
}

// Refuse returns an error for an address that would carry a token in clear text to another machine, unless that is allowed.
// What names the address at the beginning of the message.
func (c *ClearText) Refuse(what, address string) error {
	if c.Allowed {
		return nil
	}
	return credential.RefuseClearText(what, address)
}

// accessTokenVariable names the environment variable that may hold the scoped token itself, for containers.
const accessTokenVariable = "PDPP_ACCESS_TOKEN"

// Provider has the flags that choose a resource server and the credential for it.
type Provider struct {
	URL             string
	CacheRoot       string
	Grants          []string // ids or labels
	AccessTokenFile string
	Timeout         time.Duration
	ClearText       ClearText

	Transport http.RoundTripper // to the resource server; nil for the usual one

	chosen *credential.Entry // by Each; nil: the one of Grants that was connected last
	caller audit.Caller      // whose token was taken from the cache
}

// AddFlags adds the flags and the environment variables that stand in for them.
func (p *Provider) AddFlags(flags *pflag.FlagSet) {
	AddProviderURL(flags, &p.URL, "`url` of the PDPP provider, such as https://pdpp.example (default: the only one that is connected)")
	AddGrants(flags, &p.Grants, "use the cached credential of this `grant`, by its id or label (default: the one that was connected last)")
	p.AddAccess(flags)
}

// AddAccess adds the flags that say how a provider is read, and with what besides the credentials of its grants.
func (p *Provider) AddAccess(flags *pflag.FlagSet) {
	AddCacheRoot(flags, &p.CacheRoot)
	flags.StringVar(&p.AccessTokenFile, "access-token-file", "",
		"`file` that holds a scoped token, in place of the cache; PDPP_ACCESS_TOKEN may hold the token itself")
	ReadConfigured(flags, "access-token-file")
	AddTimeout(flags, &p.Timeout, "limit of one request to the resource server")
	p.ClearText.AddFlags(flags)
}

// Choose takes the only provider of the cache when none was named. A token that was passed for this run is sent to no provider
// that was not named.
func (p *Provider) Choose() error {
	if source, _ := p.Passed(); p.URL != "" || source != "" {
		return nil
	}
	cache, err := OpenCache(p.CacheRoot, nil)
	if err != nil {
		return err
	}
	cache.AsIs = true // for the doctor; what reads a credential narrows its file
	p.URL, err = cache.OnlyProvider(p.Grants...)
	return err
}

// SignIn returns the command line that stores another credential in the same cache.
func (p *Provider) SignIn() string {
	address, _ := credential.ParseProviderURL(p.URL)
	cache, err := OpenCache(p.CacheRoot, nil)
	if err != nil {
		return commandline.Connect(address, "")
	}
	return commandline.Connect(address, cache.NamedRoot())
}

// Admitted returns a client with the scoped token, after the resource server has confirmed that the token is a client's. It
// applies the rules of the server to a command.
func (p *Provider) Admitted(ctx context.Context, logger *slog.Logger) (*rs.Client, error) {
	client, err := p.Reader(ctx, logger)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	_, err = host.Admit(ctx, client, p.SignIn())
	if explained, ok := errors.AsType[*tool.Explained](err); ok {
		err = Advised(err, explained.Hint)
	}
	return client, err
}

// Reader returns a client with the scoped token. It makes no request, unless a cached token has to be renewed (R-LOCAL-5).
func (p *Provider) Reader(ctx context.Context, logger *slog.Logger) (*rs.Client, error) {
	address, err := p.address()
	if err != nil {
		return nil, err
	}
	token, err := p.token(ctx, logger)
	if err != nil {
		return nil, err
	}
	return p.client(address, token)
}

// client reads at an address with a token.
func (p *Provider) client(address string, token rs.Secret) (*rs.Client, error) {
	return rs.NewClient(rs.Options{BaseURL: address, Bearer: token, Timeout: p.Timeout, Transport: p.Transport})
}

// address returns the URL of the provider, unless nothing may be read there or beside what the environment holds.
func (p *Provider) address() (string, error) {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return "", err
	}
	if err := p.Choose(); err != nil {
		return "", err
	}
	address, err := credential.ParseProviderURL(p.URL)
	if err != nil {
		return "", err
	}
	return address, p.ClearText.Refuse("provider URL", address)
}

// Each returns a Provider for each usable credential of the cache that is wanted, the one that was connected last first, or p itself
// when a token was passed for this run.
func (p *Provider) Each(logger *slog.Logger) ([]*Provider, error) {
	if _, err := p.address(); err != nil {
		return nil, err
	}
	if source, _ := p.Passed(); source != "" {
		return []*Provider{p}, nil
	}
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	entries, err := cache.Select(credential.Selection{ProviderURL: p.URL, Grants: p.Grants}, now)
	if err != nil {
		return nil, err
	}
	var all []*Provider
	for _, entry := range entries {
		if entry.Credential.Usable(now) {
			one := *p
			one.chosen = entry
			all = append(all, &one)
		}
	}
	return all, nil
}

// Grant is the label of the credential that Each has chosen, or else its grant's id; empty when neither is known.
func (p *Provider) Grant() string {
	if p.chosen == nil {
		return ""
	}
	return cmp.Or(p.chosen.Credential.Label, p.chosen.Credential.GrantID)
}

// Account returns the log of what is read on this machine (R-OPS-2), and whose credential Reader took.
func (p *Provider) Account(logger *slog.Logger) (*audit.Log, audit.Caller) {
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil { // a container may have no home
		logger.Warn("no account is kept of what is read", "error", err)
		return nil, p.caller
	}
	return audit.NewFile(cache.PrepareActivity(), audit.LocalLimits, logger), p.caller
}

// Passed returns the source of a token that was passed for this run in place of the cache, and a function that reads it. The
// source is empty when none was passed.
func (p *Provider) Passed() (source string, read func() (rs.Secret, error)) {
	value := os.Getenv(accessTokenVariable)
	switch {
	case p.AccessTokenFile != "":
		return "--access-token-file", func() (rs.Secret, error) { return credential.ReadTokenFile(p.AccessTokenFile) }
	case value != "":
		return accessTokenVariable, func() (rs.Secret, error) { return credential.TokenFromEnvironment(value) }
	}
	return "", nil
}

// token returns the token that was passed for this run, or else the cached one.
func (p *Provider) token(ctx context.Context, logger *slog.Logger) (rs.Secret, error) {
	if source, read := p.Passed(); source != "" {
		if len(p.Grants) > 0 { // the grant of a bare token is unknown
			logger.Warn("the grant id is not compared: the access token was passed without its grant", "grant_id", p.Grants)
		}
		return read()
	}
	cache, entry, err := p.Stored(logger)
	if err != nil {
		return rs.Secret{}, err
	}
	if entry, err = (&connect.Renewal{Cache: cache}).Current(ctx, entry); err != nil {
		return rs.Secret{}, err
	}
	p.caller = audit.Caller{ClientID: entry.Client.ClientID, GrantID: entry.Credential.GrantID}
	return entry.Credential.AccessToken, nil
}

// Stored returns the credential that is read with when no token was passed for this run, and the cache that has it.
func (p *Provider) Stored(logger *slog.Logger) (*credential.Cache, *credential.Entry, error) {
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil || p.chosen != nil {
		return cache, p.chosen, err
	}
	entry, err := cache.Load(credential.Selection{ProviderURL: p.URL, Grants: p.Grants}, time.Now())
	return cache, entry, err
}
