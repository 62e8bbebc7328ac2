package invocation

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/membership"
)

// Sources has the flags that choose the grants that are read as one, of one provider or of several (R-LOCAL-1).
type Sources struct {
	Provider

	URLs       []string
	ReadsEvery bool // every provider that is connected is read when none is named; set before AddFlags
}

// AddFlags adds the flags and the environment variables that stand in for them.
func (s *Sources) AddFlags(flags *pflag.FlagSet) {
	usual := "the only one"
	if s.ReadsEvery {
		usual = "every one"
	}
	AddProviderURLs(flags, &s.URLs, "`url` of a PDPP provider, such as https://pdpp.example (default: "+usual+" that is connected); repeatable, to read several as one")
	AddGrants(flags, &s.Grants, "read with the cached credential of this `grant`, by its id or label; repeatable (default: all of them)")
	s.AddAccess(flags)
}

// passed reads with a token that was passed for this run. That of a file may be replaced while the server runs.
func (s *Sources) passed(ctx context.Context, logger *slog.Logger) (host.Local, error) {
	address, err := s.address()
	if err != nil {
		return nil, err
	}
	token, err := s.token(ctx, logger)
	if err != nil {
		return nil, err
	}
	if s.AccessTokenFile != "" {
		return newRotatedToken(ctx, &s.Provider, address, token, logger)
	}
	reader, err := s.client(address, token)
	if err != nil {
		return nil, err
	}
	return host.NewAdmission(ctx, reader, s.SignIn(), nil), nil
}

// Local returns what a server of this machine reads with. It sends nothing.
func (s *Sources) Local(ctx context.Context, logger *slog.Logger) (host.Local, error) {
	if len(s.URLs) > 0 {
		s.URL = s.URLs[0]
	}
	if source, _ := s.Passed(); source != "" {
		if len(s.URLs) > 1 {
			return nil, Usagef("one access token is of one provider: pass one --provider-url with %s", source)
		}
		return s.passed(ctx, logger)
	}
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	urls, err := s.providers()
	if err != nil {
		return nil, err
	}
	for _, url := range urls {
		address, err := credential.ParseProviderURL(url)
		if err != nil {
			return nil, err
		}
		if err := s.ClearText.Refuse("provider URL", address); err != nil {
			return nil, err
		}
	}
	cache, err := OpenCache(s.CacheRoot, logger)
	if err != nil {
		return nil, err
	}
	members, err := membership.New(ctx, membership.Options{Cache: cache, Providers: urls, Grants: s.Grants, Timeout: s.Timeout, Transport: s.Transport})
	if err != nil {
		return nil, err
	}
	if only := members.Only(); only != nil {
		s.caller = audit.Caller{ClientID: only.Client.ClientID, GrantID: only.Credential.GrantID}
	}
	return members, nil
}

// providers are those that were named, or the usual ones.
func (s *Sources) providers() ([]string, error) {
	if len(s.URLs) > 0 {
		return s.URLs, nil
	}
	if source, _ := s.Passed(); s.ReadsEvery && source == "" {
		cache, err := OpenCache(s.CacheRoot, nil)
		if err != nil {
			return nil, err
		}
		cache.AsIs = true // what reads a credential narrows its file
		if urls, err := cache.Providers(s.Grants...); len(urls) > 0 || err != nil {
			return urls, err
		}
	}
	if err := s.Choose(); err != nil {
		return nil, err
	}
	return []string{s.URL}, nil
}

// Each returns a Provider for each usable credential that is wanted, those of each provider in the order of Provider.Each, and why
// a provider has none.
func (s *Sources) Each(logger *slog.Logger) ([]*Provider, error) {
	urls, err := s.providers()
	if err != nil {
		return nil, err
	}
	if source, _ := s.Passed(); source != "" {
		urls = urls[:1] // one access token is of one provider
	}
	var all []*Provider
	var without []error
	for _, url := range urls {
		one := s.Provider
		one.URL = url
		found, failed := one.Each(logger)
		all, without = append(all, found...), append(without, failed)
	}
	return all, errors.Join(without...)
}

// IsEvery reports whether all that may be read at a provider is read: neither other providers nor grants are named.
func (s *Sources) IsEvery(providerURL string) bool {
	if source, _ := s.Passed(); source != "" {
		return true
	}
	isNamed := slices.ContainsFunc(s.URLs, func(url string) bool {
		address, _ := credential.ParseProviderURL(url) // a wrong one is refused
		return address == providerURL
	})
	return len(s.Grants) == 0 && (len(s.URLs) == 0 || isNamed)
}
