package signin

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// connection is one stored grant, without its token.
type connection struct {
	ProviderURL         string     `json:"provider_url"`
	AuthorizationServer string     `json:"authorization_server,omitempty"`
	GrantID             string     `json:"grant_id,omitempty"`
	Scope               string     `json:"scope,omitempty"`
	ClientID            string     `json:"client_id,omitempty"`
	CreatedAt           time.Time  `json:"created_at,omitzero"`
	ExpiresAt           *time.Time `json:"expires_at"` // null if it does not expire or the provider gave no time
	State               string     `json:"state"`
	Current             bool       `json:"current"` // used without --grant-id
	Path                string     `json:"path"`
}

// The states of a stored grant.
const (
	stateValid   = "valid"
	stateExpired = "expired"
	stateOwner   = "owner credential, never used"
)

// NewConnectionsCommand makes the command that lists the stored credentials without their tokens.
func NewConnectionsCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var cacheRoot string
	var asJSON bool
	command := &cobra.Command{
		Use:   "connections",
		Short: "List the stored credentials: provider, grant, scope and expiry, never a token",
		Args:  invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			logger := log.Logger()
			cache, err := invocation.OpenCache(cacheRoot, logger)
			if err != nil {
				return err
			}
			connections, err := storedConnections(cache, logger, time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return terminal.PrintJSON(connections)
			}
			return printConnections(terminal, connections, cache.NamedRoot())
		},
	}
	invocation.AddCacheRoot(command.Flags(), &cacheRoot)
	command.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return command
}

// storedConnections lists the stored credentials. It logs a warning for each file that cannot be used.
func storedConnections(cache *credential.Cache, logger *slog.Logger, now time.Time) ([]connection, error) {
	files, err := cache.List()
	if err != nil {
		return nil, err
	}
	connections := []connection{} // an empty list is [] in JSON
	for _, file := range files {
		if file.Err != nil {
			logger.Warn(file.Err.Error())
			continue
		}
		for i, entry := range file.Grants {
			connections = append(connections, connectionOf(entry, file.Path, i == 0, now))
		}
	}
	return connections, nil
}

func connectionOf(entry *credential.Entry, path string, current bool, now time.Time) connection {
	shown := connection{
		ProviderURL: entry.ProviderURL, AuthorizationServer: entry.AuthorizationServer, GrantID: entry.Credential.GrantID,
		Scope: cmp.Or(entry.Credential.Scope, entry.Scope), ClientID: entry.Client.ClientID, CreatedAt: entry.CreatedAt, State: stateValid, Current: current, Path: path,
	}
	if !entry.Credential.ExpiresAt.IsZero() {
		shown.ExpiresAt = &entry.Credential.ExpiresAt
	}
	switch {
	case entry.Credential.OwnerMark() != "":
		shown.State = stateOwner
	case entry.Credential.Expired(now):
		shown.State = stateExpired
	}
	return shown
}

func printConnections(terminal invocation.Terminal, connections []connection, cacheRoot string) error {
	if len(connections) == 0 {
		_, err := fmt.Fprintln(terminal.Out, "No credentials are stored; run: "+commandline.Connect("", cacheRoot))
		return err
	}
	rows := [][]string{{"PROVIDER", "GRANT", "SCOPE", "EXPIRES", "STATE"}}
	for _, listed := range connections {
		expires, state := "never", listed.State
		if listed.ExpiresAt != nil {
			expires = listed.ExpiresAt.UTC().Format(time.RFC3339)
		}
		if listed.Current {
			state += ", current"
		}
		rows = append(rows, []string{listed.ProviderURL, cmp.Or(listed.GrantID, "-"), cmp.Or(listed.Scope, "-"), expires, state})
	}
	return terminal.PrintTable(rows)
}
