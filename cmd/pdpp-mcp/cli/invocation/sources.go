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

// Sources has the flags that choose the grants of one or several providers, which are read as one (R-LOCAL-1).
type Sources struct {
	Provider

	URLs       []string
	ReadsEvery bool // reads every connected provider if none is named; set it before AddFlags
}

// AddFlags adds the flags.
func (s *Sources) AddFlags(flags *pflag.FlagSet) {
	standard := "the only connected one"
	if s.ReadsEvery {
		standard = "every connected one"
	}
	AddProviderURLs(flags, &s.URLs, "`url` of a PDPP provider, such as https://pdpp.example; repeatable, to read several as one (default: "+standard+")")
	AddGrants(flags, &s.Grants, "`grant` whose cached credential is used, by its id or label; repeatable (default: all)")
	s.AddAccess(flags)
	markShared(flags)
}

// local returns the host.Local of a token that was passed for this run.
func (s *Sources) local(ctx context.Context, logger *slog.Logger) (host.Local, error) {
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

// Local returns what a local server reads with. It makes no request.
func (s *Sources) Local(ctx context.Context, logger *slog.Logger) (host.Local, error) {
	if len(s.URLs) > 0 {
		s.URL = s.URLs[0]
	}
	if source, _ := s.Passed(); source != "" {
		if len(s.URLs) > 1 {
			return nil, Usagef("one access token is of one provider: pass one --provider-url with %s", source)
		}
		return s.local(ctx, logger)
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

// providers returns the named providers or the default ones.
func (s *Sources) providers() ([]string, error) {
	if len(s.URLs) > 0 {
		return s.URLs, nil
	}
	if source, _ := s.Passed(); s.ReadsEvery && source == "" {
		cache, err := OpenCache(s.CacheRoot, nil)
		if err != nil {
			return nil, err
		}
		cache.KeepModes = true // the reader of a credential restricts its file
		if urls, err := cache.Providers(s.Grants...); len(urls) > 0 || err != nil {
			return urls, err
		}
	}
	if err := s.Choose(); err != nil {
		return nil, err
	}
	return []string{s.URL}, nil
}

// Each returns a Provider for each usable credential that the flags choose. The error says which providers have none.
func (s *Sources) Each(logger *slog.Logger) ([]*Provider, error) {
	urls, err := s.providers()
	if err != nil {
		return nil, err
	}
	if source, _ := s.Passed(); source != "" {
		urls = urls[:1] // one access token is of one provider
	}
	var all []*Provider
	var problems []error
	for _, url := range urls {
		one := s.Provider
		one.URL = url
		found, err := one.Each(logger)
		all, problems = append(all, found...), append(problems, err)
	}
	return all, errors.Join(problems...)
}

// IsEvery reports whether the flags exclude no grant of a provider.
func (s *Sources) IsEvery(providerURL string) bool {
	if source, _ := s.Passed(); source != "" {
		return true
	}
	isNamed := slices.ContainsFunc(s.URLs, func(url string) bool {
		address, _ := credential.ParseProviderURL(url) // Each refuses a wrong one
		return address == providerURL
	})
	return len(s.Grants) == 0 && (len(s.URLs) == 0 || isNamed)
}
