package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// connection is a stored grant without its token.
type connection struct {
	ProviderURL         string                `json:"provider_url"`
	AuthorizationServer string                `json:"authorization_server,omitempty"`
	GrantID             string                `json:"grant_id,omitempty"`
	Label               string                `json:"label,omitempty"`
	Approved            []credential.Approved `json:"approved"` // as the authorization server reports it; may be empty
	Scope               string                `json:"scope,omitempty"`
	ClientID            string                `json:"client_id,omitempty"`
	CreatedAt           time.Time             `json:"created_at,omitzero"`
	ExpiresAt           *time.Time            `json:"expires_at"` // null: it does not expire, or unknown
	LastUsedAt          time.Time             `json:"last_used_at,omitzero"`
	State               string                `json:"state"`
	Overlaps            []string              `json:"overlaps,omitempty"` // ids of grants with the same stream and connection
	Current             bool                  `json:"current"`            // the default of commands that read with one grant
	Path                string                `json:"path"`
}

// NewConnectionsCommand returns the command that lists the stored credentials.
func NewConnectionsCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var cacheRoot string
	var form invocation.Form
	command := &cobra.Command{
		Use:     "connections",
		Short:   "List the stored credentials, without their tokens",
		Example: "  pdpp-mcp connections\n  pdpp-mcp connections --json",
		Args:    invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			logger := log.Logger()
			cache, err := invocation.OpenCache(cacheRoot, logger)
			if err != nil {
				return err
			}
			connections, overlaps, err := storedConnections(cache, logger, time.Now())
			if err != nil {
				return err
			}
			if form.IsJSON() {
				return terminal.PrintJSON(connections)
			}
			if err := printConnections(terminal, connections, cache.NamedRoot()); err != nil {
				return err
			}
			for _, each := range overlaps {
				terminal.Note("note: %s", each)
			}
			return nil
		},
	}
	invocation.AddCacheRoot(command.Flags(), &cacheRoot)
	form.AddFlags(command.Flags(), "table")
	return command
}

// storedConnections returns the stored grants, and which of them overlap (R-LOCAL-1).
func storedConnections(cache *credential.Cache, logger *slog.Logger, now time.Time) ([]connection, []credential.Overlap, error) {
	files, err := cache.List()
	if err != nil {
		return nil, nil, err
	}
	var overlaps []credential.Overlap
	connections := []connection{} // an empty list is [] in JSON
	for _, file := range files {
		if file.Err != nil {
			logger.Warn(file.Err.Error())
			continue
		}
		for i, entry := range file.Grants {
			connections = append(connections, connectionOf(entry, file.Path, i == 0, now))
		}
		first := len(connections) - len(file.Grants)
		for _, overlap := range credential.Overlaps(file.Grants) {
			for j, entry := range overlap.Grants {
				shown := &connections[first+slices.Index(file.Grants, entry)]
				shown.Overlaps = append(shown.Overlaps, overlap.Grants[1-j].Credential.GrantID)
			}
			overlaps = append(overlaps, overlap)
		}
	}
	return connections, overlaps, nil
}

func connectionOf(entry *credential.Entry, path string, current bool, now time.Time) connection {
	shown := connection{
		ProviderURL: entry.ProviderURL, AuthorizationServer: entry.AuthorizationServer, GrantID: entry.Credential.GrantID,
		Scope: cmp.Or(entry.Credential.Scope, entry.Scope), ClientID: entry.Client.ClientID, CreatedAt: entry.CreatedAt, State: "valid", Current: current, Path: path,
		Label: entry.Credential.Label, LastUsedAt: entry.Credential.LastUsedAt, Approved: append([]credential.Approved{}, entry.Credential.Approved()...),
	}
	if !entry.Credential.ExpiresAt.IsZero() {
		shown.ExpiresAt = &entry.Credential.ExpiresAt
	}
	switch {
	case entry.Credential.OwnerMember() != "":
		shown.State = "owner credential, never used"
	case !entry.Credential.EndedAt.IsZero():
		shown.State = "ended by its owner"
	case entry.Credential.Expired(now):
		shown.State = "expired"
	}
	return shown
}

