package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

const readScope = "pdpp:read"

// readyPackage is the package whose members are grants of one connection each.
const readyPackage = "package"

// readyGrants are the names of the ready tokens for the values of --grants, the newest first.
var readyGrants = map[string][]string{oneGrant: {"everything"}, overlappingGrants: {"narrow", "gmail_personal"}}

// errNoReadyGrant reports data without the connections of a ready grant.
var errNoReadyGrant = errors.New("the sandbox has no grant")

// writeCredentials stores the tokens of ready grants below root, as connect would, and returns the file's path. They
// replace those of an earlier start on the same address, which no longer work.
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

// readyEntries returns the credentials for a value of --grants.
func readyEntries(box *sandbox.Sandbox, which string, now time.Time) ([]*credential.Entry, error) {
	as := box.Authorization()
	var entries []*credential.Entry
	add := func(token, grantID, label string) error {
		grant, _ := as.Grant(grantID) // of a token that was issued
		entry, err := entryOf(box, token, grantID, grant.ClientID, now)
		if err == nil && which != oneGrant {
			entry.Credential.Label, entry.Credential.Details = label, rawjson.Value(as.Details(grant))
		}
		entries = append(entries, entry)
		return err
	}
	if which == eachGrant {
		for _, member := range as.Members(readyPackage) {
			if err := add(member.AccessToken, member.GrantID, member.DisplayName); err != nil {
				return nil, err
			}
		}
		return entries, nil
	}
	for _, name := range readyGrants[which] {
		ready, found := as.Credential(name)
		if !found {
			return nil, fmt.Errorf("%w %s", errNoReadyGrant, name)
		}
		if err := add(ready.Token, ready.GrantID, name); err != nil {
			return nil, err
		}
	}
	return entries, nil
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
