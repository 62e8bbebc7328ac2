package flow

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
)

// ownerCookie ties a consent form to the browser that it was shown in. It does not sign anyone in.
const ownerCookie = "pdpp_sandbox_browser"

// The values of the consent form's buttons.
const (
	decisionField  = "decision"
	decideApprove  = "approve"
	decideDeny     = "deny"
	choiceField    = "connection_id"
	formTokenField = "form_token"
)

// consent is the library's authentication policy: it shows the consent page until the owner has decided.
// The sandbox's owner is always signed in.
func (f *Flow) consent(w http.ResponseWriter, r *http.Request, session *goidc.AuthnSession,
	client *goidc.Client,
) (goidc.Status, error) {
	if err := checkSession(r, session); err != nil {
		return goidc.StatusFailure, err
	}
	details, err := rawDetails(session.AuthDetails)
	if err != nil {
		return goidc.StatusFailure, err
	}
	if err := f.keeper.CheckInstances(details); err != nil {
		return goidc.StatusPending, writeMessage(w, http.StatusBadRequest, "This request cannot be decided", err.Error()+
			" The application has to ask anew and name what it means in instance_ids.")
	}
	choices := f.keeper.Choices(details)
	if len(choices) == 0 {
		return goidc.StatusFailure,
			goidc.NewError(goidc.ErrorCodeInvalidAuthDetails, "No connection has what authorization_details asks for")
	}
	answered := r.Method == http.MethodPost && r.PathValue("callback") != ""
	if !answered {
		return goidc.StatusPending, f.showConsent(w, r, session, client, choices, "")
	}
	if !f.fromOwnForm(r, session.ID) {
		return goidc.StatusPending, f.showConsent(w, r, session, client, choices,
			"This form was shown in another browser or has been opened for too long. Please decide again.")
	}
	if r.PostFormValue(decisionField) != decideApprove {
		return goidc.StatusFailure, goidc.NewError(goidc.ErrorCodeAccessDenied, "The owner denied the request")
	}
	chosen := chosenOf(choices, r.PostForm[choiceField])
	switch {
	case len(chosen) == 0:
		return goidc.StatusPending, f.showConsent(w, r, session, client, choices, "Choose a connection, or deny the request.")
	case len(chosen) > 1 && f.readsOneConnection(session):
		return goidc.StatusPending,
			f.showConsent(w, r, session, client, choices,
				"This application can read one connection. Choose one, or deny the request.")
	}
	return f.approve(session, client, chosen, details)
}

// readsOneConnection reports whether the client cannot use a package, which is what an approval of several connections
// becomes if the request names no source. Devices get tokens of one grant, and only an MCP endpoint reads packages.
func (f *Flow) readsOneConnection(session *goidc.AuthnSession) bool {
	isEndpoint := func(resource string) bool { return strings.HasSuffix(resource, "/mcp") }
	isDevice := session.DeviceCode != "" && !f.attempts.hasDevice(session.DeviceCode)
	return !f.anyChoice && len(session.AuthDetails) == 0 &&
		(isDevice || len(session.Resources) > 0 && !slices.ContainsFunc(session.Resources, isEndpoint))
}

// approve makes the grants that the owner agreed to, and stores them in the session for later tokens.
func (f *Flow) approve(session *goidc.AuthnSession, client *goidc.Client, connectionIDs []string,
	details []json.RawMessage,
) (goidc.Status, error) {
	approved, err := f.keeper.Approve(Approval{
		ClientID: client.ID, ClientName: client.Name, ConnectionIDs: connectionIDs, Details: details,
	})
	if err != nil {
		return goidc.StatusFailure, fmt.Errorf("make the grant: %w", err)
	}
	session.Subject = "owner"
	session.GrantedScopes = Scope
	session.GrantedResources = session.Resources
	if err := json.Unmarshal(approved.Details, &session.GrantedAuthDetails); len(approved.Details) > 0 && err != nil {
		return goidc.StatusFailure, fmt.Errorf("say what was granted: %w", err)
	}
	session.Store[approvedKey] = approved
	return goidc.StatusSuccess, nil
}

// checkSession refuses requests that the library accepts and PDPP does not.
func checkSession(r *http.Request, session *goidc.AuthnSession) error {
	if session.DeviceCode == "" && session.CodeChallengeMethod != goidc.CodeChallengeMethodSHA256 {
		// Without a method RFC 7636 means plain, the library S256.
		return goidc.NewError(goidc.ErrorCodeInvalidRequest, "code_challenge_method must be S256")
	}
	if _, err := requestedDetails(r.FormValue("authorization_details")); err != nil {
		return goidc.NewError(goidc.ErrorCodeInvalidAuthDetails, err.Error())
	}
	return nil
}

// checkDetail is the library's validator of one element of authorization_details.
func (f *Flow) checkDetail(_ context.Context, detail goidc.AuthDetail) error {
	raw, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("encode an authorization detail: %w", err)
	}
	return f.keeper.CheckDetail(raw)
}

func rawDetails(details []goidc.AuthDetail) ([]json.RawMessage, error) {
	var raw []json.RawMessage
	for _, detail := range details {
		encoded, err := json.Marshal(detail)
		if err != nil {
			return nil, fmt.Errorf("encode an authorization detail: %w", err)
		}
		raw = append(raw, encoded)
	}
	return raw, nil
}

// chosenOf returns the ids that are among the choices, each once and in the choices' order.
func chosenOf(choices []Choice, ticked []string) []string {
	var chosen []string
	for _, choice := range choices {
		if slices.Contains(ticked, choice.ConnectionID) {
			chosen = append(chosen, choice.ConnectionID)
		}
	}
	return chosen
}

// formToken returns the value that the form of a session, shown to a browser, must send back.
func (f *Flow) formToken(browser, sessionID string) string {
	mac := hmac.New(sha256.New, f.formKey)
	mac.Write([]byte(browser + "\n" + sessionID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// fromOwnForm reports whether a decision was made on the page that this server showed this browser.
func (f *Flow) fromOwnForm(r *http.Request, sessionID string) bool {
	cookie, err := r.Cookie(ownerCookie)
	return err == nil && cookie.Value != "" &&
		hmac.Equal([]byte(r.PostFormValue(formTokenField)), []byte(f.formToken(cookie.Value, sessionID)))
}

// browser returns the value that identifies a browser, and sets the cookie if it is missing.
func (f *Flow) browser(w http.ResponseWriter, r *http.Request) string {
	if cookie, err := r.Cookie(ownerCookie); err == nil && cookie.Value != "" {
		return cookie.Value
	}
	value := opaque.Text()
	http.SetCookie(w, &http.Cookie{
		Name: ownerCookie, Value: value, Path: prefix, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(f.issuer, "https:"),
	})
	return value
}