func printConnections(terminal invocation.Terminal, connections []connection, cacheRoot string) error {
	if len(connections) == 0 {
		_, err := fmt.Fprintln(terminal.Out, "No credentials are stored; run: "+commandline.Connect("", cacheRoot))
		return err
	}
	layout, zone := time.RFC3339, time.UTC
	if _, isTerminal := terminal.Width(); isTerminal {
		layout, zone = "2006-01-02 15:04", time.Local
	}
	format := func(t *time.Time, unknown string) string {
		if t == nil || t.IsZero() {
			return unknown
		}
		return t.In(zone).Format(layout)
	}
	table := func(limit int) [][]string {
		rows := [][]string{{"label", "provider", "grant", "connections", "streams", "range", "expires", "last_used", "state"}}
		for _, listed := range connections {
			var ids, names, ranges []string
			for _, each := range listed.Approved {
				ids, names, ranges = append(ids, each.Connections...), append(names, each.Stream), append(ranges, timeRange(each))
			}
			cell := func(names []string) string {
				slices.Sort(names)
				return cmp.Or(invocation.NameList(slices.Compact(names), limit), invocation.Unknown)
			}
			rows = append(rows, []string{
				cmp.Or(listed.Label, invocation.Unknown), listed.ProviderURL, cmp.Or(listed.GrantID, invocation.Unknown), cell(ids), cell(names), cell(ranges),
				format(listed.ExpiresAt, "never"), format(&listed.LastUsedAt, invocation.Unknown), listed.State,
			})
		}
		return rows
	}
	return terminal.PrintTable(table(namesShown), table(1))
}

const namesShown = 4 // in a cell

func timeRange(approved credential.Approved) string {
	since, _, _ := strings.Cut(approved.Since, "T")
	until, _, _ := strings.Cut(approved.Until, "T")
	switch {
	case since != "" && until != "":
		return since + " to " + until
	case since != "":
		return "since " + since
	case until != "":
		return "until " + until
	}
	return "all"
}

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
  pdpp-mcp disconnect https://pdpp.example --grant-id work`,
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

// reportDisconnected revokes the tokens of removed credentials and prints the results. It returns an error if a token
// may still be valid.
func reportDisconnected(ctx context.Context, out io.Writer, provider string, removed []*credential.Entry, keepToken bool) error {
	if len(removed) == 0 {
		_, err := fmt.Fprintf(out, "Removed a malformed credential file of %s.\n", invocation.Printable(provider))
		return err
	}
	var failures []error
	for _, entry := range removed {
		outcome := "its token was not revoked, as requested"
		if !keepToken {
			var failed error
			outcome, failed = revoke(ctx, entry)
			failures = append(failures, failed)
		}
		_, err := fmt.Fprintf(out, "Removed grant %s of %s; %s.\n", cmp.Or(invocation.Printable(entry.Credential.GrantID), "-"), entry.ProviderURL, outcome)
		if err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
	}
	_, err := fmt.Fprintln(out, "The grant itself remains until its owner ends it at the provider.")
	return errors.Join(append(failures, err)...)
}

func revoke(ctx context.Context, entry *credential.Entry) (outcome string, err error) {
	revoked, err := connect.Revoke(ctx, entry, nil)
	switch {
	case err != nil:
		return "its token could not be revoked", invocation.Advised(
			fmt.Errorf("the token of grant %s may still be valid: %w", cmp.Or(invocation.Printable(entry.Credential.GrantID), "-"), err),
			"To end it, its owner ends the grant at the provider. The credential is no longer on this machine.")
	case revoked:
		return "its token was revoked", nil
	}
	return "the provider does not support revoking its token", nil
}
