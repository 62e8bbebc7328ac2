package connect

import (
	"cmp"
	"context"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// agentRequest starts an attempt, with a pushed request or with its parameters.
type agentRequest struct {
	ClientID   string                `json:"client_id,omitempty"`
	RequestURI string                `json:"request_uri,omitempty"`
	Resource   string                `json:"resource,omitempty"`
	Scope      string                `json:"scope,omitempty"`
	ClientName string                `json:"client_name,omitempty"`
	Details    []authorizationDetail `json:"authorization_details,omitempty"`
}

type agentAttempt struct {
	ApprovalURL string `json:"approval_url"`
	PollURL     string `json:"poll_url"`
	TokenURL    string `json:"token_url"`
	PollingCode string `json:"polling_code"`
	UserCode    string `json:"user_code"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Interval    int64  `json:"interval"`   // seconds
}

// agentConnect runs PDPP's flow of two JSON calls.
func (s *signIn) agentConnect(ctx context.Context) (*issued, error) {
	client, err := s.client(ctx, registration{})
	if err != nil {
		return nil, err
	}
	request, err := s.agentRequest(ctx, client)
	if err != nil {
		return nil, err
	}
	sentAt := time.Now()
	response, err := s.requester.postJSON(ctx, s.server.AgentConnectEndpoint, request)
	var attempt agentAttempt
	if err := s.decodeSuccess(response, err, &attempt); err != nil {
		return nil, err
	}
	if err := s.admitAttempt(&attempt, response.url); err != nil {
		return nil, err
	}
	waiting := newWaiting(sentAt, attempt.Interval, attempt.ExpiresIn)
	s.announce(Approval{URL: attempt.ApprovalURL, UserCode: printable(attempt.UserCode), ExpiresAt: waiting.expiresAt})
	granted, err := s.poll(ctx, waiting, attempt.PollingCode, func() (*answer, error) {
		return s.requester.postJSON(ctx, attempt.PollURL, map[string]string{"polling_code": attempt.PollingCode})
	})
	if err != nil {
		return nil, err
	}
	if granted.Scope == "" {
		granted.Scope = Scope // the requested one (RFC 6749, section 5.1)
	}
	return granted.issued(client)
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

func (s *signIn) admitAttempt(attempt *agentAttempt, endpoint string) error {
	attempt.PollURL = cmp.Or(attempt.PollURL, attempt.TokenURL)
	if attempt.ApprovalURL == "" || attempt.PollURL == "" || attempt.PollingCode == "" {
		return protocolError(endpoint, "started an attempt without approval_url, poll_url or polling_code", nil)
	}
	if err := s.requester.endpoint("approval_url", &attempt.ApprovalURL); err != nil {
		return err
	}
	return s.requester.endpoint("poll_url", &attempt.PollURL)
}
