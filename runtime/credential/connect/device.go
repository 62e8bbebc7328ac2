package connect

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"
)

// deviceStarted is the answer of the device authorization endpoint (RFC 8628, section 3.2).
type deviceStarted struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	Complete        string `json:"verification_uri_complete"` // with the code filled in
	ExpiresIn       int64  `json:"expires_in"`                // seconds
	Interval        int64  `json:"interval"`                  // seconds
}

// deviceAuthorization runs the flow of RFC 8628. It always names the resource: without it, a PDPP server may treat the request as one
// of the owner's own devices.
func (s *signIn) deviceAuthorization(ctx context.Context) (*issued, error) {
	client, err := s.requireClient(ctx, registration{GrantTypes: []string{deviceGrant}})
	if err != nil {
		return nil, err
	}
	form := url.Values{"client_id": {client.ClientID}, "resource": {s.hostedResource(ctx)}}
	if s.Access.namesAnything() || !s.server.ownerChooses() {
		form.Set("authorization_details", s.detailsText())
	}
	sentAt := time.Now()
	response, err := s.requester.postForm(ctx, s.server.DeviceAuthorization, form)
	var started deviceStarted
	if err := s.decodeSuccess(response, err, &started); err != nil {
		return nil, err
	}
	page := cmp.Or(started.Complete, started.VerificationURI)
	if page == "" || started.DeviceCode == "" {
		return nil, protocolError(response.url, "started a device authorization without device_code or verification_uri", nil)
	}
	if err := s.requester.endpoint("verification_uri", &page); err != nil {
		return nil, err
	}
	waiting := newWaiting(sentAt, started.Interval, started.ExpiresIn)
	s.announce(Approval{URL: page, UserCode: printable(started.UserCode), ExpiresAt: waiting.expiresAt})
	form = url.Values{"grant_type": {deviceGrant}, "device_code": {started.DeviceCode}, "client_id": {client.ClientID}}
	granted, err := s.poll(ctx, waiting, started.DeviceCode, func() (*answer, error) { // RFC 8628, section 3.4
		return s.requester.postForm(ctx, s.server.Token, form)
	})
	if err != nil {
		return nil, err
	}
	return granted.issued(client)
}

// hostedResource returns the provider's hosted MCP server, if the provider describes one. Authorization servers refuse a device
// authorization for another resource, and its token reads at the resource server too (captures 005, 565 and 569b).
func (s *signIn) hostedResource(ctx context.Context) string {
	var described resourceMetadata
	hosted := s.requester.provider + "/mcp"
	err := s.requester.metadata(ctx, MetadataURL(s.requester.provider)+"/mcp", &described)
	if err != nil || described.Resource != hosted || !slices.Contains(described.AuthorizationServers, s.server.Issuer) {
		return s.server.resource
	}
	return hosted
}
