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

// hostChecks returns a check for each host on this machine, or one that reports that there is none.
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

// checkHost looks for the adapter among the host's servers. A host without it is no failure.
func (o *Options) checkHost(host mcphost.Host, providers []*examination) Finding {
	setup := o.setupCommand(host, providers)
	entries, err := host.Entries(o.Machine)
	if err != nil {
		return fromError(err, setup+" --print")
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsAdapter() && !slices.ContainsFunc(providers, func(e *examination) bool { return e.isAt(entry.URL) }) {
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

// isAt reports whether a hosted server is at the provider's origin.
func (e *examination) isAt(address string) bool {
	provider, err := credential.ParseProviderURL(e.providerURL)
	return err == nil && strings.HasPrefix(address, provider+"/")
}

// setupCommand names the provider if there is only one. Without a name, setup takes every provider of the cache.
func (o *Options) setupCommand(host mcphost.Host, providers []*examination) string {
	provider := ""
	if len(providers) == 1 {
		var err error
		if provider, err = credential.ParseProviderURL(providers[0].providerURL); err != nil {
			provider = "https://data.example"
		}
	}
	return commandline.Read("setup "+host.Name, provider, o.namedRoot())
}
