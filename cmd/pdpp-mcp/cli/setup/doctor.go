package setup

import (
	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
)

// NewDoctorCommand makes the command that checks everything between an MCP host and the data.
func NewDoctorCommand(terminal invocation.Terminal) *cobra.Command {
	// A check has less time than a request of other commands, so that a hanging provider delays doctor little.
	provider := invocation.Provider{Timeout: doctor.DefaultDeadline}
	var form invocation.Form
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check provider, credential and MCP hosts, and show fixes",
		Long: `Check everything between an MCP host and the data, one line each: the provider URL, the connection and
its certificate, both metadata documents, the credential and its file, the token kind, the schema, the
search modes, the clock and every further grant, then the environment and the MCP hosts on this machine.
Without --provider-url, every provider in the credential cache is checked with all its grants.

Each failure is followed by the command that fixes it, or by advice. Checks that depend on a failed check
are skipped. doctor changes nothing and never prints a token.

The exit code is 0 if nothing failed, otherwise the code of the first failure: 64 the URL, 69 the provider or
its authorization server, 77 an owner credential, 78 the credential or the configuration. Among several
providers the worst code counts: 77, then 78, 64 and 69.`,
		Example: `  pdpp-mcp doctor
  pdpp-mcp doctor --provider-url https://pdpp.example
  pdpp-mcp doctor --json | jq '.checks[] | select(.state == "failed")'`,
		Args: invocation.NoArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			options, err := doctorOptions(&provider)
			if err != nil {
				return err
			}
			report := newDoctorReport(terminal)
			if form.IsJSON() {
				doctor.Examine(command.Context(), options, report.add)
				err = report.printJSON(provider.URL)
			} else {
				doctor.Examine(command.Context(), options, report.print)
				err = report.printSummary()
			}
			if err != nil {
				return err
			}
			return report.err()
		},
	}
	invocation.AddProviderURL(command.Flags(), &provider.URL, "`url` of the PDPP provider to check (default: every connected one)")
	invocation.AddGrants(command.Flags(), &provider.Grants, "check only this `grant`, by its id or label; repeatable (default: all)")
	provider.AddAccess(command.Flags())
	command.Flags().Lookup("rs-timeout").Usage = "time limit of one check [$PDPP_RS_TIMEOUT]"
	form.AddFlags(command.Flags(), "text")
	return command
}

// doctorOptions returns what to examine. A wrong provider URL becomes a finding, not an error.
func doctorOptions(provider *invocation.Provider) (doctor.Options, error) {
	options := doctor.Options{
		ProviderURL: provider.URL, Grants: provider.Grants, Deadline: provider.Timeout, AllowPlainHTTP: provider.ClearText.Allowed,
	}
	options.Machine, _ = mcphost.ThisMachine() // without a home directory no hosts are checked
	options.TokenSource, options.Token = provider.Passed()
	if options.Token != nil {
		return options, nil
	}
	cache, err := invocation.OpenCache(provider.CacheRoot, nil)
	if err != nil {
		return options, err
	}
	cache.KeepModes = true
	options.Cache = cache
	return options, nil
}
