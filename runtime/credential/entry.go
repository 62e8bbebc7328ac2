package credential

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Entry is one file of the cache: a provider and the scoped credential that its owner approved.
// Members that it does not name stay in it and are written back.
type Entry struct {
	ProviderURL         string
	AuthorizationServer string
	Scope               string
	Client              Client
	Credential          Credential
	CreatedAt           time.Time // zero when the file does not say

	members object
}

// Client is the OAuth client that the credential was issued to.
type Client struct {
	ClientID                string
	ClientName              string
	TokenEndpointAuthMethod string

	members object
}

// Credential is a scoped access token and what is known of it.
type Credential struct {
	AccessToken rs.Secret
	TokenType   string
	ExpiresAt   time.Time // zero when it does not expire or the file does not say
	GrantID     string
	Scope       string

	members object
}

// OwnerMark gives the member that marks an owner credential, or an empty string (R-STDIO-3).
func (c Credential) OwnerMark() string {
	kind, member, err := rs.TokenKind(c.members.value)
	if err != nil || kind != rs.KindOwner { // a credential that was read has no such error
		return ""
	}
	return member
}

// Expired tells whether the credential had ended at that time.
func (c Credential) Expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

var errNoCredential = errors.New("member credential is missing")

func parseEntry(data []byte) (*Entry, error) {
	members, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	entry := &Entry{members: members}
	reader := memberReader{object: members}
	entry.ProviderURL = reader.text("provider_url")
	entry.AuthorizationServer = reader.text("authorization_server")
	entry.Scope = reader.text("scope")
	entry.CreatedAt = reader.time("created_at")
	client := reader.nested("client")
	credential := reader.nested("credential")
	if reader.err != nil {
		return nil, reader.err
	}
	if len(credential) == 0 {
		return nil, errNoCredential
	}
	if entry.Client, err = parseClient(client); err != nil {
		return nil, err
	}
	entry.Credential, err = parseCredential(credential)
	return entry, err
}

func parseClient(members object) (Client, error) {
	reader := memberReader{object: members}
	client := Client{
		ClientID:                reader.text("client_id"),
		ClientName:              reader.text("client_name"),
		TokenEndpointAuthMethod: reader.text("token_endpoint_auth_method"),
		members:                 members,
	}
	return client, reader.err
}

func parseCredential(members object) (Credential, error) {
	reader := memberReader{object: members}
	credential := Credential{
		TokenType: reader.text("token_type"),
		ExpiresAt: reader.time("expires_at"),
		GrantID:   reader.text("grant_id"),
		Scope:     reader.text("scope"),
		members:   members,
	}
	value := reader.text("access_token")
	if reader.err != nil {
		return Credential{}, reader.err
	}
	if _, _, err := rs.TokenKind(members.value); err != nil {
		return Credential{}, err
	}
	var err error
	credential.AccessToken, err = rs.NewBearer(value)
	if err != nil {
		return Credential{}, fmt.Errorf("the access token %w", err)
	}
	return credential, nil
}

// memberReader reads members and keeps the first fault.
type memberReader struct {
	object object
	err    error
}

func (r *memberReader) text(name string) string {
	value, err := r.object.text(name)
	if err != nil && r.err == nil {
		r.err = err
	}
	return value
}

func (r *memberReader) nested(name string) object {
	value, err := r.object.nested(name)
	if err != nil && r.err == nil {
		r.err = err
	}
	return value
}

func (r *memberReader) time(name string) time.Time {
	value := r.text(name)
	if value == "" {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, value)
	if err != nil && r.err == nil {
		r.err = &memberError{name: name, want: "a time like 2026-04-06T12:00:00Z"}
	}
	return parsed
}

// encode gives the file's bytes: indented JSON with a final newline.
func (e *Entry) encode() ([]byte, error) {
	members, err := e.object(e.members)
	if err != nil {
		return nil, err
	}
	return members.indented()
}

// object puts the entry's members over others, which may be nil. The others are left as they are.
func (e *Entry) object(others object) (object, error) {
	credential := slices.Clone(e.Credential.members)
	credential.setText("access_token", e.Credential.AccessToken.Reveal())
	credential.setText("token_type", e.Credential.TokenType)
	credential.setText("expires_at", formatTime(e.Credential.ExpiresAt))
	credential.setText("grant_id", e.Credential.GrantID)
	credential.setText("scope", e.Credential.Scope)

	client := slices.Clone(e.Client.members)
	client.setText("client_id", e.Client.ClientID)
	client.setText("client_name", e.Client.ClientName)
	client.setText("token_endpoint_auth_method", e.Client.TokenEndpointAuthMethod)

	members := slices.Clone(others)
	members.setText("provider_url", e.ProviderURL)
	members.setText("authorization_server", e.AuthorizationServer)
	members.setText("scope", e.Scope)
	if len(client) == 0 {
		members.remove("client")
	} else if err := setNested(&members, "client", client); err != nil {
		return nil, err
	}
	if err := setNested(&members, "credential", credential); err != nil {
		return nil, err
	}
	members.setText("created_at", formatTime(e.CreatedAt))
	return members, nil
}

func setNested(members *object, name string, value object) error {
	encoded, err := value.MarshalJSON()
	if err != nil {
		return err
	}
	members.set(name, encoded)
	return nil
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
