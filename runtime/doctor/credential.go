package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

const expiresSoon = 3 * 24 * time.Hour

// checkCacheFile checks the file and its permissions. It runs before anything reads the file, since reading changes its mode.
func (e *examination) checkCacheFile(context.Context) Finding {
	if e.options.Token != nil {
		return ok("not used: the token comes from %s", e.options.TokenSource)
	}
	path, _ := e.options.cache().Path(e.provider) // the URL was parsed
	file, info, err := ownfile.Open(path, os.O_RDONLY)
	if err == nil {
		defer file.Close()
		err = ownfile.CheckOwner(path, info)
	}
	foreign, isForeign := errors.AsType[*ownfile.Fault](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(credential.Configuration, e.connectCommand(), "there is no credential for %s in %s", e.provider, e.options.CacheRoot)
	case isForeign:
		away := commandline.Word(path) + " " + commandline.Word(path+".away")
		return failed(credential.Configuration, "mv "+away+" && "+e.connectCommand(), "%v", foreign)
	case err != nil:
		return failed(credential.Configuration, "ls -l "+commandline.Word(path), "%s cannot be read: %v", path, credential.Cause(err))
	}
	if !ownfile.IsPrivate(info) {
		return failed(credential.Configuration, "chmod 600 "+commandline.Word(path), "others can read %s (mode %04o)", path, info.Mode().Perm())
	}
	for _, folder := range []string{filepath.Dir(path), e.options.CacheRoot} {
		if info, err := os.Stat(folder); err == nil && ownfile.IsShared(info) && info.Mode()&fs.ModeSticky == 0 {
			return failed(credential.Configuration, "chmod go-w "+commandline.Word(folder), "others can write to %s (mode %04o)", folder, info.Mode().Perm())
		}
	}
	return ok("%s (mode %04o)", path, info.Mode().Perm())
}

func (e *examination) checkCredential(context.Context) Finding {
	if e.options.Token != nil {
		token, err := e.options.Token()
		if err != nil {
			return fromError(err, e.connectCommand())
		}
		e.token = token
		return ok("a token from %s; its grant and expiry are unknown", e.options.TokenSource)
	}
	now := e.options.Now()
	grants, err := e.options.cache().Select(credential.Selection{ProviderURL: e.providerURL, Grants: e.grants}, now)
	if err != nil {
		refused := fromError(err, e.connectCommand())
		if len(grants) == 0 || refused.Class != credential.Configuration {
			return refused
		} // otherwise all of them have expired
	}
	first := slices.IndexFunc(grants, func(g *credential.Entry) bool { return !g.Credential.Expired(now) })
	if e.isExpired = first < 0; e.isExpired {
		first = max(0, slices.IndexFunc(grants, func(g *credential.Entry) bool { return g.Credential.Usable(now) }))
	}
	e.token, e.furtherGrants = grants[first].Credential.AccessToken, slices.Delete(slices.Clone(grants), first, first+1)
	return e.validity(grants[first].Credential)
}

func (e *examination) validity(stored credential.Credential) Finding {
	grant := "grant " + stored.Name()
	now, ends := e.options.Now(), stored.ExpiresAt
	if ends.IsZero() {
		return ok("%s, no expiry", grant)
	}
	until := ends.UTC().Format(time.RFC3339)
	switch again := e.requestCommand(stored); {
	case !stored.Usable(now):
		return failed(credential.Configuration, again, "%s expired at %s", grant, until)
	case stored.Expired(now):
		return note("", "%s, its token expired at %s; the next read renews it", grant, until)
	case ends.Sub(now) < expiresSoon && stored.RefreshToken.IsZero():
		return note(again, "%s, expires soon, at %s", grant, until)
	}
	return ok("%s, valid until %s", grant, until)
}

func (e *examination) requestCommand(stored credential.Credential) string {
	return stored.SameRequest().Connect(e.provider, e.options.namedRoot())
}

// grantChecks returns a check for each further grant (R-LOCAL-2). They send nothing if the first one could not be tried.
func (e *examination) grantChecks(isReachable bool) []check {
	var checks []check
	for _, each := range e.furtherGrants {
		checks = append(checks, check{id: "grant_" + each.Credential.GrantID, title: "Further grant", ask: func(ctx context.Context) Finding {
			return e.checkGrant(ctx, each.Credential, isReachable)
		}})
	}
	return checks
}

func (e *examination) checkGrant(ctx context.Context, stored credential.Credential, isReachable bool) Finding {
	lasts := e.validity(stored)
	switch {
	case lasts.State == Failed, stored.Expired(e.options.Now()):
		return lasts
	case !isReachable:
		return Finding{State: Skipped, Detail: lasts.Detail + "; needs " + tokenKindTitle}
	}
	_, schema, found := e.tryToken(ctx, stored.AccessToken)
	if found.State != Failed {
		found = e.coverage(schema)
	}
	if found.State == Failed {
		found.Detail = lasts.Detail + ": " + found.Detail
		if found.Class == credential.Configuration {
			found.Fix = e.requestCommand(stored)
		}
		return found
	}
	lasts.Detail += ", " + found.Detail
	return lasts
}
