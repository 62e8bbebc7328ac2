package signin

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// NewDisconnectCommand returns the command that removes stored credentials and revokes their tokens.
func NewDisconnectCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var cacheRoot, grantID string
	var keepToken bool
	command := &cobra.Command{
		Use:   "disconnect <provider-url>",
		Short: "Remove the stored credentials of a provider",
		Long: `Remove the stored credentials of a provider, or of one of its grants. The tokens are revoked if the
authorization server supports it, unless --keep-token is given. The grant itself remains until its owner
ends it at the provider.`,
		Example: `  pdpp-mcp disconnect https://pdpp.example
  pdpp-mcp disconnect https://pdpp.example --grant-id grt_7da0791a00dea728
  pdpp-mcp disconnect https://pdpp.example --grant-id "work mail"`,
		Args: oneProvider,
		RunE: func(command *cobra.Command, arguments []string) error {
			cache, err := invocation.OpenCache(cacheRoot, log.Logger())
			if err != nil {
				return err
			}
			removed, err := cache.Remove(arguments[0], grantID)
			if err != nil {
				return err
			}
			return reportDisconnected(command.Context(), terminal.Out, arguments[0], removed, keepToken)
		},
	}
	invocation.AddCacheRoot(command.Flags(), &cacheRoot)
	command.Flags().StringVar(&grantID, "grant-id", "", "remove only this `grant`, by its id or label (default: all of the provider)")
	command.Flags().BoolVar(&keepToken, "keep-token", false, "do not revoke the token")
	return command
}

// reportDisconnected revokes the tokens of removed credentials and prints the results. Credentials are removed before, so that an
// unreachable provider cannot prevent it. A failed revocation is printed and is not an error.
func reportDisconnected(ctx context.Context, out io.Writer, provider string, removed []*credential.Entry, keepToken bool) error {
	if len(removed) == 0 {
		_, err := fmt.Fprintf(out, "Removed a malformed credential file of %s.\n", invocation.Printable(provider))
		return err
	}
	for _, entry := range removed {
		became := "its token was not revoked, as requested"
		if !keepToken {
			became = revoke(ctx, entry)
		}
		_, err := fmt.Fprintf(out, "Removed grant %s of %s; %s.\n", cmp.Or(invocation.Printable(entry.Credential.GrantID), "-"), entry.ProviderURL, became)
		if err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
	}
	_, err := fmt.Fprintln(out, "The grant itself remains until its owner ends it at the provider.")
	return err
}

// revoke revokes a token at its authorization server and returns the outcome as text.
func revoke(ctx context.Context, entry *credential.Entry) string {
	revoked, err := connect.Revoke(ctx, entry, nil)
	switch {
	case err != nil:
		return "its token could not be revoked: " + invocation.Printable(err.Error())
	case revoked:
		return "its token was revoked"
	}
	return "the provider does not support revoking its token"
}
