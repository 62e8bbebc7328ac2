package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// How polling behaves. The default interval and the step of slow_down are those of RFC 8628, sections 3.2 and 3.5.
const (
	defaultInterval = 5 * time.Second
	slowDownStep    = 5 * time.Second
	maxInterval     = 5 * time.Minute
	defaultExpiry   = 5 * time.Minute
	maxExpiry       = 24 * time.Hour

	maxFailures = 5 // consecutive polls without a response
)

// attempt is a request that waits for the owner's decision, by agent connect or device authorization (RFC 8628, section
// 3.2).
type attempt struct {
	ApprovalURL string `json:"approval_url"`
	PollURL     string `json:"poll_url"`
	TokenURL    string `json:"token_url"`
	PollingCode string `json:"polling_code"`

	VerificationURI string `json:"verification_uri"`
	Complete        string `json:"verification_uri_complete"` // with the code filled in
	DeviceCode      string `json:"device_code"`

	UserCode  string `json:"user_code"`
	ExpiresIn count  `json:"expires_in"` // seconds
	Interval  count  `json:"interval"`   // seconds

	sentAt time.Time
}

type agentRequest struct {
	ClientID   string              `json:"client_id,omitempty"`
	RequestURI string              `json:"request_uri,omitempty"`
	Resource   string              `json:"resource,omitempty"`
	Scope      string              `json:"scope,omitempty"`
	ClientName string              `json:"client_name,omitempty"`
	Details    []credential.Detail `json:"authorization_details,omitempty"`
}

func (s *signIn) agentConnect(ctx context.Context) (*issued, error) {
	client, err := s.client(ctx, registration{})
	if err != nil {
		return nil, err
	}
	request, err := s.agentRequest(ctx, client)
	if err != nil {
		return nil, err
	}
	started := attempt{sentAt: time.Now()}
	response, err := s.requester.postJSON(ctx, s.server.AgentConnectEndpoint, request)
	if err := s.decodeSuccess(response, err, &started); err != nil {
		return nil, err
	}
	poll := cmp.Or(started.PollURL, started.TokenURL)
	if started.ApprovalURL == "" || poll == "" || started.PollingCode == "" {
		return nil, protocolError(response.url, "started an attempt without approval_url, poll_url or polling_code", nil)
	}
	if err := cmp.Or(s.requester.endpoint("approval_url", &started.ApprovalURL), s.requester.endpoint("poll_url", &poll)); err != nil {
		return nil, err
	}
	given, err := s.await(ctx, started, started.ApprovalURL, started.PollingCode, func() (*answer, error) {
		return s.requester.postJSON(ctx, poll, map[string]string{"polling_code": started.PollingCode})
	})
	if err != nil {
		return nil, err
	}
	given.Scope = cmp.Or(given.Scope, Scope) // the requested one (RFC 6749, section 5.1)
	return given.issued(client)
}

// agentRequest pushes the parameters first if the server supports it (RFC 9126, with the JSON body of PDPP).
func (s *signIn) agentRequest(ctx context.Context, client credential.Client) (*agentRequest, error) {
	request := &agentRequest{ClientID: client.ClientID, Resource: s.server.resource, Scope: Scope, ClientName: s.ClientName}
	if !s.Access.namesAnything() {
		return request, nil
	}
	request.Details = s.details()
	if s.server.PushedAuthorization == "" {
		return request, nil
	}
	answer, err := s.requester.postJSON(ctx, s.server.PushedAuthorization, agentRequest{ClientID: client.ClientID, Details: request.Details})
	var pushed struct {
		RequestURI string `json:"request_uri"`
	}
	if err := s.decodeSuccess(answer, err, &pushed); err != nil {
		return nil, err
	}
	if pushed.RequestURI == "" {
		return nil, protocolError(answer.url, "accepted the request without a request_uri", nil)
	}
	return &agentRequest{ClientID: client.ClientID, RequestURI: pushed.RequestURI}, nil
}

// deviceAuthorization runs the flow of RFC 8628. It always names the resource: without it, a PDPP server may treat the
// request as one of the owner's own devices.
func (s *signIn) deviceAuthorization(ctx context.Context) (*issued, error) {
	client, err := s.client(ctx, registration{GrantTypes: []string{deviceGrant}})
	if err != nil {
		return nil, err
	}
	form := url.Values{"client_id": {client.ClientID}, "resource": {s.hostedResource(ctx)}}
	if s.Access.namesAnything() || !s.server.ownerChooses() {
		form.Set("authorization_details", s.detailsText())
	}
	started := attempt{sentAt: time.Now()}
	response, err := s.requester.postForm(ctx, s.server.DeviceAuthorization, form)
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
	form = url.Values{"grant_type": {deviceGrant}, "device_code": {started.DeviceCode}, "client_id": {client.ClientID}}
	given, err := s.await(ctx, started, page, started.DeviceCode, func() (*answer, error) { // RFC 8628, section 3.4
		return s.requester.postForm(ctx, s.server.Token, form)
	})
	if err != nil {
		return nil, err
	}
	return given.issued(client)
}

