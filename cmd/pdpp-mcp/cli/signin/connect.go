// Package signin has the commands that get, list and remove the credentials of providers.
package signin

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// errNothingStored is the error of an interrupted sign-in. The cache is written only after a sign-in, in one step.
var errNothingStored = fmt.Errorf("%w; nothing was stored", invocation.ErrInterrupted)

// signIn has the flags of connect.
type signIn struct {
	cacheRoot string
	noBrowser bool
	asking    asking
	flow      string
	labelled  string // the grant that has the label so far; empty: none
	options   connect.Options
}

// NewConnectCommand makes the command that signs in at a provider and stores the credential.
func NewConnectCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var asked signIn
	command := &cobra.Command{
		Use:   "connect <provider-url>",
		Short: "Sign in at a provider: its owner approves, and a scoped credential is stored",
		Long: `Sign in at a provider. The link on standard error is for the owner of the data, who approves what
may be read. Ask for as little as is needed: --source names a connector, the flags after it a part of
it. Without --source the owner chooses, where the provider has a page for that. The credential is
tried before it is stored; an owner credential is refused. Connecting again adds a grant and takes
none away.`,
		Example: `  pdpp-mcp connect https://pdpp.example
  pdpp-mcp connect https://pdpp.example --source https://registry.pdpp.dev/connectors/gmail \
    --connection cin_work --stream messages --field subject --field received_at --since 2026-01-01 --label work`,
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
	asked.asking.addFlags(flags)
	flags.StringVar(&asked.options.Label, "label", "", "`name` for the grant, by which commands find it")
	flags.StringVar(&asked.flow, "flow", "", "`sign-in` to use: agent-connect, device or code (default: the first that the provider has)")
	flags.StringVar(&asked.options.ClientName, "client-name", connect.DefaultClientName, "`name` that the owner sees")
	flags.StringVar(&asked.options.ClientID, "client-id", "", "public `client` that the authorization server knows, or the https address of its metadata document (default: one is registered)")
	flags.BoolVar(&asked.noBrowser, "no-browser", false, "only print the link")
	invocation.AddTimeout(flags, &asked.options.RSTimeout, "limit of the request that tries the credential")
	return command
}

// oneProvider accepts one argument, the provider's URL. It is a cobra.PositionalArgs.
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
	// The owner is asked only if the credential can be stored.
	if err := cache.Prepare(s.options.ProviderURL); err != nil {
		return err
	}
	s.options.CacheRoot = cache.NamedRoot()
	screen := newApprovalScreen(terminal.Err)
	defer screen.close()
	s.options.Announce = func(approval connect.Approval) {
		screen.show(approval, time.Now())
		if !s.noBrowser {
			openBrowser(approval.URL)
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
	if err := s.store(cache, entry); err != nil {
		return err
	}
	return s.reportConnected(terminal, cache, entry)
}

// store adds the grant, which then has its label alone.
func (s *signIn) store(cache *credential.Cache, entry *credential.Entry) error {
	if err := cache.Add(entry); err != nil || s.labelled == "" || s.labelled == entry.Credential.GrantID {
		return err
	}
	_, err := cache.Change(entry.ProviderURL, s.labelled, func(before *credential.Entry) error {
		before.Credential.Label = ""
		return nil
	})
	return err
}

// check refuses wrong flags before anything is sent or written.
func (s *signIn) check(cache *credential.Cache) (err error) {
	if s.options.Asked, err = s.asking.asked(); err != nil {
		return err
	}
	s.options.Flow = connect.Flow(s.flow)
	if s.flow != "" && !slices.Contains(connect.Flows(), s.options.Flow) {
		return invocation.Usagef("--flow %s is none; pass agent-connect, device or code", invocation.Printable(s.flow))
	}
	if err := connect.CheckClientID(s.options.ClientID); err != nil {
		return err
	}
	return s.checkLabel(cache)
}

// longestLabel bounds a label, in bytes.
const longestLabel = 64

// checkLabel refuses a label that could not be passed to another command, or that names something at another provider. One of a
// grant of the same provider passes on to the new grant, as that of a grant that ended and is approved anew.
func (s *signIn) checkLabel(cache *credential.Cache) error {
	label := s.options.Label
	switch {
	case label == "":
		return nil
	case len(label) > longestLabel, label != invocation.OneLine(label), strings.HasPrefix(label, "-"):
		return invocation.Usagef("--label takes up to %d bytes of printable text that does not begin with a dash or a space, such as work", longestLabel)
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
				s.labelled = held.GrantID
			default:
				return invocation.Usagef("--label %s already names grant %s of %s; pass another, or disconnect that grant first",
					label, invocation.Printable(held.GrantID), entry.ProviderURL)
			}
		}
	}
	return nil
}
