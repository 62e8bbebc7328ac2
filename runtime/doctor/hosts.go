package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// hostChecks has a check for each host that was found on the machine, or one that says that there is none.
func (e *examination) hostChecks() []check {
	if e.options.Machine.Home == "" {
		return nil
	}
	var checks []check
	for _, host := range mcphost.Hosts() {
		if host.Installed(e.options.Machine) {
			checks = append(checks, check{
				id: "host_" + strings.ReplaceAll(host.Name, "-", "_"), title: host.Title,
				ask: func(context.Context) Finding { return e.checkHost(host) },
			})
		}
	}
	if len(checks) == 0 {
		return []check{{id: "hosts", title: "MCP hosts", ask: func(context.Context) Finding {
			return note("", "none of the known hosts was found on this machine")
		}}}
	}
	return checks
}

// checkHost looks for the adapter among the host's servers. A host without it is nothing to mend.
func (e *examination) checkHost(host mcphost.Host) Finding {
	setup := e.setupCommand(host)
	entries, err := host.Entries(e.options.Machine)
	var unusable *credential.Error
	switch {
	case errors.As(err, &unusable):
		return failed(credential.Configuration, setup+" --print", "%s", unusable.Message)
	case err != nil:
		return failed(credential.Internal, setup+" --print", "%v", err)
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsAdapter() && !e.isProvider(entry.URL) {
			continue
		}
		if filepath.IsAbs(entry.Command) {
			if _, err := os.Stat(entry.Command); err != nil {
				return failed(credential.Configuration, setup+" --name "+commandline.Word(entry.Name), "its server %s starts %s, which is not there", entry.Name, entry.Command)
			}
		}
		names = append(names, entry.Name)
	}
	if names == nil {
		return note(setup, "found, without pdpp-mcp")
	}
	return ok("has pdpp-mcp as %s", strings.Join(names, ", "))
}

// isProvider reports whether a hosted server stands at the provider's own origin.
func (e *examination) isProvider(address string) bool {
	provider, err := credential.ParseProviderURL(e.options.ProviderURL)
	return err == nil && strings.HasPrefix(address, provider+"/")
}

func (e *examination) setupCommand(host mcphost.Host) string {
	provider, err := credential.ParseProviderURL(e.options.ProviderURL)
	if err != nil {
		provider = "https://data.example"
	}
	return commandline.Read("setup "+host.Name, provider, e.namedRoot())
}
