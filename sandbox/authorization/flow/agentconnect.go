package flow

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// attemptLifetime is the retention time of an attempt and its answer. It equals the lifetime of a device code.
const attemptLifetime = 300 * time.Second

// deviceGrant is the grant type of RFC 8628.
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// attempts holds the pending requests of agents. Agent connect is PDPP's way to request access with two JSON
// requests; here it uses a device authorization whose codes the agent does not see.
type attempts struct {
	clock func() time.Time

	// polling lets one poll in at a time, so that two do not redeem the same device code: the second
	// would end what the first was given.
	polling sync.Mutex

	mu   sync.Mutex
	byID map[string]attempt
}

type attempt struct {
	pollingCode string
	clientID    string
	deviceCode  string
	expiresAt   time.Time
	answer      members // after the owner approved; polled again it is the same
}

func newAttempts(clock func() time.Time) *attempts {
	return &attempts{clock: clock, byID: map[string]attempt{}}
}

func (a *attempts) save(id string, saved attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for old, known := range a.byID {
		if !a.clock().Before(known.expiresAt.Add(time.Hour)) {
			delete(a.byID, old)
		}
	}
	a.byID[id] = saved
}

// find requires the polling code in addition to the id, because the id is part of URLs.
func (a *attempts) find(id, pollingCode string) (attempt, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, known := a.byID[id]
	same := subtle.ConstantTimeCompare([]byte(found.pollingCode), []byte(pollingCode)) == 1
	return found, known && same
}

// hasDevice reports whether a device code belongs to an agent's request.
func (a *attempts) hasDevice(code string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, each := range a.byID {
		if each.deviceCode == code {
			return true
		}
	}
	return false
}

// agentRequest is the body that starts an attempt.
type agentRequest struct {
	ClientID   string          `json:"client_id"` // empty: the agent is registered on the way
	ClientName string          `json:"client_name"`
	Resource   string          `json:"resource"`
	Scope      string          `json:"scope"`
	Details    json.RawMessage `json:"authorization_details"`
	RequestURI string          `json:"request_uri"` // of a pushed request, in place of the client and the details
}

