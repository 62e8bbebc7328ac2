// Package signin has the commands connect, connections and disconnect.
package signin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

var errNothingStored = fmt.Errorf("%w; nothing was stored", invocation.ErrInterrupted)

type signIn struct {
	cacheRoot    string
	noBrowser    bool
	requestFlags requestFlags
	labelHolder  string // the grant that has the label before the sign-in; may be empty
	options      connect.Options
}

// NewConnectCommand returns the command that signs in at a provider and stores the credential.
func NewConnectCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var asked signIn
	command := &cobra.Command{
		Use:   "connect <provider-url>",
		Short: "Sign in at a provider and store a scoped credential",
		Long: `Sign in at a provider. The owner of the data opens the link on standard error and approves what may be
read. Request as little as possible: --source names a connector, the flags after it a part of it. Without
--source the owner chooses, if the provider has a page for that. The credential is tried before it is
stored; an owner credential is refused. Connecting again adds a grant and removes none.`,
		Example: `  pdpp-mcp connect https://pdpp.example
  pdpp-mcp connect https://pdpp.example --source https://registry.pdpp.dev/connectors/gmail \
    --connection cin_gmail_personal --stream messages --field subject --field received_at --since 2026-01-01 --label work`,
		Args: oneProvider,
		RunE: func(command *cobra.Command, arguments []string) error {
			asked.options.ProviderURL = arguments[0]
			err := asked.run(command.Context(), terminal, log.Logger())
			if err != nil && command.Context().Err() != nil {
				return errNothingStored
			}
			return err
		},
	}
	flags := command.Flags()
	invocation.AddCacheRoot(flags, &asked.cacheRoot)
	asked.requestFlags.addFlags(flags)
	flags.StringVar(&asked.options.Label, "label", "", "`name` for the grant, for use with --grant-id")
	flags.StringVar((*string)(&asked.options.Flow), "flow", "", "`sign-in` to use: agent-connect, device or code (default: the first that the provider offers)")
	flags.StringVar(&asked.options.ClientName, "client-name", connect.DefaultClientName, "client `name` that the owner sees")
	flags.StringVar(&asked.options.ClientID, "client-id", "", "known public `client`, or the https address of its metadata document (default: a new one is registered)")
	flags.BoolVar(&asked.noBrowser, "no-browser", false, "do not open the link in a browser")
	invocation.AddTimeout(flags, &asked.options.RSTimeout, "time limit of the request that tries the credential")
	return command
}

// oneProvider requires one argument, the provider's URL. It is a cobra.PositionalArgs.
func oneProvider(command *cobra.Command, arguments []string) error {
	if len(arguments) == 0 || arguments[0] == "" {
		return invocation.Usagef("%s takes the URL of a provider, such as https://pdpp.example", command.Name())
	}
	return invocation.NoArguments(command, arguments[1:])
}

func (s *signIn) run(ctx context.Context, terminal invocation.Terminal, logger *slog.Logger) error {
	if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
		return err
	}
	cache, err := invocation.OpenCache(s.cacheRoot, logger)
	if err != nil {
		return err
	}
	if err := s.check(cache); err != nil {
		return err
	}
	// Do not ask the owner for a credential that cannot be stored.
	if err := cache.Prepare(s.options.ProviderURL); err != nil {
		return err
	}
	s.options.CacheRoot = cache.NamedRoot()
	screen := newApprovalScreen(terminal.Err)
	s.options.Announce = func(approval connect.Approval) {
		screen.show(approval, time.Now())
		if !s.noBrowser {
			invocation.OpenBrowser(approval.URL)
		}
	}
	entry, err := connect.Connect(ctx, s.options)
	screen.close()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := cache.Add(entry); err != nil {
		return err
	}
	return s.reportConnected(terminal, cache, entry)
}

func (s *signIn) check(cache *credential.Cache) (err error) {
	if s.options.Access, err = s.requestFlags.asked(); err != nil {
		return err
	}
	if flow := s.options.Flow; flow != "" && !slices.Contains(connect.Flows(), flow) {
		return invocation.Usagef("unknown --flow %q: use agent-connect, device or code", flow)
	}
	if err := connect.CheckClientID(s.options.ClientID); err != nil {
		return err
	}
	return s.checkLabel(cache)
}

