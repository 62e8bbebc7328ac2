package credential

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Entry is a provider with a scoped credential that its owner approved. Unknown members of its file are kept. Package fmt prints no
// token of it.
type Entry struct {
	ProviderURL         string
	AuthorizationServer string
	Scope               string
	Client              Client
	Credential          Credential
	CreatedAt           time.Time // zero: unknown
}

// Client is the OAuth client that the credential was issued to.
type Client struct {
	ClientID                string
	ClientName              string
	TokenEndpointAuthMethod string

	members hidden
}

// Credential is a scoped access token with its grant. It is one object of the file, so that another tool replaces it as a whole.
type Credential struct {
	AccessToken  rs.Secret
	RefreshToken rs.Secret // may be zero
	TokenType    string
	ExpiresAt    time.Time // zero: it does not expire, or unknown
	GrantID      string
	Scope        string
	Label        string        // the user's name for the grant; may be empty
	Details      rawjson.Value // authorization_details of the token response (RFC 9396, section 7); may be nil
	LastUsedAt   time.Time     // to the hour; zero: unknown
	RenewalBegan time.Time     // when the refresh token was sent, until an answer is known; zero: it was not sent

	members hidden
}

// hidden returns the members of a file. It is a function because package fmt prints the content of other unexported fields.
type hidden func() rawjson.Object

func hide(members rawjson.Object) hidden { return func() rawjson.Object { return members } }

func (h hidden) reveal() rawjson.Object {
	if h == nil {
		return nil
	}
	return h()
}

// HasName reports whether a name is the grant's id or label.
func (c Credential) HasName(name string) bool {
	return name != "" && (name == c.GrantID || name == c.Label)
}

// OwnerMember returns the member that marks an owner credential, otherwise an empty string (R-STDIO-3).
func (c Credential) OwnerMember() string {
	kind, member, err := rs.TokenKind(c.members.reveal().Get)
	if err != nil || kind != rs.KindOwner { // parseCredential reports the error
		return ""
	}
	return member
}

// Expired reports whether the credential has expired at that time.
func (c Credential) Expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// Usable reports whether the credential has not expired or can be refreshed.
func (c Credential) Usable(now time.Time) bool { return !c.Expired(now) || !c.RefreshToken.IsZero() }

// parseEntry returns errors that repeat no part of the file, which may be a token.
func parseEntry(members rawjson.Object) (*Entry, error) {
	file := rawjson.Reader{Object: members}
	entry := &Entry{
		ProviderURL:         file.Text("provider_url"),
		AuthorizationServer: file.Text("authorization_server"),
		Scope:               file.Text("scope"),
		CreatedAt:           readTime(&file, "created_at"),
	}
	client := rawjson.Reader{Object: file.Nested("client")}
	credential := file.Nested("credential")
	if credential == nil {
		file.Fail(errors.New("member credential is missing"))
	}
	if file.Err != nil {
		return nil, file.Err
	}
	entry.Client = Client{
		ClientID:                client.Text("client_id"),
		ClientName:              client.Text("client_name"),
		TokenEndpointAuthMethod: client.Text("token_endpoint_auth_method"),
		members:                 hide(client.Object),
	}
	if client.Err != nil {
		return nil, client.Err
	}
	var err error
	entry.Credential, err = parseCredential(credential)
	return entry, err
}

func parseCredential(members rawjson.Object) (Credential, error) {
	reader := rawjson.Reader{Object: members}
	credential := Credential{
		TokenType:  reader.Text("token_type"),
		ExpiresAt:  readTime(&reader, "expires_at"),
		GrantID:    reader.Text("grant_id"),
		Scope:      reader.Text("scope"),
		Label:      reader.Text("label"),
		Details:    members.Get("authorization_details"),
		LastUsedAt: readTime(&reader, "last_used_at"),
		members:    hide(members),

		RenewalBegan: readTime(&reader, "renewal_began_at"),
	}
	value, refresh := reader.Text("access_token"), reader.Text("refresh_token")
	if reader.Err != nil {
		return Credential{}, reader.Err
	}
	if refresh != "" {
		credential.RefreshToken = rs.NewSecret(refresh)
	}
	_, _, err := rs.TokenKind(members.Get)
	if err != nil {
		return Credential{}, err
	}
	if credential.AccessToken, err = rs.NewBearer(value); err != nil {
		return Credential{}, fmt.Errorf("the access token %w", err)
	}
	return credential, nil
}

func readTime(r *rawjson.Reader, name string) time.Time {
	value := r.Text(name)
	if value == "" {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, value)
	if err != nil {
		r.Fail(&rawjson.MemberError{Member: name, Want: "a time like 2026-04-06T12:00:00Z"})
	}
	return parsed
}

func (e *Entry) object(others rawjson.Object) rawjson.Object {
	credential := withTexts(e.Credential.members.reveal(),
		"access_token", e.Credential.AccessToken.Reveal(),
		"refresh_token", e.Credential.RefreshToken.Reveal(),
		"token_type", e.Credential.TokenType,
		"expires_at", formatTime(e.Credential.ExpiresAt),
		"grant_id", e.Credential.GrantID,
		"scope", e.Credential.Scope,
		"label", e.Credential.Label,
		"last_used_at", formatTime(e.Credential.LastUsedAt),
		"renewal_began_at", formatTime(e.Credential.RenewalBegan))
	if e.Credential.Details != nil {
		credential = credential.With("authorization_details", e.Credential.Details)
	}
	client := withTexts(e.Client.members.reveal(),
		"client_id", e.Client.ClientID,
		"client_name", e.Client.ClientName,
		"token_endpoint_auth_method", e.Client.TokenEndpointAuthMethod)
	members := withTexts(others,
		"provider_url", e.ProviderURL,
		"authorization_server", e.AuthorizationServer,
		"scope", e.Scope).With("client", client.Encode())
	if len(client) == 0 {
		members = members.Without("client")
	}
	return withTexts(members.With("credential", credential.Encode()), "created_at", formatTime(e.CreatedAt))
}

// withTexts sets members to texts, given as pairs of name and value. It removes a member whose value is empty.
func withTexts(object rawjson.Object, texts ...string) rawjson.Object {
	for i := 0; i < len(texts); i += 2 {
		if name, value := texts[i], texts[i+1]; value == "" {
			object = object.Without(name)
		} else {
			object = object.With(name, rawjson.Quote(value))
		}
	}
	return object
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
