package credential

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Entry is a provider with a scoped credential that its owner approved. Unknown members of its file are kept. Package
// fmt prints no token of it.
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

	members rs.Secret // the whole object in the file, to keep its unknown members
}

// Credential is a scoped access token with its grant. It is one object of the file, so that another tool replaces it as
// a whole.
type Credential struct {
	AccessToken  rs.Secret
	RefreshToken rs.Secret // may be zero
	TokenType    string
	ExpiresAt    time.Time // zero: it does not expire, or unknown
	GrantID      string
	SubjectID    string // of the owner at the authorization server; empty: unknown
	Scope        string
	Label        string        // the user's name for the grant; may be empty
	Details      rawjson.Value // authorization_details of the token response (RFC 9396, section 7); may be nil
	LastUsedAt   time.Time     // to the hour; zero: unknown
	EndedAt      time.Time     // when the provider refused the grant as ended; zero: it has not
	RenewalBegan time.Time     // when the refresh token was sent, until an answer is known; zero: it was not sent

	members rs.Secret // the whole object in the file, to keep its unknown members
}

// HasName reports whether a name is the grant's id or label.
func (c Credential) HasName(name string) bool {
	return name != "" && (name == c.GrantID || name == c.Label)
}

// OwnerMember returns the member that marks an owner credential, otherwise an empty string (R-STDIO-3).
func (c Credential) OwnerMember() string {
	kind, member, err := rs.TokenKind(objectIn(c.members).Get)
	if err != nil || kind != rs.KindOwner { // parseEntry reports the error
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

// field is a member of a file with its value: a *string, *time.Time or *rs.Secret.
type field struct {
	name  string
	value any
}

func (e *Entry) fields() []field {
	return []field{{"provider_url", &e.ProviderURL}, {"authorization_server", &e.AuthorizationServer}, {"scope", &e.Scope}}
}

func (c *Client) fields() []field {
	return []field{{"client_id", &c.ClientID}, {"client_name", &c.ClientName}, {"token_endpoint_auth_method", &c.TokenEndpointAuthMethod}}
}

func (c *Credential) fields() []field {
	return []field{
		{"access_token", &c.AccessToken},
		{"refresh_token", &c.RefreshToken},
		{"token_type", &c.TokenType},
		{"expires_at", &c.ExpiresAt},
		{"grant_id", &c.GrantID},
		{"subject_id", &c.SubjectID},
		{"scope", &c.Scope},
		{"label", &c.Label},
		{"last_used_at", &c.LastUsedAt},
		{"ended_at", &c.EndedAt},
		{"renewal_began_at", &c.RenewalBegan},
	}
}

// parseEntry returns errors that repeat no part of the file, which may be a token.
func parseEntry(members rawjson.Object) (*Entry, error) {
	entry := &Entry{}
	file := rawjson.Reader{Object: members}
	readFields(&file, entry.fields())
	readFields(&file, []field{{"created_at", &entry.CreatedAt}})
	client := rawjson.Reader{Object: file.Nested("client")}
	held := rawjson.Reader{Object: file.Nested("credential")}
	if held.Object == nil {
		file.Fail(errors.New("member credential is missing"))
	}
	readFields(&client, entry.Client.fields())
	readFields(&held, entry.Credential.fields())
	entry.Client.members, entry.Credential.members = secretOf(client.Object), secretOf(held.Object)
	entry.Credential.Details = held.Object.Get("authorization_details")
	_, _, kindErr := rs.TokenKind(held.Object.Get)
	if err := cmp.Or(file.Err, client.Err, held.Err, kindErr); err != nil {
		return nil, err
	}
	if _, err := rs.NewBearer(entry.Credential.AccessToken.Reveal()); err != nil {
		return nil, fmt.Errorf("the access token %w", err)
	}
	return entry, nil
}

func readFields(r *rawjson.Reader, fields []field) {
	for _, each := range fields {
		text := r.Text(each.name)
		switch value := each.value.(type) {
		case *string:
			*value = text
		case *rs.Secret:
			*value = rs.NewSecret(text)
		case *time.Time:
			var err error
			if *value, err = time.Parse(time.RFC3339, text); text != "" && err != nil {
				r.Fail(&rawjson.MemberError{Member: each.name, Want: "a time like 2026-04-06T12:00:00Z"})
			}
		}
	}
}

// secretOf hides an object, which may contain tokens, from package fmt.
func secretOf(object rawjson.Object) rs.Secret { return rs.NewSecret(string(object.Encode())) }

func objectIn(hidden rs.Secret) rawjson.Object {
	object, _ := rawjson.ParseObject([]byte(hidden.Reveal()))
	return object
}

// object returns the entry as an object of the file, with the other members of that object.
func (e *Entry) object(others rawjson.Object) rawjson.Object {
	held := withFields(objectIn(e.Credential.members), e.Credential.fields())
	if e.Credential.Details != nil {
		held = held.With("authorization_details", e.Credential.Details)
	}
	client := withFields(objectIn(e.Client.members), e.Client.fields())
	members := withFields(others, e.fields()).With("client", client.Encode())
	if len(client) == 0 {
		members = members.Without("client")
	}
	return withFields(members.With("credential", held.Encode()), []field{{"created_at", &e.CreatedAt}})
}

// withFields sets members. It removes a member whose value is empty.
func withFields(object rawjson.Object, fields []field) rawjson.Object {
	for _, each := range fields {
		text := ""
		switch value := each.value.(type) {
		case *string:
			text = *value
		case *rs.Secret:
			text = value.Reveal()
		case *time.Time:
			if !value.IsZero() {
				text = value.UTC().Format(time.RFC3339Nano)
			}
		}
		if text == "" {
			object = object.Without(each.name)
		} else {
			object = object.With(each.name, rawjson.Quote(text))
		}
	}
	return object
}