const maxLabel = 64

// checkLabel refuses a label that could not be passed to a command or names a grant of another provider. If a grant of
// this provider has the label, the label moves to the new grant. That grant usually replaces an expired one.
func (s *signIn) checkLabel(cache *credential.Cache) error {
	label := s.options.Label
	switch {
	case label == "":
		return nil
	case len(label) > maxLabel, label != invocation.OneLine(label), strings.HasPrefix(label, "-"):
		return invocation.Usagef("invalid --label: use up to %d bytes of printable text without a leading dash or space, such as work", maxLabel)
	}
	provider, err := credential.ParseProviderURL(s.options.ProviderURL)
	if err != nil {
		return err
	}
	files, err := cache.List()
	if err != nil {
		return err
	}
	for _, file := range files {
		for _, entry := range file.Grants {
			held := entry.Credential
			switch {
			case !held.HasName(label):
			case entry.ProviderURL == provider && held.Label == label:
				s.labelHolder = held.GrantID
			default:
				return invocation.Usagef("--label %s already names grant %s of %s; pass another, or disconnect that grant first",
					label, invocation.Printable(held.GrantID), entry.ProviderURL)
			}
		}
	}
	return nil
}

func (s *signIn) reportConnected(terminal invocation.Terminal, cache *credential.Cache, entry *credential.Entry) error {
	path, _ := cache.Path(entry.ProviderURL) // the entry was stored there
	var report strings.Builder
	name := cmp.Or(invocation.Printable(entry.Credential.GrantID), "-")
	if entry.Credential.Label != "" {
		name += " (" + entry.Credential.Label + ")"
	}
	fmt.Fprintf(&report, "Connected to %s with grant %s; %s.\n", entry.ProviderURL, name, expiryText(entry.Credential))
	for _, approved := range entry.Credential.Approved() {
		fmt.Fprintf(&report, "  %s\n", approvedText(approved))
	}
	if differences := connect.Differences(s.options.Access, entry.Credential); len(differences) > 0 {
		report.WriteString("Differs from the request:\n")
		for _, difference := range differences {
			fmt.Fprintf(&report, "  %s\n", difference)
		}
	}
	if s.labelHolder != "" && s.labelHolder != entry.Credential.GrantID {
		fmt.Fprintf(&report, "The label %s moved from grant %s.\n", s.options.Label, invocation.OneLine(s.labelHolder))
	}
	// One entry of a host serves every connected provider.
	fmt.Fprintf(&report, "Stored in %s.\nTry:  %s\nNext: %s\n", path,
		commandline.Read("streams", entry.ProviderURL, cache.NamedRoot()),
		commandline.Read("setup <host>", "", cache.NamedRoot()))
	if _, err := fmt.Fprint(terminal.Out, report.String()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

func expiryText(held credential.Credential) string {
	switch {
	case held.RefreshToken.Reveal() != "":
		return "its token is renewed as long as the provider allows"
	case held.ExpiresAt.IsZero():
		return "it does not expire"
	}
	return "it expires at " + held.ExpiresAt.Format(time.RFC3339)
}

func approvedText(approved credential.Approved) string {
	text := approved.Stream
	if key := approved.ConnectorKey(); key != "" {
		text += " of " + key
	}
	var limits []string
	if len(approved.Connections) > 0 {
		limits = append(limits, strings.Join(approved.Connections, ", "))
	}
	switch {
	case len(approved.Fields) > maxFieldsNamed:
		limits = append(limits, fmt.Sprintf("%d fields: %s, …", len(approved.Fields), strings.Join(approved.Fields[:maxFieldsNamed], ", ")))
	case len(approved.Fields) > 0:
		limits = append(limits, "fields "+strings.Join(approved.Fields, ", "))
	}
	if approved.Since != "" {
		limits = append(limits, "from "+approved.Since)
	}
	if approved.Until != "" {
		limits = append(limits, "before "+approved.Until)
	}
	if limits != nil {
		text += ": " + strings.Join(limits, "; ")
	}
	return invocation.OneLine(text)
}

const maxFieldsNamed = 8 // per stream
