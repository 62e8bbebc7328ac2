package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// cachedCredential is a file of the credential cache, as pdpp-mcp and other PDPP tools read it.
type cachedCredential struct {
	ProviderURL         string           `json:"provider_url"`
	AuthorizationServer string           `json:"authorization_server"`
	Scope               string           `json:"scope"`
	Client              cachedClient     `json:"client"`
	Credential          scopedCredential `json:"credential"`
	CreatedAt           string           `json:"created_at"`
}

type cachedClient struct {
	ClientID                string `json:"client_id"`
	ClientName              string `json:"client_name"`
	TokenEndpointAuthMethod string `json:"token_endpoint_auth_method"`
}

type scopedCredential struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	GrantID     string `json:"grant_id"`
	Scope       string `json:"scope"`
}

const readScope = "pdpp:read"

// readyGrant is the grant whose token is written to the cache.
const readyGrant = "everything"

// errNoReadyGrant reports a sandbox without the grant readyGrant, which every sandbox issues.
var errNoReadyGrant = errors.New("the sandbox has no grant " + readyGrant)

// writeCredential stores the token of readyGrant below root and returns the file's path. It replaces the file of an earlier
// start on the same address, whose token no longer works.
func writeCredential(root string, box *sandbox.Sandbox, now time.Time) (string, error) {
	credential, found := box.Authorization().Credential(readyGrant)
	if !found {
		return "", errNoReadyGrant
	}
	content, err := json.MarshalIndent(cachedCredential{
		ProviderURL:         box.PublicURL(),
		AuthorizationServer: box.PublicURL(),
		Scope:               readScope,
		Client:              cachedClient{ClientID: credential.ClientID, ClientName: "PDPP sandbox", TokenEndpointAuthMethod: "none"},
		Credential:          scopedCredential{AccessToken: credential.Token, TokenType: "Bearer", GrantID: credential.GrantID, Scope: readScope},
		CreatedAt:           now.UTC().Format(time.RFC3339Nano),
	}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the credential: %w", err)
	}
	if err := ignoreInGit(root); err != nil {
		return "", err
	}
	clients := filepath.Join(root, "clients")
	if err := os.MkdirAll(clients, 0o700); err != nil {
		return "", fmt.Errorf("create the credential cache: %w", err)
	}
	key, err := cacheKey(box.PublicURL())
	if err != nil {
		return "", err
	}
	path := filepath.Join(clients, key+".json")
	return path, writePrivately(path, append(content, '\n'))
}

var outsideKey = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// cacheKey returns the name of a provider's file without its extension, such as localhost_7663 for localhost:7663.
func cacheKey(providerURL string) (string, error) {
	parsed, err := url.Parse(providerURL)
	if err != nil {
		return "", fmt.Errorf("name the credential file of %q: %w", providerURL, err)
	}
	return outsideKey.ReplaceAllString(parsed.Host, "_"), nil
}

// ignoreInGit writes a .gitignore that keeps the cache out of version control, unless there is one.
func ignoreInGit(root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("create the credential cache: %w", err)
	}
	path := filepath.Join(root, ".gitignore")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writePrivately(path, []byte("*\n!.gitignore\n"))
}

// writePrivately replaces a file atomically, with mode 0600.
func writePrivately(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".pdpp-sandbox-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", filepath.Base(path), err), os.Remove(file.Name()))
	}
	return nil
}
