// Package setup has the commands setup, which configures an MCP host, and doctor.
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
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
)

type setup struct {
	terminal invocation.Terminal
	server   setupServer
	yes      bool
	skill    bool
	print    bool
	undo     bool
}

// NewSetupCommand returns the command that adds this program to the configuration of an MCP host.
func NewSetupCommand(terminal invocation.Terminal) *cobra.Command {
	setup := &setup{terminal: terminal}
	command := &cobra.Command{
		Use:   "setup <host>",
		Short: "Add this adapter to the configuration of an MCP host",
		Long: `Add this adapter to the configuration of an MCP host: ` + strings.Join(hostNames(), ", ") + `.

setup shows the change and writes it after you agree, on the terminal or with --yes. It keeps the old file
as a backup and changes only the adapter's entry. It does not touch a file that it cannot parse.

Close the host first, because some hosts write their file when they end.

Then it asks whether to install a skill, a page that teaches the model the shortest ways through the tools.
--skill installs it without asking; --print --skill prints it.

With --provider-url the host starts this binary, which reads the credential cache. With --url it connects
to a hosted server and signs in there. No token is written into a configuration.

--undo removes the entry again, in the same way.`,
		Example: `  pdpp-mcp setup claude-code --provider-url https://pdpp.example
  pdpp-mcp setup codex --url https://pdpp.example/mcp
  pdpp-mcp setup vscode --provider-url https://pdpp.example --print
  pdpp-mcp setup codex --undo`,
		ValidArgs: hostNames(),
		Args: func(_ *cobra.Command, positional []string) error {
			switch {
			case len(positional) != 1:
				return invocation.Usagef("pass the name of one host: %s", strings.Join(hostNames(), ", "))
			case !slices.Contains(hostNames(), positional[0]):
				hint := invocation.DidYouMean(positional[0], "", hostNames())
				if positional[0] == "claude" { // the name of its program
					hint = "did you mean claude-code? "
				}
				return invocation.Usagef("unknown host %q; %spass one of: %s", positional[0], hint, strings.Join(hostNames(), ", "))
			}
			return nil
		},
		RunE: func(command *cobra.Command, positional []string) error {
			host, _ := mcphost.Find(positional[0]) // Args has checked the name
			return setup.run(command, host)
		},
	}
	setup.server.addFlags(command.Flags())
	command.Flags().BoolVar(&setup.yes, "yes", false, "write the configuration without asking")
	command.Flags().BoolVar(&setup.skill, "skill", false, "install the skill without asking")
	command.Flags().BoolVar(&setup.print, "print", false, "print the configuration without writing it")
	command.Flags().BoolVar(&setup.undo, "undo", false, "remove the entry from the host's configuration")
	return command
}

func hostNames() []string {
	var names []string
	for _, host := range mcphost.Hosts() {
		names = append(names, host.Name)
	}
	return names
}

// run prints the change to stdout and everything else to stderr.
func (s *setup) run(command *cobra.Command, host mcphost.Host) error {
	if s.undo && (s.print || s.skill) {
		return invocation.Usagef("--undo cannot be combined with --print or --skill; pass it alone or with --name and --yes")
	}
	if s.print && s.skill {
		_, err := fmt.Fprint(s.terminal.Out, gen.Surface().Skill.Text)
		return err
	}
	if s.undo {
		return s.remove(command.Context(), host)
	}
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
	signIns := s.server.signIns()
	for _, line := range signIns {
		s.say("there is no usable credential yet, and the server does not start without one; run: %s", line)
	}
	s.warnConflict(host, machine, server.Name)
	if change.Empty() {
		s.say("%s has %s already; nothing changes", change.Path, server.Name)
		return s.installSkill(command.Context(), host, machine)
	}
	if err := s.show(change); err != nil {
		return err
	}
	if _, err := exec.LookPath(host.Program); err != nil && !host.Installed(machine) {
		s.say("%s does not seem to be installed; it will use the file once it is", host.Title)
	}
	if isWritten, err := s.write(command.Context(), change, "Write", s.yes); err != nil || !isWritten {
		return err
	}
	s.say("next: %s", strings.Join(append(signIns, "restart "+host.Title), "; then "))
	if server.URL != "" {
		s.say("to sign in: %s", host.SignIn)
	}
	return s.installSkill(command.Context(), host, machine)
}

