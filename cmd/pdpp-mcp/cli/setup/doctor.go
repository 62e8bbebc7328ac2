package setup

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// NewDoctorCommand makes the command that checks everything between an MCP host and the data.
func NewDoctorCommand(terminal invocation.Terminal) *cobra.Command {
	// A check has less time than a request of other commands, so that a provider that hangs does not hang the doctor.
	provider := invocation.Provider{Timeout: doctor.DefaultDeadline}
	var asJSON bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check provider, credential and MCP hosts, and say what to do",
		Long: `Check everything between an MCP host and the provider's data, one line each: the provider URL, the
connection and its certificate, both metadata documents, the credential and its file, the kind of the
token, the schema, the search modes, the clock, the environment, and the MCP hosts on this machine.

Below each failure stands the command that mends it. A check that needs a failed one is skipped. Nothing
is written, and no token is shown.

The exit code is 0 when nothing failed, and else that of the first failure: 64 the URL, 69 the provider
or its authorization server does not answer as it should, 77 an owner credential, 78 the credential or
the configuration.`,
		Example: `  pdpp-mcp doctor --provider-url https://data.example
  pdpp-mcp doctor --provider-url https://data.example --json | jq '.checks[] | select(.state == "failed")'`,
		Args: invocation.NoArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			options, err := examination(&provider)
			if err != nil {
				return err
			}
			report := newDoctorReport(terminal)
			take := report.print
			if asJSON {
				take = report.keep
			}
			doctor.Examine(command.Context(), options, take)
			if asJSON {
				if err := report.printJSON(provider.URL); err != nil {
					return err
				}
			}
			return report.err()
		},
	}
	provider.AddFlags(command.Flags())
	command.Flags().Lookup("rs-timeout").Usage = "limit of one check [$PDPP_RS_TIMEOUT]"
	command.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, whose names and ids are stable")
	return command
}

// examination returns what to examine. A wrong provider URL is reported as a finding, not as an error.
func examination(provider *invocation.Provider) (doctor.Options, error) {
	notChosen := provider.Choose()
	options := doctor.Options{
		ProviderURL: provider.URL, NotChosen: notChosen, Grants: provider.Grants, Environment: os.Environ(), Deadline: provider.Timeout,
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

// doctorError reports that checks failed. Its exit code is that of the first one.
type doctorError struct {
	failed int
	first  doctor.Result
}

func (e *doctorError) Error() string {
	if e.failed == 1 {
		return "one check failed: " + e.first.ID
	}
	return fmt.Sprintf("%d checks failed, the first of them %s", e.failed, e.first.ID)
}

// ExitCode returns the code of the first failure's class.
func (e *doctorError) ExitCode() int { return invocation.ClassCode(e.first.Class) }

// doctorDocument is the output of --json. Members may be added; changing one breaks scripts.
type doctorDocument struct {
	ProviderURL string        `json:"provider_url"` // as it was passed
	OK          bool          `json:"ok"`
	ExitCode    int           `json:"exit_code"`
	Checks      []doctorCheck `json:"checks"`
}

type doctorCheck struct {
	ID       string       `json:"id"`
	State    doctor.State `json:"state"`
	Detail   string       `json:"detail"`
	Mend     string       `json:"mend,omitempty"`
	ExitCode int          `json:"exit_code,omitempty"` // of a failure
}

func (r *doctorReport) printJSON(providerURL string) error {
	if _, err := credential.ParseProviderURL(providerURL); err != nil {
		providerURL = "" // it may hold a password
	}
	document := doctorDocument{ProviderURL: providerURL, OK: r.err() == nil, ExitCode: invocation.ExitCode(r.err()), Checks: []doctorCheck{}}
	for _, result := range r.results {
		document.Checks = append(document.Checks, doctorCheck{
			ID: result.ID, State: result.State, Detail: result.Detail, Mend: result.Mend, ExitCode: invocation.ClassCode(result.Class),
		})
	}
	return r.terminal.PrintJSON(document)
}
