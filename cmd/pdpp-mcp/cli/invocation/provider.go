package invocation

import (
	"log/slog"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

func AddCacheRoot(flags *pflag.FlagSet, cacheRoot *string) {
	flags.StringVar(cacheRoot, "cache-root", "", "directory of the credential cache (default .pdpp here if it exists, else ~/.pdpp)")
	ReadsVariable(flags, "cache-root", "PDPP_CACHE_ROOT")
}

func OpenCache(root string, logger *slog.Logger) (*credential.Cache, error) {
	if root == "" {
		var err error
		if root, err = credential.DefaultRoot(); err != nil {
			return nil, err
		}
	}
	return &credential.Cache{Root: root, Logger: logger}, nil
}

// ClearText says whether a token may be sent over plain http to another machine. It may not, unless whoever
// runs the command trusts the network between.
type ClearText struct{ Allowed bool }

const AllowPlainHTTP = "allow-plain-http"

func (c *ClearText) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.Allowed, AllowPlainHTTP, false, "send tokens over plain http to another machine too, in a private network")
	ReadsVariable(flags, AllowPlainHTTP, "PDPP_ALLOW_PLAIN_HTTP")
}

// Refuse says no to an address over which a token would be readable on its way. What the address is for begins
// the message.
func (c *ClearText) Refuse(what, address string) error {
	if c.Allowed {
		return nil
	}
	return credential.RefuseClearText(what, address)
}

// AccessTokenVariable holds the scoped token itself, for containers.
const AccessTokenVariable = "PDPP_ACCESS_TOKEN"

// Provider says which resource server a command reads, and with which credential.
type Provider struct {
	URL             string
	CacheRoot       string
	GrantID         string
	AccessTokenFile string
	Timeout         time.Duration
	ClearText       ClearText
}

func (p *Provider) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.URL, "provider-url", "", "origin of the PDPP provider, such as https://pdpp.example (required)")
	AddCacheRoot(flags, &p.CacheRoot)
	flags.StringVar(&p.GrantID, "grant-id", "", "use the cached credential of this grant (default: the one that was connected last)")
	flags.StringVar(&p.AccessTokenFile, "access-token-file", "",
		"file that holds a scoped token, in place of the cache; PDPP_ACCESS_TOKEN may hold the token itself")
	flags.DurationVar(&p.Timeout, "rs-timeout", rs.DefaultTimeout, "limit of one request to the resource server")
	p.ClearText.AddFlags(flags)
	ReadsVariable(flags, "provider-url", "PDPP_PROVIDER_URL")
	ReadsVariable(flags, "grant-id", "PDPP_GRANT_ID")
	ReadsVariable(flags, "rs-timeout", "PDPP_RS_TIMEOUT")
}

// Reader gives the client that carries the scoped token. It sends nothing.
func (p *Provider) Reader(logger *slog.Logger) (*rs.Client, error) {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	address, err := credential.ParseProviderURL(p.URL)
	if err != nil {
		return nil, err
	}
	if err := p.ClearText.Refuse("provider URL", address); err != nil {
		return nil, err
	}
	if p.Timeout <= 0 {
		return nil, Usagef("--rs-timeout must be longer than 0, such as 15s")
	}
	token, err := p.token(logger)
	if err != nil {
		return nil, err
	}
	return rs.NewClient(rs.Options{BaseURL: address, Bearer: token.Reveal(), Timeout: p.Timeout})
}

// PassesToken tells whether a token was passed for this run, in place of the cache.
func (p *Provider) PassesToken() bool {
	return p.AccessTokenFile != "" || os.Getenv(AccessTokenVariable) != ""
}

// token takes the one that was passed for this run, and else the cached one.
func (p *Provider) token(logger *slog.Logger) (credential.Token, error) {
	if p.AccessTokenFile != "" {
		p.warnOfGrant(logger)
		return credential.ReadTokenFile(p.AccessTokenFile)
	}
	if value := os.Getenv(AccessTokenVariable); value != "" {
		p.warnOfGrant(logger)
		return credential.TokenFromEnvironment(value)
	}
	cache, err := OpenCache(p.CacheRoot, logger)
	if err != nil {
		return credential.Token{}, err
	}
	entry, err := cache.Load(credential.Selection{ProviderURL: p.URL, GrantID: p.GrantID}, time.Now())
	if err != nil {
		return credential.Token{}, err
	}
	return entry.Credential.AccessToken, nil
}

// warnOfGrant: a bare token does not say which grant it belongs to.
func (p *Provider) warnOfGrant(logger *slog.Logger) {
	if p.GrantID != "" {
		logger.Warn("the grant id is not compared: the access token was passed without its grant", "grant_id", p.GrantID)
	}
}
