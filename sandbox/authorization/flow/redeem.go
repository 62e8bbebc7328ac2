package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// redeem answers the token endpoint, which exchanges codes, device codes and refresh tokens for access tokens.
func (f *Flow) redeem(w http.ResponseWriter, r *http.Request) {
	granted, a := f.redeemed(r)
	code, _ := a.refusal()
	switch {
	case granted != nil:
		respond.JSON(w, http.StatusOK, granted)
	case errors.Is(a.cause, errReused):
		respond.ReusedToken(w, "Refresh token reuse revoked its family; fresh authorization is required")
	case code == string(goidc.ErrorCodeInvalidGrant) && r.PostForm.Get("grant_type") == string(goidc.GrantRefreshToken):
		respond.OAuthError(w, http.StatusBadRequest, code, "Refresh token is invalid")
	default:
		a.writeRefusal(w)
	}
}

// redeemed has the library issue a token, and adds the id of its grant or package. It returns nil if the library
// refused.
func (f *Flow) redeemed(r *http.Request) (members, *answer) {
	a := f.askAlone(r)
	if !a.ok() {
		return nil, a
	}
	granted := a.object()
	var token string
	_ = json.Unmarshal(granted["access_token"], &token) // the library wrote it
	issued, _ := f.keeper.Issued(token)
	if issued.Approved.GrantID != "" {
		granted["grant_id"] = quoted(issued.Approved.GrantID)
	}
	if issued.Approved.PackageID != "" {
		granted["grant_package_id"] = quoted(issued.Approved.PackageID)
	}
	return granted, a
}

// askAlone has the library answer while no other token request runs.
func (f *Flow) askAlone(r *http.Request) *answer {
	_ = r.ParseForm() // reads the whole body before the lock is held; the library refuses what cannot be parsed
	f.redeeming.Lock()
	defer f.redeeming.Unlock()
	return f.ask(r)
}

// revoke answers the revocation endpoint (RFC 7009). An unknown token counts as revoked.
func (f *Flow) revoke(w http.ResponseWriter, r *http.Request) {
	a := f.askAlone(r)
	if !a.ok() && !f.keeper.RevokeReady(r.PostFormValue("token"), r.PostFormValue("client_id")) {
		a.writeRefusal(w)
		return
	}
	respond.JSON(w, http.StatusOK, members{})
}

// authorizeDevice answers the device authorization endpoint (RFC 8628).
func (f *Flow) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	if _, err := requestedDetails(r.PostFormValue("authorization_details")); err != nil {
		respond.OAuthError(w, http.StatusBadRequest, "invalid_authorization_details", err.Error())
		return
	}
	device, a := f.startedDevice(r)
	if device == nil {
		a.writeRefusal(w)
		return
	}
	respond.JSON(w, http.StatusOK, device)
}

// startedDevice has the library start a device authorization, and adds the page that has the user code
// filled in. It returns nil if the library refused.
func (f *Flow) startedDevice(r *http.Request) (members, *answer) {
	a := f.ask(r)
	if !a.ok() {
		return nil, a
	}
	device := a.object()
	var userCode string
	_ = json.Unmarshal(device["user_code"], &userCode) // the library wrote it
	device["verification_uri_complete"] = quoted(f.issuer + VerificationPath + "?user_code=" + userCode)
	device["interval"] = json.RawMessage(fmt.Sprint(pollInterval))
	return device, a
}

// requestedDetails decodes the parameter authorization_details, which the library passes over when it
// cannot read it. An empty parameter counts as absent.
func requestedDetails(parameter string) ([]json.RawMessage, error) {
	if strings.TrimSpace(parameter) == "" {
		return nil, nil
	}
	var details []json.RawMessage
	if err := json.Unmarshal([]byte(parameter), &details); err != nil {
		return nil, fmt.Errorf("authorization_details must be a JSON array of objects: %w", err)
	}
	for i, detail := range details {
		if err := json.Unmarshal(detail, &members{}); err != nil {
			return nil, fmt.Errorf("authorization_details[%d] must be an object: %w", i, err)
		}
	}
	return details, nil
}
