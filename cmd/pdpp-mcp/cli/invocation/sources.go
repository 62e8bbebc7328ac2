package invocation

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
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

// Local returns what a local server reads with. It makes no request.
func (s *Sources) Local(ctx context.Context, logger *slog.Logger) (host.Local, error) {
	s.Transport = logged(ctx, s.Transport, logger)
	source, _ := s.Passed()
	if source != "" && len(s.URLs) > 1 {
		return nil, Usagef("an access token belongs to one provider: pass one --provider-url with %s", source)
	}
	urls, err := s.providers()
	if err != nil {
		return nil, err
	}
	for _, url := range urls {
		s.URL = url
		if _, err := s.address(); err != nil {
			return nil, err
		}
	}
	if source != "" {
		return s.localToken(ctx, logger)
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
		s.setCaller(only)
	}
	return members, nil
}

// Environment returns what one call may use, and a function that ends its use. A refusal of the bearer is returned
// unwrapped, because it determines the exit code.
func (s *Sources) Environment(ctx context.Context, logger *slog.Logger) (tool.Env, func(), error) {
	local, err := s.Local(ctx, logger)
	if err != nil {
		return tool.Env{}, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	env, err := local.Environment(limited)
	if refusal, ok := errors.AsType[*admission.Refusal](err); ok {
		err = refusal
	} else if unusable, ok := errors.AsType[*credential.Error](err); ok {
		err = unusable
	}
	end := func() { local.Settle(ctx) }
	if err != nil {
		end()
	}
	return env, end, err
}

// WritingEnvironment returns what one call may use that needs a single grant.
func (s *Sources) WritingEnvironment(ctx context.Context, logger *slog.Logger) (tool.Env, func(), error) {
	client, _, err := s.Admitted(ctx, logger)
	return tool.Env{RS: client, Writer: client}, func() {}, err
}

// providers returns the named providers or the default ones.
func (s *Sources) providers() ([]string, error) {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return nil, err
	}
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
	err := s.choose()
	return []string{s.URL}, err
}

// Each returns a Provider for each usable credential that the flags choose, the latest of a provider first, or one for
// the token that was passed for this run. The error says which providers have none.
func (s *Sources) Each(logger *slog.Logger) ([]*Provider, error) {
	urls, err := s.providers()
	if err != nil {
		return nil, err
	}
	cache, err := OpenCache(s.CacheRoot, logger)
	source, _ := s.Passed()
	if source != "" {
		urls = urls[:1] // an access token belongs to one provider
	} else if err != nil {
		return nil, err
	}
	var all []*Provider
	var problems []error
	for _, url := range urls {
		one, now := s.Provider, time.Now()
		one.URL = url
		_, err := one.address()
		var entries []*credential.Entry
		switch {
		case err == nil && source == "":
			entries, err = cache.Select(url, s.Grants, now)
		case err == nil:
			all = append(all, &one)
		}
		problems = append(problems, err)
		for _, entry := range entries {
			if entry.Credential.Usable(now) {
				chosen := one
				chosen.chosen = entry
				all = append(all, &chosen)
			}
		}
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
