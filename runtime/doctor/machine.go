package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
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
		switch {
		case err != nil:
			providers, machine = []*examination{{options: o, selectionError: err}}, faults
		case cached != nil || faults != nil:
			providers, machine = cached, faults
		}
	}
	machine = append(machine, check{id: "environment", title: "Environment", ask: o.checkEnvironment})
	return providers, append(machine, o.hostChecks(providers)...)
}

// cached returns an examination for each provider of the cache that has a wanted grant, and a check for each unusable file.
func (o *Options) cached() (providers []*examination, faults []check, err error) {
	cache := o.cache()
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

func (o *Options) hostChecks(providers []*examination) []check {
	if o.Machine.Home == "" {
		return nil
	}
	var checks []check
	for _, host := range mcphost.Hosts() {
		if host.Installed(o.Machine) {
			checks = append(checks, check{
				id: "host_" + strings.ReplaceAll(host.Name, "-", "_"), title: host.Title,
				ask: func(context.Context) Finding { return o.checkHost(host, providers) },
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

// checkHost looks for the adapter among the host's servers. A host without it is not a failure.
func (o *Options) checkHost(host mcphost.Host, providers []*examination) Finding {
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
		if filepath.IsAbs(entry.Command) {
			if _, err := os.Stat(entry.Command); err != nil {
				return failed(credential.Configuration, setup+" --name "+commandline.Word(entry.Name), "its server %s starts %s, which does not exist", entry.Name, entry.Command)
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
	return commandline.Read("setup "+host.Name, provider, o.namedRoot())
}