// hostedResource returns the provider's hosted MCP server, if the provider describes one. Authorization servers refuse
// a device authorization for another resource, and its token reads at the resource server too (captures 005, 565 and
// 569b).
func (s *signIn) hostedResource(ctx context.Context) string {
	var described resourceMetadata
	hosted := s.requester.provider + "/mcp"
	err := s.requester.metadata(ctx, MetadataURL(s.requester.provider)+"/mcp", &described)
	if err != nil || described.Resource != hosted || !slices.Contains(described.AuthorizationServers, s.server.Issuer) {
		return s.server.resource
	}
	return hosted
}

// await announces the page of an attempt and polls until the owner has decided. Errors do not show the sent code.
func (s *signIn) await(ctx context.Context, started attempt, page, code string, ask func() (*answer, error)) (*granted, error) {
	interval := cmp.Or(seconds(started.Interval, maxInterval), defaultInterval)
	expiresAt := started.sentAt.Add(cmp.Or(seconds(started.ExpiresIn, maxExpiry), defaultExpiry))
	if !userCode.MatchString(started.UserCode) {
		return nil, protocolError(s.server.Issuer, "sent a user_code that is not up to 16 letters, digits and dashes", nil)
	}
	s.announce(Approval{URL: page, UserCode: started.UserCode, ExpiresAt: expiresAt})
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Until(expiresAt)):
			return nil, s.expiredError(nil)
		case <-time.After(interval << failures): // failures back off (RFC 8628, section 3.5)
		}
		answer, err := ask()
		if err != nil {
			failure, _ := errors.AsType[*credential.Error](err)
			if failures++; failure == nil || failure.Class != credential.Unreachable || failures == maxFailures {
				return nil, err
			}
			continue
		}
		failures = 0
		given, err := s.decision(answer, code)
		if err != nil || !given.isPending {
			return given, err
		}
		wanted := seconds(given.Interval, maxInterval)
		if given.isTooFast {
			wanted = max(wanted, interval+slowDownStep)
		}
		interval = min(max(interval, wanted), maxInterval)
	}
}

// decision returns the token, or a pending response. An unknown successful response is later refused for having no
// token.
func (s *signIn) decision(answer *answer, code string) (*granted, error) {
	refused := answer.refused(code)
	switch {
	case refused.code == codePending, refused.code == codeSlowDown, refused.code == "" && answer.isSuccess():
	case refused.code == "" && answer.status == http.StatusTooManyRequests:
		return &granted{isPending: true, isTooFast: true}, nil
	case refused.code == "" && answer.status == http.StatusGone:
		return nil, s.expiredError(refused)
	default:
		return nil, s.failed(refused)
	}
	given := &granted{answer: answer}
	if err := answer.decode(given); err != nil {
		return nil, err
	}
	switch {
	case refused.code != "":
		given.isPending, given.isTooFast = true, refused.code == codeSlowDown
	case given.AccessToken != "":
	case given.Status == "denied":
		refused.code = codeDenied
		return nil, s.failed(refused)
	case given.Status == "expired":
		return nil, s.expiredError(refused)
	default:
		given.isPending = given.Status == "pending" || answer.status == http.StatusAccepted
	}
	return given, nil
}

// userCode is a code that a message to the owner may contain. Other text could pass for a sentence of the message.
var userCode = regexp.MustCompile(`^[A-Za-z0-9-]{0,16}$`)

// count is a number in JSON, or a string with a number, which some servers send. A fraction is dropped.
type count int64

func (c *count) UnmarshalJSON(data []byte) error {
	number, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if string(data) == "null" {
		return nil
	}
	if err != nil || math.IsNaN(number) {
		return &json.UnmarshalTypeError{Value: "text", Type: reflect.TypeFor[count]()}
	}
	*c = count(min(max(number, 0), float64(maxLifetime/time.Second)))
	return nil
}

// seconds returns a duration from 0 to the limit.
func seconds(number count, limit time.Duration) time.Duration {
	return min(time.Duration(number)*time.Second, limit)
}
