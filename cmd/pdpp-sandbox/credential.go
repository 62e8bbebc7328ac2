package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

const readScope = "pdpp:read"

// The ready token whose grant covers everything, and the package whose members are grants of one connection each.
const (
	readyGrant   = "everything"
	readyPackage = "package"
)

// errNoReadyGrant reports a sandbox without the grant readyGrant, which every sandbox issues.
var errNoReadyGrant = errors.New("the sandbox has no grant " + readyGrant)

// writeCredentials stores the tokens of ready grants below root, as connect would, and returns the file's path. They replace those
// of an earlier start on the same address, which no longer work.
func writeCredentials(root string, box *sandbox.Sandbox, which string, now time.Time) (string, error) {
	cache := &credential.Cache{Root: root}
	path, err := cache.Path(box.PublicURL())
	if err != nil {
		return "", err
	}
	entries, err := readyEntries(box, which, now)
	if err != nil {
		return "", err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, entry := range slices.Backward(entries) { // the last one comes first
		if err := cache.Add(entry); err != nil {
			return "", err
		}
	}
	return path, nil
}

// readyEntries returns the credential of everything, or one of each connection, labelled by its name.
func readyEntries(box *sandbox.Sandbox, which string, now time.Time) ([]*credential.Entry, error) {
	if which == oneGrant {
		ready, found := box.Authorization().Credential(readyGrant)
		if !found {
			return nil, errNoReadyGrant
		}
		entry, err := entryOf(box, ready.Token, ready.GrantID, ready.ClientID, now)
		return []*credential.Entry{entry}, err
	}
	var entries []*credential.Entry
	for _, member := range box.Authorization().Members(readyPackage) {
		grant, _ := box.Authorization().Grant(member.GrantID) // of a package that was issued
		entry, err := entryOf(box, member.AccessToken, member.GrantID, grant.ClientID, now)
		if err != nil {
			return nil, err
		}
		details := []approvedDetail{{Source: approvedSource{ID: box.PublicURL() + "/connectors/" + member.ConnectorKey, Kind: "connector"}}}
		for _, stream := range member.Streams {
			details[0].Streams = append(details[0].Streams, approvedStream{Name: stream, Connections: []string{member.ConnectionID}})
		}
		if entry.Credential.Details, err = json.Marshal(details); err != nil {
			return nil, fmt.Errorf("encode what was approved: %w", err)
		}
		entry.Credential.Label = member.DisplayName
		entries = append(entries, entry)
	}
	return entries, nil
}

// approvedDetail is one of the authorization_details that connect would have been given.
type approvedDetail struct {
	Source  approvedSource   `json:"source"`
	Streams []approvedStream `json:"streams"`
}

type approvedSource struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

type approvedStream struct {
	Name        string   `json:"name"`
	Connections []string `json:"instance_ids"`
}

func entryOf(box *sandbox.Sandbox, token, grantID, clientID string, now time.Time) (*credential.Entry, error) {
	bearer, err := rs.NewBearer(token)
	if err != nil {
		return nil, fmt.Errorf("the token of %s %w", grantID, err)
	}
	return &credential.Entry{
		ProviderURL: box.PublicURL(), AuthorizationServer: box.PublicURL(), Scope: readScope,
		Client:     credential.Client{ClientID: clientID, ClientName: "PDPP sandbox", TokenEndpointAuthMethod: "none"},
		Credential: credential.Credential{AccessToken: bearer, TokenType: "Bearer", GrantID: grantID, Scope: readScope},
		CreatedAt:  now.UTC(),
	}, nil
}
