package doctor

import (
	"context"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// The check of a file of the cache.
const (
	cacheFile      = "cache_file"
	cacheFileTitle = "Credential file"
)

// examinations returns an examination for each provider, and the checks of this machine. Without a provider URL and a token it takes
// the providers of the cache; unusable cache files become checks of this machine.
func (o *Options) examinations() (providers []*examination, machine []check) {
	providers = []*examination{{options: o, providerURL: o.ProviderURL, grants: o.Grants}}
	if o.ProviderURL == "" && o.Token == nil {
		cached, faults, err := o.cached()
		if cached != nil || faults != nil {
			providers, machine = cached, faults
		}
		if err != nil {
			providers = []*examination{{options: o, unchosen: err}}
		}
	}
	machine = append(machine, check{id: "environment", title: "Environment", ask: o.checkEnvironment})
	return providers, append(machine, o.hostChecks(providers)...)
}

// cached returns an examination for each provider of the cache that has a wanted grant, and a check for each unusable file.
func (o *Options) cached() (providers []*examination, faults []check, err error) {
	cache := &credential.Cache{Root: o.CacheRoot, AsIs: true}
	files, err := cache.List()
	var found []string // of the names
	var stored []*credential.Entry
	for _, file := range files {
		if file.Err != nil {
			faults = append(faults, check{id: cacheFile, title: cacheFileTitle, ask: func(context.Context) Finding {
				return fromError(file.Err, commandline.Connections(o.namedRoot()))
			}})
			continue
		}
		stored = append(stored, file.Grants...)
		names := credential.Named(file.Grants, o.Grants)
		found = append(found, names...)
		if len(names) > 0 || len(o.Grants) == 0 {
			providers = append(providers, &examination{options: o, providerURL: file.Grants[0].ProviderURL, grants: names})
		}
	}
	for _, name := range o.Grants {
		if !slices.Contains(found, name) && err == nil {
			err = cache.UnknownGrant(name, stored)
		}
	}
	return providers, faults, err
}

// checkEnvironment finds owner credentials, with which no command runs (R-STDIO-3).
func (o *Options) checkEnvironment(context.Context) Finding {
	if err := credential.RefuseOwnerEnvironment(o.Environment); err != nil {
		return fromError(err, "")
	}
	return ok("no owner credentials")
}