// remove removes the entry of the server from the host's file, after consent. The skill is the user's to remove.
func (s *setup) remove(ctx context.Context, host mcphost.Host) error {
	machine, err := mcphost.ThisMachine()
	if err != nil {
		return err
	}
	change, err := host.PlanRemoval(machine, s.server.name)
	switch {
	case err != nil:
		return err
	case change.Empty() || change.Diff() == "":
		s.say("%s has no server %s; nothing changes", change.Path, s.server.name)
		return nil
	}
	if err := s.show(change); err != nil {
		return err
	}
	if isWritten, err := s.write(ctx, change, "Write", s.yes); err != nil || !isWritten {
		return err
	}
	s.say("next: restart %s", host.Title)
	skill := gen.Surface().Skill
	if installed, err := host.PlanSkill(machine, skill.Name, skill.Text); err == nil && installed.Exists() {
		s.say("the skill stays; to remove it, delete %s", installed.Path)
	}
	return nil
}

func (s *setup) show(change *mcphost.Change) error {
	if _, err := fmt.Fprint(s.terminal.Out, invocation.Printable(change.Diff())); err != nil {
		return fmt.Errorf("show the change: %w", err)
	}
	return nil
}

// write writes a change after consent, and reports whether it did.
func (s *setup) write(ctx context.Context, change *mcphost.Change, question string, isAgreed bool) (bool, error) {
	if !isAgreed {
		agreed, err := confirm(ctx, s.terminal, question+" "+invocation.Printable(change.Path)+"?")
		if err != nil {
			return false, err
		}
		if !agreed {
			s.say("nothing was written")
			return false, nil
		}
	}
	backup, err := change.Apply()
	if err != nil {
		return false, err
	}
	s.say("wrote %s", change.Path)
	if backup != "" {
		s.say("backup: %s", backup)
	}
	return true, nil
}

// installSkill writes the skill into the host's folder for skills, after consent (R-EVAL-5).
func (s *setup) installSkill(ctx context.Context, host mcphost.Host, machine mcphost.Machine) error {
	_, isTerminal := invocation.OnTerminal(s.terminal.In)
	if !s.skill && (s.yes || !isTerminal || !host.HasSkills()) {
		return nil
	}
	skill := gen.Surface().Skill
	change, err := host.PlanSkill(machine, skill.Name, skill.Text)
	switch {
	case err != nil:
		return err
	case change.Empty():
		s.say("%s is up to date", change.Path)
		return nil
	}
	_, err = s.write(ctx, change, "Install a skill that teaches "+host.Title+" the tools, in", s.skill)
	return err
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

// warnConflict warns about a server of the same name that the host prefers in the current folder.
func (s *setup) warnConflict(host mcphost.Host, machine mcphost.Machine, name string) {
	folder, err := os.Getwd()
	if err != nil {
		return
	}
	files, err := host.InFolder(machine, folder, name)
	if err != nil {
		s.say("cannot check whether %s has another server %s for this folder: %v", host.Title, name, err)
	}
	for _, file := range files {
		s.say("conflict: %s has another server %s for this folder, in %s, and prefers it here; remove it there, or pass --name", host.Title, name, file)
	}
}

func (s *setup) say(format string, values ...any) {
	s.terminal.Note(format, values...)
}

// confirm asks on the terminal and reports whether the answer is yes. Ctrl-C counts as no. Without a terminal it
// returns a usage error.
func confirm(ctx context.Context, terminal invocation.Terminal, question string) (bool, error) {
	input, isTerminal := invocation.OnTerminal(terminal.In)
	if !isTerminal {
		return false, invocation.Usagef("nothing was written, because standard input is not a terminal: pass --yes to write, or --print")
	}
	if _, err := fmt.Fprint(terminal.Err, question+" [y/N] "); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	answered := make(chan string, 1)
	go func() { // a read cannot be interrupted; the process ends anyway
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
