package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// network is an http.RoundTripper that remembers every address that was asked.
type network struct {
	mu        sync.Mutex
	addresses []string
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses = append(n.addresses, r.URL.String())
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		n.addresses = append(n.addresses, response.Header.Get("Location"))
	}
	return response, err
}

// connecting is a sandbox on a port, with an owner and what the network saw of them.
type connecting struct {
	*testing.T
	box     *sandbox.Sandbox
	origin  string
	network *network
	owner   *flowtest.Owner
	ctx     context.Context // with the client that x/oauth2 uses
	secrets []string        // every token that was handed out
}

func newConnecting(t *testing.T) *connecting {
	t.Helper()
	var logged bytes.Buffer
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	p := newListening(t, sandbox.Options{Seed: 1})
	n := &network{}
	c := &connecting{
		T: t, box: p.box, origin: p.url, network: n, owner: flowtest.New(n),
		ctx: context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: n}),
	}
	t.Cleanup(func() {
		slog.SetDefault(was)
		log.SetOutput(writer) // SetDefault has turned the standard logger to the handler
		log.SetFlags(flags)
		c.checkSecrets(logged.String())
	})
	return c
}

// checkSecrets holds every token to where tokens may stand: in bodies and in the Authorization header.
func (c *connecting) checkSecrets(logged string) {
	if len(c.secrets) == 0 {
		c.Error("the test got no token, so it shows nothing about where tokens stand")
	}
	for _, secret := range c.secrets {
		if strings.Contains(logged, secret) {
			c.Error("the log has a token")
		}
		if slices.ContainsFunc(c.network.addresses, func(address string) bool { return strings.Contains(address, secret) }) {
			c.Error("an address has a token")
		}
	}
}

func (c *connecting) register(name string) *oauth2.Config {
	c.Helper()
	config, err := flowtest.Register(c.ctx, c.network, c.origin, name)
	if err != nil {
		c.Fatal(err)
	}
	return config
}

// signIn goes through the authorization code flow with PKCE.
func (c *connecting) signIn(config *oauth2.Config, options []oauth2.AuthCodeOption,
	connectionIDs ...string,
) *oauth2.Token {
	c.Helper()
	verifier := oauth2.GenerateVerifier()
	address := config.AuthCodeURL("state-1", append(options, oauth2.S256ChallengeOption(verifier))...)
	page, err := c.owner.Approve(c.ctx, address, connectionIDs...)
	if err != nil || page.Location == nil {
		c.Fatalf("approve: %v: %d %s", err, page.Status, page.Body)
	}
	answer := page.Location.Query()
	if answer.Get("state") != "state-1" || answer.Get("iss") != c.origin ||
		!strings.HasPrefix(page.Location.String(), config.RedirectURL) {
		c.Errorf("sent back to %s", page.Location)
	}
	token, err := config.Exchange(c.ctx, answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		c.Fatal(err)
	}
	c.keep(token)
	return token
}

func (c *connecting) keep(token *oauth2.Token) {
	c.secrets = append(c.secrets, token.AccessToken)
	if token.RefreshToken != "" {
		c.secrets = append(c.secrets, token.RefreshToken)
	}
}

// readable asks GET /v1/schema, and lists the connections that it names.
func (c *connecting) readable(token string) (int, []string) {
	c.Helper()
	var schema struct {
		Connectors []struct {
			Connections []struct {
				ID string `json:"connection_id"`
			} `json:"granted_connections"`
		} `json:"connectors"`
	}
	status := c.get(c.origin+"/v1/schema?view=compact", token, &schema)
	var ids []string
	for _, connector := range schema.Connectors {
		for _, connection := range connector.Connections {
			ids = append(ids, connection.ID)
		}
	}
	return status, ids
}

func (c *connecting) get(address, token string, into any) int {
	c.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet, address, nil)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return c.send(request, into)
}

func (c *connecting) postForm(path string, form url.Values, into any) int {
	c.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if path == "/introspect" {
		caller := c.box.Authorization().Caller()
		request.SetBasicAuth(caller.ID, caller.Secret)
	}
	return c.send(request, into)
}

func (c *connecting) send(request *http.Request, into any) int {
	c.Helper()
	response, err := (&http.Client{Transport: c.network}).Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		c.Fatalf("%s: %v: %s", request.URL.Path, err, body)
	}
	return response.StatusCode
}

// introspected has the members of an introspection response that the adapter reads.
type introspected struct {
	Active    bool            `json:"active"`
	Kind      string          `json:"pdpp_token_kind"`
	GrantID   string          `json:"grant_id"`
	PackageID string          `json:"grant_package_id"`
	ClientID  string          `json:"client_id"`
	Audience  json.RawMessage `json:"aud"`
	Package   struct {
		Client struct {
			Display struct{ Name string } `json:"client_display"`
		} `json:"client"`
		Members []struct {
			Status       string `json:"status"`
			GrantID      string `json:"grant_id"`
			ConnectionID string `json:"connection_id"`
			AccessToken  string `json:"access_token"`
		} `json:"members"`
	} `json:"package"`
}

func (c *connecting) introspect(token string) introspected {
	c.Helper()
	var answer introspected
	if status := c.postForm("/introspect", url.Values{"token": {token}}, &answer); status != http.StatusOK {
		c.Fatalf("introspection answered %d", status)
	}
	return answer
}
