package main

import (
	"log/slog"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// accessTokenVariable holds the scoped token itself, for containers.
const accessTokenVariable = "PDPP_ACCESS_TOKEN"

// provider says which resource server a command reads, and with which credential.
type provider struct {
	url             string
	cacheRoot       string
	grantID         string
	accessTokenFile string
	timeout         time.Duration
	clearText       clearText
}

func (p *provider) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.url, "provider-url", "", "origin of the PDPP provider, such as https://pdpp.example (required)")
	addCacheRoot(flags, &p.cacheRoot)
	flags.StringVar(&p.grantID, "grant-id", "", "use the cached credential of this grant (default: the one that was connected last)")
	flags.StringVar(&p.accessTokenFile, "access-token-file", "",
		"file that holds a scoped token, in place of the cache; PDPP_ACCESS_TOKEN may hold the token itself")
	flags.DurationVar(&p.timeout, "rs-timeout", rs.DefaultTimeout, "limit of one request to the resource server")
	p.clearText.addFlags(flags)
	readsVariable(flags, "provider-url", "PDPP_PROVIDER_URL")
	readsVariable(flags, "grant-id", "PDPP_GRANT_ID")
	readsVariable(flags, "rs-timeout", "PDPP_RS_TIMEOUT")
}

// reader gives the client that carries the scoped token. It sends nothing.
func (p *provider) reader(logger *slog.Logger) (*rs.Client, error) {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	address, err := credential.ParseProviderURL(p.url)
	if err != nil {
		return nil, err
	}
	if err := p.clearText.refuse("provider URL", address); err != nil {
		return nil, err
	}
	if p.timeout <= 0 {
		return nil, &usageError{"--rs-timeout must be longer than 0, such as 15s"}
	}
	token, err := p.token(logger)
	if err != nil {
		return nil, err
	}
	return rs.NewClient(rs.Options{BaseURL: address, Bearer: token.Reveal(), Timeout: p.timeout})
}

// passesToken tells whether a token was passed for this run, in place of the cache.
func (p *provider) passesToken() bool {
	return p.accessTokenFile != "" || os.Getenv(accessTokenVariable) != ""
}

// token takes the one that was passed for this run, and else the cached one.
func (p *provider) token(logger *slog.Logger) (credential.Token, error) {
	if p.accessTokenFile != "" {
		p.warnOfGrant(logger)
		return credential.ReadTokenFile(p.accessTokenFile)
	}
	if value := os.Getenv(accessTokenVariable); value != "" {
		p.warnOfGrant(logger)
		return credential.TokenFromEnvironment(value)
	}
	cache, err := openCache(p.cacheRoot, logger)
	if err != nil {
		return credential.Token{}, err
	}
	entry, err := cache.Load(credential.Selection{ProviderURL: p.url, GrantID: p.grantID}, time.Now())
	if err != nil {
		return credential.Token{}, err
	}
	return entry.Credential.AccessToken, nil
}

// warnOfGrant: a bare token does not say which grant it belongs to.
func (p *provider) warnOfGrant(logger *slog.Logger) {
	if p.grantID != "" {
		logger.Warn("the grant id is not compared: the access token was passed without its grant", "grant_id", p.grantID)
	}
}
