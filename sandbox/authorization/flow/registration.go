package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// everyGrantType is the default for a registration without grant_types.
var everyGrantType = []goidc.GrantType{goidc.GrantAuthorizationCode, goidc.GrantRefreshToken, goidc.GrantDeviceCode}

// GrantTypes returns the values of grant_type that the token endpoint takes.
func GrantTypes() []string {
	names := make([]string, len(everyGrantType))
	for i, grantType := range everyGrantType {
		names[i] = string(grantType)
	}
	return names
}

// libraryOnly are members of the library's registration answer that mean nothing here: there is no
// OpenID, and no endpoint to manage a registration.
var libraryOnly = []string{
	"id_token_signed_response_alg", "subject_type", "registration_access_token",
	"registration_client_uri",
}

// knownMetadata are the members that a strict registration takes (captures 500, 501 and 866).
var knownMetadata = []string{
	"application_type", "client_name", "client_uri", "contacts", "grant_types", "logo_uri", "policy_uri", "redirect_uris",
	"response_types",
	"software_id", "software_version", "token_endpoint_auth_method", "tos_uri",
}

// register answers dynamic client registration (RFC 7591).
func (f *Flow) register(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		respond.OAuthError(w, http.StatusRequestEntityTooLarge, "invalid_client_metadata",
			fmt.Sprintf("The registration is longer than %d bytes", maxBodyBytes))
		return
	}
	metadata := members{}
	if err := json.Unmarshal(body, &metadata); err != nil {
		respond.OAuthError(w, http.StatusBadRequest, "invalid_client_metadata",
			"The body must be a JSON object: "+err.Error())
		return
	}
	for name := range metadata {
		if f.strict && !slices.Contains(knownMetadata, name) {
			respond.OAuthError(w, http.StatusBadRequest, "invalid_client_metadata", "Unsupported client metadata: "+name)
			return
		}
	}
	registered, a := f.registered(r, metadata)
	if registered == nil {
		a.writeRefusal(w)
		return
	}
	respond.JSON(w, http.StatusCreated, registered)
}

// registered has the library register a client. It returns nil if the metadata was refused.
func (f *Flow) registered(r *http.Request, metadata members) (members, *answer) {
	judged, private, err := splitRedirects(metadata["redirect_uris"])
	if err != nil {
		return nil, &answer{cause: goidc.NewError(goidc.ErrorCodeInvalidRedirectURI, err.Error())}
	}
	metadata["redirect_uris"] = judged
	if _, given := metadata["grant_types"]; !given {
		metadata["grant_types"], _ = json.Marshal(everyGrantType) // strings always encode
	}
	if _, given := metadata["application_type"]; !given {
		// The library knows two types and asks of web clients that every redirect is https. A client that
		// does not say may be either.
		metadata["application_type"] = quoted(string(goidc.ApplicationTypeNative))
	}
	metadata["scope"] = quoted(Scope) // the only one there is (RFC 7591, section 3.2.1: the server may replace it)
	body, err := json.Marshal(metadata)
	if err != nil {
		return nil, &answer{cause: fmt.Errorf("encode the registration: %w", err)}
	}
	ctx := context.WithValue(r.Context(), privateURIsKey, private)
	inner, err := http.NewRequestWithContext(ctx, http.MethodPost, RegistrationPath, bytes.NewReader(body))
	if err != nil {
		return nil, &answer{cause: fmt.Errorf("pass the registration on: %w", err)}
	}
	inner.Header.Set("Content-Type", "application/json")
	a := f.ask(inner)
	if !a.ok() {
		return nil, a
	}
	registered := a.object()
	for _, name := range libraryOnly {
		delete(registered, name)
	}
	if f.strict {
		delete(registered, "scope")
	}
	registered["client_id_issued_at"] = json.RawMessage(fmt.Sprint(f.clock().Truncate(time.Second).Unix()))
	return registered, a
}

// splitRedirects separates redirects with private-use schemes. They are matched exactly, and the library would
// refuse them unless their scheme has a dot.
func splitRedirects(raw json.RawMessage) (judged json.RawMessage, private []string, err error) {
	uris := []string{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &uris); err != nil {
			return nil, nil, fmt.Errorf("redirect_uris must be an array of strings: %w", err)
		}
	}
	kept := []string{}
	for _, uri := range uris {
		if err := checkRedirectURI(uri); err != nil {
			return nil, nil, err
		}
		if isPrivateUse(uri) {
			private = append(private, uri)
		} else {
			kept = append(kept, uri)
		}
	}
	judged, err = json.Marshal(kept)
	return judged, private, err
}