// agentAttempt is the answer that starts an attempt: what the agent shows to the owner, and how it polls.
type agentAttempt struct {
	Object      string `json:"object"`
	ID          string `json:"id"`
	Status      string `json:"status"`
	ApprovalURL string `json:"approval_url"`
	PollURL     string `json:"poll_url"`
	TokenURL    string `json:"token_url"`
	PollingCode string `json:"polling_code"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	Interval    int    `json:"interval"`   // seconds
}

// startAgentConnect answers POST /agent-connect.
func (f *Flow) startAgentConnect(w http.ResponseWriter, r *http.Request) {
	var asked agentRequest
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "The body must be a JSON object: "+err.Error())
		return
	}
	if asked.RequestURI != "" {
		pushed, found := f.pushed.take(asked.RequestURI)
		if !found {
			respond.Error(w, http.StatusBadRequest, "invalid_request", "request_uri is unknown or has expired")
			return
		}
		asked.ClientID, asked.Details = pushed.clientID, json.RawMessage(pushed.details)
	}
	if asked.ClientID == "" {
		registered, a := f.registered(r, members{"client_name": quoted(asked.ClientName)})
		if registered == nil {
			refuseAgent(w, a)
			return
		}
		_ = json.Unmarshal(registered["client_id"], &asked.ClientID) // the library wrote it
	}
	details := ""
	if len(asked.Details) > 0 && string(asked.Details) != "null" {
		details = string(asked.Details)
	}
	if _, err := requestedDetails(details); err != nil {
		respond.Error(w, http.StatusBadRequest, "invalid_authorization_details", err.Error())
		return
	}
	device, a := f.startedDevice(formRequest(r.Context(), DeviceAuthorizationPath, map[string]string{
		"client_id": asked.ClientID, "scope": asked.Scope, "resource": asked.Resource, "authorization_details": details,
	}))
	if device == nil {
		refuseAgent(w, a)
		return
	}
	respond.JSON(w, http.StatusCreated, f.newAttempt(asked.ClientID, device))
}

func (f *Flow) newAttempt(clientID string, device members) agentAttempt {
	var deviceCode, approvalURL string
	_ = json.Unmarshal(device["device_code"], &deviceCode)
	_ = json.Unmarshal(device["verification_uri_complete"], &approvalURL)
	id, pollingCode := "agc_"+opaque.Text(), "agc_poll_"+opaque.Text()
	f.attempts.save(id, attempt{
		pollingCode: pollingCode, clientID: clientID, deviceCode: deviceCode, expiresAt: f.clock().Add(attemptLifetime),
	})
	poll := f.issuer + AgentConnectPath + "/" + id + "/token"
	return agentAttempt{
		Object: "agent_connect_attempt", ID: id, Status: "pending", ApprovalURL: approvalURL, PollURL: poll, TokenURL: poll,
		PollingCode: pollingCode, ExpiresIn: int(attemptLifetime.Seconds()), Interval: pollInterval,
	}
}

// agentPending is the response to a poll before the owner has decided.
type agentPending struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	Interval    int    `json:"interval"` // seconds
	Status      string `json:"status"`
}

// pollAgentConnect answers POST /agent-connect/{id}/token.
func (f *Flow) pollAgentConnect(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		PollingCode string `json:"polling_code"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "The body must be a JSON object: "+err.Error())
		return
	}
	f.attempts.polling.Lock()
	defer f.attempts.polling.Unlock()
	id := r.PathValue("id")
	known, found := f.attempts.find(id, asked.PollingCode)
	if !found {
		respond.Error(w, http.StatusUnauthorized, "invalid_grant", "Unknown agent-connect polling handle")
		return
	}
	if !f.clock().Before(known.expiresAt) {
		// The library must not hear of a late poll: it would revoke what the agent may already have.
		respond.Error(w, http.StatusGone, "expired_token", "The attempt has expired; start a new one")
		return
	}
	if known.answer != nil {
		respond.JSON(w, http.StatusOK, known.answer)
		return
	}
	granted, a := f.redeemed(formRequest(r.Context(), TokenPath, map[string]string{
		"grant_type": deviceGrant, "client_id": known.clientID, "device_code": known.deviceCode,
	}))
	if granted == nil {
		f.refusePoll(w, a, known)
		return
	}
	known.answer = f.agentAnswer(granted)
	f.attempts.save(id, known)
	respond.JSON(w, http.StatusOK, known.answer)
}

// agentAnswer returns the token with its grant. It has no refresh token, because agents store none.
func (f *Flow) agentAnswer(granted members) members {
	var token string
	_ = json.Unmarshal(granted["access_token"], &token)
	given := members{
		"access_token": granted["access_token"], "token_type": granted["token_type"],
		"expires_in": granted["expires_in"],
	}
	for _, name := range []string{"grant_id", "grant_package_id"} {
		if value, has := granted[name]; has {
			given[name] = value
		}
	}
	if issued, found := f.keeper.Issued(token); found && len(issued.Approved.Document) > 0 {
		given["grant"] = issued.Approved.Document
	}
	return given
}

func (f *Flow) refusePoll(w http.ResponseWriter, a *answer, known attempt) {
	switch code, _ := a.refusal(); code {
	case "authorization_pending", "slow_down":
		description := "Owner approval is still pending"
		if code == "slow_down" {
			description = "Polling too quickly"
		}
		respond.JSON(w, http.StatusAccepted, agentPending{
			Error: code, Description: description, Status: "pending",
			Interval: int(f.sessions.interval(known.deviceCode).Seconds()),
		})
	case "access_denied":
		respond.Error(w, http.StatusForbidden, code, "Owner denied the scoped access request")
	default:
		refuseAgent(w, a)
	}
}

func refuseAgent(w http.ResponseWriter, a *answer) {
	code, description := a.refusal()
	status := http.StatusBadRequest
	if code == "server_error" {
		status = http.StatusInternalServerError
	}
	respond.Error(w, status, code, description)
}

// formRequest returns a request to the library's handler, without the values that are empty.
func formRequest(ctx context.Context, path string, values map[string]string) *http.Request {
	form := url.Values{}
	for name, value := range values {
		if value != "" {
			form.Set(name, value)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(form.Encode()))
	if err != nil {
		panic(err) // method and path are constants
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}
