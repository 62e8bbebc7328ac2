// Package setup has the commands that configure and check this machine: setup of an MCP host, and doctor.
package setup

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// setup is one run of pdpp-mcp setup.
type setup struct {
	terminal invocation.Terminal
	server   setupServer
	yes      bool
	print    bool
}

// NewSetupCommand makes the command that puts this program into the configuration of an MCP host.
func NewSetupCommand(terminal invocation.Terminal) *cobra.Command {
	setup := &setup{terminal: terminal}
	command := &cobra.Command{
		Use:   "setup <host>",
		Short: "Put this adapter into the configuration of an MCP host",
		Long: `Put this adapter into the configuration of an MCP host: ` + strings.Join(hostNames(), ", ") + `.

The change is shown first, and written when you agree, on the terminal or with --yes. The old file stays
beside the new one as a backup. Only the adapter's own entry changes; a file that cannot be parsed is left
as it is. A second run says that nothing changes.

Files are edited also where the host has a command of its own to add servers: so the change can be seen
before it is made, the backup is there in every case, and the host does not have to be on the PATH. Close
the host before, because some write their file when they end.

With --provider-url the host starts this binary, which reads the credential cache. With --url it dials a
hosted server and signs in there by itself. No token is written into a configuration.`,
		Example: `  pdpp-mcp setup claude-code --provider-url https://data.example
  pdpp-mcp setup codex --url https://data.example/mcp
  pdpp-mcp setup vscode --provider-url https://data.example --print`,
		ValidArgs: hostNames(),
		Args: func(_ *cobra.Command, positional []string) error {
			switch {
			case len(positional) != 1:
				return invocation.Usagef("setup takes the name of one host: %s", strings.Join(hostNames(), ", "))
			case !slices.Contains(hostNames(), positional[0]):
				meant := invocation.DidYouMean(positional[0], "", hostNames())
				if positional[0] == "claude" { // of two hosts, the one whose program has this name
					meant = "did you mean claude-code? "
				}
				return invocation.Usagef("unknown host %q; %spass one of: %s", positional[0], meant, strings.Join(hostNames(), ", "))
			}
			return nil
		},
		RunE: func(command *cobra.Command, positional []string) error {
			host, _ := mcphost.Find(positional[0]) // Args has checked the name
			return setup.run(command, host)
		},
	}
	setup.server.addFlags(command.Flags())
	command.Flags().BoolVar(&setup.yes, "yes", false, "write without asking")
	command.Flags().BoolVar(&setup.print, "print", false, "print the configuration and write nothing")
	return command
}

func hostNames() []string {
	var names []string
	for _, host := range mcphost.Hosts() {
		names = append(names, host.Name)
	}
	return names
}

// run shows the change on stdout, asks, and writes it. Everything else goes to stderr.
func (s *setup) run(command *cobra.Command, host mcphost.Host) error {
	server, err := s.server.server()
	if err != nil {
		return err
	}
	if s.print {
		return s.printSnippet(host, server)
	}
	machine, err := mcphost.ThisMachine()
	if err != nil {
		return err
	}
	change, err := host.Plan(machine, server)
	if err != nil {
		return err
	}
	s.sayOtherScope(host, machine, server.Name)
	if change.Empty() {
		s.say("%s has %s already; nothing changes", change.Path, server.Name)
		return nil
	}
	if _, err := fmt.Fprint(s.terminal.Out, invocation.Printable(change.Diff())); err != nil {
		return fmt.Errorf("show the change: %w", err)
	}
	if _, err := exec.LookPath(host.Program); err != nil && !host.Installed(machine) {
		s.say("%s does not seem to be installed on this machine; it will find the file when it is", host.Title)
	}
	if !s.yes {
		agreed, err := confirm(command.Context(), s.terminal, "Write "+invocation.Printable(change.Path)+"?")
		if err != nil {
			return err
		}
		if !agreed {
			s.say("nothing was written")
			return nil
		}
	}
	backup, err := change.Apply()
	if err != nil {
		return err
	}
	s.say("wrote %s", change.Path)
	if backup != "" {
		s.say("the file as it was: %s", backup)
	}
	s.sayNext(host, server)
	return nil
}

func (s *setup) printSnippet(host mcphost.Host, server mcphost.Server) error {
	snippet, err := host.Snippet(server)
	if err != nil {
		return err
	}
	if machine, err := mcphost.ThisMachine(); err == nil {
		s.say("%s reads %s; add this to it:", host.Title, host.Path(machine))
	}
	if _, err := fmt.Fprint(s.terminal.Out, snippet); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}

// sayOtherScope warns of a server of the same name that the host uses in place of this one when it is started in this folder.
func (s *setup) sayOtherScope(host mcphost.Host, machine mcphost.Machine, name string) {
	folder, err := os.Getwd()
	if err != nil {
		return
	}
	files, err := host.InFolder(machine, folder, name)
	if err != nil {
		s.say("whether %s has another server %s for this folder is not known: %v", host.Title, name, err)
	}
	for _, file := range files {
		s.say("conflict: %s has another server %s for this folder, in %s, and uses that one here; remove it there, or pass --name", host.Title, name, file)
	}
}

func (s *setup) sayNext(host mcphost.Host, server mcphost.Server) {
	s.say("next: start %s again", host.Title)
	if server.URL != "" {
		s.say("to sign in: %s", host.SignIn)
	}
}

// say writes a line to stderr. A failed write is ignored.
func (s *setup) say(format string, values ...any) {
	_, _ = fmt.Fprintln(s.terminal.Err, invocation.Printable(fmt.Sprintf(format, values...)))
}

// confirm asks on the terminal and reports whether the answer is yes; Ctrl-C counts as no. Without a terminal it returns a
// usage error.
func confirm(ctx context.Context, terminal invocation.Terminal, question string) (bool, error) {
	input, isTerminal := invocation.OnTerminal(terminal.In)
	if !isTerminal {
		return false, invocation.Usagef("nothing was written, because there is no terminal to ask on; pass --yes to write it, or --print")
	}
	if _, err := fmt.Fprint(terminal.Err, question+" [y/N] "); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	answered := make(chan string, 1)
	go func() { // a read cannot be interrupted; the process ends without it
		line, err := bufio.NewReader(input).ReadString('\n')
		if err != nil {
			line = ""
		}
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-answered:
		return answer == "y" || answer == "yes", nil
	case <-ctx.Done():
		return false, nil
	}
}
