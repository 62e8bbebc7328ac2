package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// largestMetadata bounds a document in bytes (interfaces.md, Limits).
const largestMetadata = 256 << 10

// checkResourceMetadata reads where the provider sends clients to be authorized (RFC 9728).
func (e *examination) checkResourceMetadata(ctx context.Context) Finding {
	var document struct {
		Resource             string   `json:"resource"`
		AuthorizationServers []string `json:"authorization_servers"`
	}
	address := wellKnown(e.address, "oauth-protected-resource")
	if finding := e.readDocument(ctx, address, &document); finding.State != OK {
		return finding
	}
	look := curl(address)
	switch resource, err := credential.ParseProviderURL(document.Resource); {
	case len(document.AuthorizationServers) == 0:
		return failed(credential.Configuration, look, "it names no authorization server")
	case err != nil:
		return failed(credential.Configuration, look, "it does not say which resource it describes")
	case resource != e.provider: // RFC 9728, section 3.3
		return failed(credential.Usage, doctorCommand(resource), "it describes %s, not %s", resource, e.provider)
	}
	e.issuer = document.AuthorizationServers[0]
	return ok("authorization server %s", e.issuer)
}

// checkAuthorizationServer reads how a client gets a credential (RFC 8414).
func (e *examination) checkAuthorizationServer(ctx context.Context) Finding {
	issuer, err := url.Parse(e.issuer)
	look := curl(wellKnown(e.address, "oauth-protected-resource"))
	if err != nil || issuer.Hostname() == "" || issuer.User != nil {
		return failed(credential.Configuration, look, "the resource metadata names an authorization server that is not a URL")
	}
	if issuer.Scheme != "https" && (issuer.Scheme != "http" || !mcphost.Loopback(issuer.Hostname())) {
		return failed(credential.Configuration, look, "%s is not reached over https", e.issuer)
	}
	var document struct {
		Issuer       string `json:"issuer"`
		AgentConnect string `json:"agent_connect_endpoint"`
		Discovery    struct {
			AgentConnect string `json:"agent_connect_endpoint"`
		} `json:"pdpp_agent_discovery"`
		Device string `json:"device_authorization_endpoint"`
	}
	address := wellKnown(issuer, "oauth-authorization-server")
	if finding := e.readDocument(ctx, address, &document); finding.State != OK {
		return finding
	}
	if strings.TrimRight(document.Issuer, "/") != strings.TrimRight(e.issuer, "/") { // RFC 8414, section 3.3
		return failed(credential.Configuration, curl(address), "its metadata is of another issuer")
	}
	var ways []string
	if document.AgentConnect+document.Discovery.AgentConnect != "" {
		ways = append(ways, "agent connect")
	}
	if document.Device != "" {
		ways = append(ways, "device authorization")
	}
	if len(ways) == 0 {
		return note("", "%s offers neither agent connect nor device authorization, so pdpp-mcp connect cannot be used", e.issuer)
	}
	return ok("%s", strings.Join(ways, ", "))
}

// readDocument decodes a JSON object, without a bearer. Its finding is OK when that went well.
func (e *examination) readDocument(ctx context.Context, address string, document any) Finding {
	look := curl(address)
	response, err := e.get(ctx, address)
	if err != nil {
		return failed(credential.Unreachable, look, "%s cannot be reached: %s", address, unanswered(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return failed(credential.Unreachable, look, "%s answered %d", address, response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, largestMetadata+1))
	switch {
	case err != nil:
		return failed(credential.Unreachable, look, "%s broke off: %s", address, unanswered(err))
	case len(body) > largestMetadata:
		return failed(credential.Unreachable, look, "%s is larger than %d bytes", address, largestMetadata)
	}
	if err := json.Unmarshal(body, document); err != nil {
		return failed(credential.Unreachable, look, "%s is not the JSON that it should be", address)
	}
	return Finding{State: OK}
}

func (e *examination) get(ctx context.Context, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "pdpp-mcp")
	return e.client.Do(request)
}

// wellKnown puts the well-known part between host and path (RFC 9728 and RFC 8414, section 3.1).
func wellKnown(base *url.URL, name string) string {
	return base.Scheme + "://" + base.Host + "/.well-known/" + name + strings.TrimRight(base.EscapedPath(), "/")
}
