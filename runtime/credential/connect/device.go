package connect

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// deviceStarted is the answer of the device authorization endpoint (RFC 8628, section 3.2).
type deviceStarted struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	Complete        string `json:"verification_uri_complete"`
	ExpiresIn       int64  `json:"expires_in"` // seconds
	Interval        int64  `json:"interval"`   // seconds
}

// deviceAuthorization asks by RFC 8628. The resource is always named: without it, a PDPP server may take the
// request for one of the owner's own devices.
func (s *signIn) deviceAuthorization(ctx context.Context) (*issued, error) {
	client, err := s.client(ctx, deviceGrant)
	if err != nil {
		return nil, err
	}
	if client.ClientID == "" {
		return nil, &credential.Error{
			Class:    credential.Configuration,
			Message:  s.server.issuer + " registers no clients: its metadata have no registration_endpoint",
			NextStep: "ask who runs the provider for a public client, and pass its id with --client-id",
		}
	}
	form := url.Values{"client_id": {client.ClientID}, "resource": {s.server.resource}}
	if s.namesAnything() || !s.server.ownerChooses {
		details, err := json.Marshal(s.details())
		if err != nil {
			return nil, &credential.Error{Class: credential.Internal, Message: "a request could not be encoded", Cause: err}
		}
		form.Set("authorization_details", string(details))
	}
	began := time.Now()
	answer, err := s.asker.postForm(ctx, s.server.deviceAuthorization, form)
	if err != nil {
		return nil, err
	}
	if !answer.isSuccess() {
		return nil, s.failed(answer.refused())
	}
	var started deviceStarted
	if err := answer.decode(&started); err != nil {
		return nil, err
	}
	page, err := s.verificationPage(&started, answer.from)
	if err != nil {
		return nil, err
	}
	waiting := newWaiting(began, started.Interval, started.ExpiresIn)
	s.announce(Approval{URL: page, UserCode: shown(started.UserCode, nil), ExpiresAt: waiting.expiresAt})
	token, err := s.pollDevice(ctx, client.ClientID, started.DeviceCode, waiting)
	if err != nil {
		return nil, err
	}
	return deviceIssued(client, token, s.server.token)
}

// verificationPage prefers the address that has the code filled in.
func (s *signIn) verificationPage(started *deviceStarted, from string) (string, error) {
	page := started.Complete
	if page == "" {
		page = started.VerificationURI
	}
	if page == "" || started.DeviceCode == "" {
		return "", unfit(from, "began a device authorization without device_code or verification_uri", nil)
	}
	return s.asker.endpoint("verification_uri", page)
}

// pollDevice leaves the polling to the library, and begins again where the network failed.
func (s *signIn) pollDevice(ctx context.Context, clientID, deviceCode string, waiting *waiting) (*oauth2.Token, error) {
	watched := &slowDowns{RoundTripper: s.asker.client.Transport}
	client := *s.asker.client
	client.Transport = watched
	config := &oauth2.Config{ClientID: clientID, Endpoint: oauth2.Endpoint{TokenURL: s.server.token, AuthStyle: oauth2.AuthStyleInParams}}
	for {
		token, err := config.DeviceAccessToken(context.WithValue(ctx, oauth2.HTTPClient, &client), &oauth2.DeviceAuthResponse{
			DeviceCode: deviceCode, Expiry: waiting.expiresAt,
			Interval: int64(waiting.paceAfter(watched) / time.Second),
		})
		switch {
		case err == nil:
			return token, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !time.Now().Before(waiting.expiresAt):
			return nil, s.expired(err)
		}
		if err = s.devicePollFailed(ctx, err, deviceCode); !waiting.failed(err) {
			return nil, err
		}
	}
}

// slowDowns counts how often the server asked to slow down, since the library forgets it when it begins again.
type slowDowns struct {
	http.RoundTripper
	count    atomic.Int64
	answered atomic.Bool // since paceAfter looked
}

func (s *slowDowns) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.RoundTripper.RoundTrip(request)
	if err != nil || response.StatusCode >= http.StatusInternalServerError {
		return response, err
	}
	s.answered.Store(true)
	if response.StatusCode == http.StatusBadRequest {
		answer, err := readAnswer(response)
		if err != nil {
			return nil, err
		}
		if answer.refused().code == codeSlowDown {
			s.count.Add(1)
		}
	}
	return response, nil
}

// paceAfter is the interval to begin again with.
func (w *waiting) paceAfter(watched *slowDowns) time.Duration {
	if watched.answered.Swap(false) {
		w.failures = min(w.failures, 1) // answers came in between
	}
	slowed := time.Duration(watched.count.Load()) * slowDownStep
	return min(w.interval<<w.failures+slowed, longestInterval)
}

// devicePollFailed types the library's error. Its text is not kept: it may repeat the body of the answer.
func (s *signIn) devicePollFailed(ctx context.Context, err error, deviceCode string) error {
	var refusedBy *oauth2.RetrieveError
	var network *url.Error
	switch {
	case errors.As(err, &refusedBy):
		a := &answer{from: s.server.token, status: refusedBy.Response.StatusCode, body: refusedBy.Body}
		if fault := statusFault(a.from, a.status); fault != nil {
			return fault
		}
		return s.failed(a.refused(deviceCode))
	case errors.As(err, &network):
		return unanswered(ctx, s.server.token, err)
	}
	return unfit(s.server.token, "answered with something that is no token", nil)
}

// readAnswer reads a body that bounded holds in memory, and leaves it to be read again.
func readAnswer(response *http.Response) (*answer, error) {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = replay(body)
	return &answer{status: response.StatusCode, body: body}, nil
}

func deviceIssued(client credential.Client, token *oauth2.Token, from string) (*issued, error) {
	text := func(name string) string {
		value, _ := token.Extra(name).(string) // absent and mistyped are the same: not said
		return value
	}
	given := &issued{
		client: client, grantID: text("grant_id"), packageID: text("grant_package_id"), scope: text("scope"), expiresAt: token.Expiry,
	}
	stated := func(name string) json.RawMessage {
		value, err := json.Marshal(token.Extra(name)) // which is of JSON, or nil
		if err != nil {
			return nil
		}
		return value
	}
	if err := given.setKind(stated, from); err != nil {
		return nil, err
	}
	// The library would take a member of the same name in other letters.
	return given, given.setToken(text("access_token"), text("token_type"), from)
}
