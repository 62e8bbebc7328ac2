// Package signin has the commands that get, list and remove the credentials of providers.
package signin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// errNothingStored is the error of an interrupted sign-in. The cache is written only after a sign-in, in one step.
var errNothingStored = fmt.Errorf("%w; nothing was stored", invocation.ErrInterrupted)

// signIn has the flags of connect.
type signIn struct {
	cacheRoot string
	noBrowser bool
	options   connect.Options
}

// NewConnectCommand makes the command that signs in at a provider and stores the credential.
func NewConnectCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var asked signIn
	command := &cobra.Command{
		Use:   "connect <provider-url>",
		Short: "Sign in at a provider: its owner approves, and a scoped credential is stored",
		Long: `Sign in at a provider. The link on standard error is for the owner of the data, who chooses what
may be read. The credential is tried before it is stored; an owner credential is refused. Connecting again
adds a grant: the last one is used unless --grant-id names another.`,
		Example: `  pdpp-mcp connect https://pdpp.example
  pdpp-mcp connect https://pdpp.example --source https://registry.pdpp.dev/connectors/gmail --stream messages`,
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
	flags.StringArrayVar(&asked.options.Sources, "source", nil, "connector to ask for, as the provider names it; repeatable (default: the owner chooses)")
	flags.StringArrayVar(&asked.options.Streams, "stream", nil, "stream to ask for, of each source; repeatable (default all)")
	flags.StringVar(&asked.options.ClientName, "client-name", connect.DefaultClientName, "name that the owner sees")
	flags.StringVar(&asked.options.ClientID, "client-id", "", "public client that the authorization server knows (default: one is registered)")
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
	if err := cache.Add(entry); err != nil {
		return err
	}
	return s.reportConnected(terminal, cache, entry)
}

// reportConnected prints what was stored, and the next commands, with the flags by which they find the credential.
func (s *signIn) reportConnected(terminal invocation.Terminal, cache *credential.Cache, entry *credential.Entry) error {
	path, err := cache.Path(entry.ProviderURL)
	if err != nil {
		return err
	}
	until := "it does not expire by itself"
	if end := entry.Credential.ExpiresAt; !end.IsZero() {
		until = "it expires at " + end.Format(time.RFC3339)
	}
	_, err = fmt.Fprintf(terminal.Out, "Connected to %s with grant %s; %s.\nStored in %s.\n"+
		"Try:  %s\nNext: %s\n",
		entry.ProviderURL, cmp.Or(invocation.Printable(entry.Credential.GrantID), "-"), until, path,
		commandline.Read("call "+tool.SchemaTool, entry.ProviderURL, cache.NamedRoot()), commandline.Read("setup <host>", entry.ProviderURL, cache.NamedRoot()))
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
