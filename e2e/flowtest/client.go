package flowtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
)

// ErrRegistration reports that a registration was refused.
var ErrRegistration = errors.New("the registration was refused")

// Redirect is the redirect URI of registered clients. Nothing listens there: tests read the Location header.
const Redirect = "http://127.0.0.1:5555/callback"

// Register registers a public client at an issuer, as an MCP client does, and returns its golang.org/x/oauth2
// configuration.
func Register(ctx context.Context, transport http.RoundTripper, issuer, name string) (*oauth2.Config, error) {
	metadata := fmt.Sprintf(`{"client_name":%q,"redirect_uris":[%q],"grant_types":["authorization_code","refresh_token",
		"urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"token_endpoint_auth_method":"none"}`, name,
		Redirect)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, issuer+"/oauth/register", strings.NewReader(metadata))
	if err != nil {
		return nil, fmt.Errorf("register at %s: %w", issuer, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, fmt.Errorf("register at %s: %w", issuer, err)
	}
	defer response.Body.Close()
	var registered struct {
		ClientID string `json:"client_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&registered); err != nil || response.StatusCode != http.StatusCreated {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrRegistration, response.Status), err)
	}
	return &oauth2.Config{
		ClientID: registered.ClientID, RedirectURL: Redirect,
		Endpoint: oauth2.Endpoint{
			AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token",
			DeviceAuthURL: issuer + "/oauth/device_authorization", AuthStyle: oauth2.AuthStyleInParams,
		},
	}, nil
}
