package setup

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// NewDoctorCommand makes the command that checks everything between an MCP host and the data.
func NewDoctorCommand(terminal invocation.Terminal) *cobra.Command {
	// A check has less time than a request of other commands, so that a provider that hangs does not hang the doctor.
	provider := invocation.Provider{Timeout: doctor.DefaultDeadline}
	var form invocation.Form
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check provider, credential and MCP hosts, and say what to do",
		Long: `Check everything between an MCP host and the data, one line each: the provider URL, the connection and
its certificate, both metadata documents, the credential and its file, the kind of the token, the schema,
the search modes, the clock and every further grant, then the environment and the MCP hosts on this machine.
Without --provider-url every provider in the credential cache is checked, with all its grants.

Below each failure stands the command that mends it. A check that needs a failed one is skipped. Nothing
is written, and no token is shown.

The exit code is 0 when nothing failed, and else that of the first failure: 64 the URL, 69 the provider
or its authorization server does not answer as it should, 77 an owner credential, 78 the credential or
the configuration. Of several providers the worst one counts: 77, then 78, 64 and 69.`,
		Example: `  pdpp-mcp doctor
  pdpp-mcp doctor --provider-url https://data.example
  pdpp-mcp doctor --json | jq '.checks[] | select(.state == "failed")'`,
		Args: invocation.NoArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			options, err := examination(&provider)
			if err != nil {
				return err
			}
			report := newDoctorReport(terminal)
			take := report.print
			if form.IsJSON() {
				take = report.keep
			}
			doctor.Examine(command.Context(), options, take)
			end := report.summarize
			if form.IsJSON() {
				end = func() error { return report.printJSON(provider.URL) }
			}
			if err := end(); err != nil {
				return err
			}
			return report.err()
		},
	}
	invocation.AddProviderURL(command.Flags(), &provider.URL, "`url` of the PDPP provider to check (default: every one that is connected)")
	invocation.AddGrants(command.Flags(), &provider.Grants, "check only this `grant`, by its id or label; repeatable (default: all of them)")
	provider.AddAccess(command.Flags())
	command.Flags().Lookup("rs-timeout").Usage = "limit of one check [$PDPP_RS_TIMEOUT]"
	form.AddFlags(command.Flags(), "text")
	return command
}

// examination returns what to examine. A wrong provider URL is reported as a finding, not as an error.
func examination(provider *invocation.Provider) (doctor.Options, error) {
	options := doctor.Options{
		ProviderURL: provider.URL, Grants: provider.Grants, Environment: os.Environ(), Deadline: provider.Timeout,
		AllowPlainHTTP: provider.ClearText.Allowed,
	}
	if machine, err := mcphost.ThisMachine(); err == nil { // without a home directory no hosts are checked
		options.Machine = machine
	}
	options.TokenSource, options.Token = provider.Passed()
	if options.Token == nil {
		cache, err := invocation.OpenCache(provider.CacheRoot, nil)
		if err != nil {
			return doctor.Options{}, err
		}
		options.CacheRoot = cache.Root
	}
	return options, nil
}
