package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

const expiresSoon = 3 * 24 * time.Hour

// checkCacheFile checks the file and its permissions. It runs before anything reads the file, since reading changes its
// mode.
func (e *examination) checkCacheFile(context.Context) Finding {
	if e.options.Token != nil {
		return ok("not used: the token comes from %s", e.options.TokenSource)
	}
	path, _ := e.options.Cache.Path(e.provider) // the URL was parsed
	file, info, err := ownfile.Open(path, os.O_RDONLY)
	if err == nil {
		defer file.Close()
		err = ownfile.CheckOwner(path, info)
	}
	foreign, isForeign := errors.AsType[*ownfile.Fault](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(credential.Configuration, e.connectCommand(), "there is no credential for %s in %s", e.provider, e.options.Cache.Root)
	case isForeign:
		away := commandline.Word(path) + " " + commandline.Word(path+".away")
		return failed(credential.Configuration, "mv "+away+" && "+e.connectCommand(), "%v", foreign)
	case err != nil:
		return failed(credential.Configuration, "ls -l "+commandline.Word(path), "%s cannot be read: %v", path, credential.Cause(err))
	}
	if !ownfile.IsPrivate(info) {
		return failed(credential.Configuration, "chmod 600 "+commandline.Word(path), "others can read %s (mode %04o)", path, info.Mode().Perm())
	}
	for _, folder := range []string{filepath.Dir(path), e.options.Cache.Root} {
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
	now := time.Now()
	grants, err := e.options.Cache.Select(e.providerURL, e.grants, now)
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
	e.overlaps = credential.Overlaps(grants)
	e.token, e.furtherGrants = grants[first].Credential.AccessToken, slices.Delete(slices.Clone(grants), first, first+1)
	return e.validity(grants[first].Credential)
}

func (e *examination) validity(stored credential.Credential) Finding {
	grant := "grant " + stored.Name()
	now, ends := time.Now(), stored.ExpiresAt
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
	return stored.SameRequest().Connect(e.provider, e.options.Cache.NamedRoot())
}

// grantChecks returns a check for each further grant (R-LOCAL-2), and for each overlap of grants (R-LOCAL-1). They send
// nothing if the first one could not be tried.
func (e *examination) grantChecks() []check {
	var checks []check
	for _, each := range e.furtherGrants {
		checks = append(checks, check{id: "grant_" + each.Credential.GrantID, title: "Further grant", ask: func(ctx context.Context) Finding {
			return e.checkGrant(ctx, each.Credential)
		}})
	}
	for _, each := range e.overlaps {
		checks = append(checks, check{id: "overlap_" + each.Grants[0].Credential.GrantID + "_" + each.Grants[1].Credential.GrantID, title: "Overlapping grants", ask: func(context.Context) Finding {
			return note("", "%s", each)
		}})
	}
	return checks
}

func (e *examination) checkGrant(ctx context.Context, stored credential.Credential) Finding {
	lasts := e.validity(stored)
	switch {
	case lasts.State == Failed, stored.Expired(time.Now()):
		return lasts
	case !e.isReachable:
		return Finding{State: Skipped, Detail: lasts.Detail + "; needs " + tokenKind}
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

// checkTokenKind reads the kind of the token. Nothing else is read with a token of another kind (R-STDIO-3).
func (e *examination) checkTokenKind(ctx context.Context) (kind Finding) {
	if e.isExpired { // doctor writes nothing, so it does not renew it
		return Finding{State: Skipped, Detail: "the token has expired; the next read renews it"}
	}
	e.reader, e.schema, kind = e.tryToken(ctx, e.token)
	e.isReachable = kind.Class != credential.Unreachable
	return kind
}

func (e *examination) tryToken(ctx context.Context, token rs.Secret) (rs.Reader, *rs.Response, Finding) {
	reader, err := rs.NewClient(rs.Options{BaseURL: e.provider, Bearer: token, Transport: e.options.Transport, Timeout: e.options.Deadline})
	if err != nil {
		return nil, nil, fromError(err, "")
	}
	response, bearer, err := schemaquery.Admit(ctx, reader)
	other, isOther := errors.AsType[*rs.KindError](err)
	switch {
	case isOther && other.Kind == rs.KindPackage: // (R-STDIO-6)
		return nil, nil, failed(credential.Refused, e.connectCommand(), "a package token, which is accepted only by the hosted MCP server at %s/mcp", e.provider)
	case isOther:
		return nil, nil, failed(credential.Refused, e.connectCommand(), "%v; only scoped client tokens are used here", other)
	case err != nil:
		return nil, nil, e.fromAnswer(err)
	case bearer.Kind == "":
		return reader, response, note("", "the provider does not report the kind of the token; it is treated as a client's")
	}
	return reader, response, ok("a scoped client token")
}

// coverage counts connections and streams. A connection may occur under several connectors.
func (e *examination) coverage(response *rs.Response) Finding {
	schema, err := schemaquery.Read(response)
	if err != nil {
		return unreachable("the schema has an unknown shape")
	}
	connections := map[string]bool{}
	for _, connector := range schema.Connectors {
		for _, granted := range connector.Connections {
			connections[granted.ID] = true
		}
	}
	streams := schema.StreamCount()
	if streams == 0 {
		return failed(credential.Configuration, e.connectCommand(), "the grant covers no stream")
	}
	return ok("%s, %s", count(len(connections), "connection"), count(streams, "stream"))
}

// searchCheck returns the check of one search mode. Only lexical search is required of every provider.
func (e *examination) searchCheck(path ...string) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		var query rs.Query
		query.Set(wire.Q, "hello") // no hit is shown
		query.Set(wire.Limit, "1")
		_, err := e.reader.Get(ctx, rs.Request{Path: rs.JoinPath(append([]string{"v1"}, path...)...), Query: query})
		var refused *rs.Error
		switch {
		case err == nil:
			return ok("available")
		case errors.As(err, &refused) && len(path) > 1 && slices.Contains(notOffered, refused.Status):
			return note("", "not available (%d %s)", refused.Status, refused.Code)
		}
		return e.fromAnswer(err)
	}
}

var notOffered = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusServiceUnavailable,
}

func count(number int, noun string) string {
	if number != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}
