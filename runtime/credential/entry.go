package credential

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Entry is one file of the cache: a provider and the scoped credential that its owner approved.
// Members that it does not name stay in the file. Printing an entry or a part of it shows no token.
type Entry struct {
	ProviderURL         string
	AuthorizationServer string
	Scope               string
	Client              Client
	Credential          Credential
	CreatedAt           time.Time // zero when the file does not say
}

// Client is the OAuth client that the credential was issued to.
type Client struct {
	ClientID                string
	ClientName              string
	TokenEndpointAuthMethod string

	members hidden
}

// Credential is a scoped access token and what is known of its grant. All of it stands in one object of the file, so that
// a tool that replaces the credential leaves nothing of the old grant beside the new one.
type Credential struct {
	AccessToken  rs.Secret
	RefreshToken rs.Secret // none when the authorization server gave none
	TokenType    string
	ExpiresAt    time.Time // zero when it does not expire or the file does not say
	GrantID      string
	Scope        string
	Label        string        // by which people name the grant; empty when they gave none
	Details      rawjson.Value // authorization_details of the token's answer (RFC 9396, section 7); nil when there were none
	LastUsedAt   time.Time     // to the hour; zero when it was not used or the file does not say
	RenewalBegan time.Time     // when the refresh token was sent, of which no answer is known; zero: it was not

	members hidden
}

// hidden gives members of a file as they stand there, tokens among them; nil for none. Package fmt calls no method of what is in
// an unexported field, and follows a pointer to a slice for some verbs; of a function it prints the address.
type hidden func() rawjson.Object

func hide(members rawjson.Object) hidden { return func() rawjson.Object { return members } }

func (h hidden) reveal() rawjson.Object {
	if h == nil {
		return nil
	}
	return h()
}

// HasName reports whether a name is the id of the credential's grant or its label.
func (c Credential) HasName(name string) bool {
	return name != "" && (name == c.GrantID || name == c.Label)
}

// OwnerMark gives the member that marks an owner credential, or an empty string (R-STDIO-3).
func (c Credential) OwnerMark() string {
	kind, member, err := rs.TokenKind(c.members.reveal().Get)
	if err != nil || kind != rs.KindOwner { // a credential that was read has no such error
		return ""
	}
	return member
}

// Expired reports whether the credential had ended at that time.
func (c Credential) Expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// Usable reports whether the credential can be read with at that time: it has not ended, or can be refreshed.
func (c Credential) Usable(now time.Time) bool { return !c.Expired(now) || !c.RefreshToken.IsZero() }

// None of them repeats a part of the file, which may be a token, or no credential at all.
var (
	errNotObject    = errors.New("it is not a JSON object")
	errMemberTwice  = errors.New("it names a member twice")
	errNoCredential = errors.New("member credential is missing")
)

// deepest is how far objects and arrays of a file may stand in each other.
const deepest = 64

// parseObject reads an object in which nothing, however deep, is named twice: of two statements a reader may take either.
func parseObject(data []byte) (rawjson.Object, error) {
	object, err := rawjson.ReadObject(data, deepest)
	switch {
	case errors.Is(err, rawjson.ErrRepeatedName):
		return nil, errMemberTwice
	case err != nil:
		return nil, errNotObject
	}
	return object, nil
}

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
		file.Fail(errNoCredential)
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

// object puts the entry's members over others, which may be nil. The others are left as they are.
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

// withTexts is an object with members that are texts, each a name and a value. A member whose value is empty is removed.
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
