package rs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

const redacted = "[redacted]"

// Secret is a bearer or a password. Printing, logging and marshalling it give a fixed word; only Reveal returns the
// value (R-STDIO-4, R-ERR-6). The zero value is empty. Secrets cannot be compared with ==.
//
// The value is behind a pointer because package fmt prints unexported fields of another struct without calling their
// methods.
type Secret struct{ value *string }

// NewSecret returns a secret with a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value, for an Authorization header or the credential cache.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Format writes the fixed word for every verb, including %#v and %x.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// MarshalText returns the fixed word to package json, slog and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Bounds of a bearer, in bytes.
const (
	// ShortestBearer: an unguessable token has 128 random bits (RFC 6749, section 10.10), which need at least 16 bytes. A
	// shorter one could occur inside ordinary words.
	ShortestBearer = 16
	// LongestBearer: a longer one exceeds the header limits of usual servers.
	LongestBearer = 16 << 10
)

// Faults of a bearer. Each completes a sentence.
var (
	errBearerEmpty      = errors.New("is empty")
	errBearerCharacters = errors.New("has characters that a bearer cannot have")
	errBearerTooShort   = fmt.Errorf("is shorter than %d characters and could be guessed", ShortestBearer)
	errBearerTooLong    = fmt.Errorf("is longer than %d bytes", LongestBearer)
)

// NewBearer checks a bearer (RFC 6750, section 2.1). Its error completes a sentence, such as "is empty".
func NewBearer(value string) (Secret, error) {
	switch {
	case value == "":
		return Secret{}, errBearerEmpty
	case len(value) > LongestBearer:
		return Secret{}, errBearerTooLong
	}
	for _, character := range []byte(value) {
		if character <= ' ' || character > '~' {
			return Secret{}, errBearerCharacters
		}
	}
	if len(value) < ShortestBearer {
		return Secret{}, errBearerTooShort
	}
	return NewSecret(value), nil
}

// The kinds of tokens in PDPP. Only a client's token can read. A package represents several of them.
const (
	KindClient  = "client"
	KindPackage = "mcp_package"
	KindOwner   = "owner"
)

// KindMembers are the members of responses and cache files with the kind of a token (docs/interfaces.md, Credential
// cache). The first two have no other meaning. The others are about tokens only if their value is owner.
var KindMembers = []string{"pdpp_token_kind", "token_kind", "kind", "role"}

const kindOnly = 2 // the first KindMembers, which have no other meaning

// errKindShape does not repeat the value, which may be anything.
var errKindShape = errors.New("the kind of the token is not a string")

// TokenKind returns the kind of a token and the member that states it: owner if any of KindMembers says so, otherwise
// the first kind other than client, otherwise client, or "" if none is stated. get returns a member by its exact name,
// or nil; names must be unique. A kind that is not a string is an error.
func TokenKind(get func(name string) json.RawMessage) (kind, member string, err error) {
	for i, name := range KindMembers {
		value := get(name)
		if value == nil || string(value) == "null" {
			continue
		}
		stated, isText := rawjson.Text(value)
		if !isText {
			return "", name, errKindShape
		}
		if strings.EqualFold(strings.TrimSpace(stated), KindOwner) {
			return KindOwner, name, nil
		}
		if i < kindOnly && stated != "" && (kind == "" || kind == KindClient) {
			kind, member = stated, name
		}
	}
	return kind, member, nil
}

// Bearer describes the token that a schema was read with.
type Bearer struct {
	Kind    string // by TokenKind; empty means a client's (R-STDIO-3)
	GrantID string // may be empty
}

// IsClient reports whether the token can read.
func (b Bearer) IsClient() bool { return b.Kind == "" || b.Kind == KindClient }

// KindError is the error of a bearer that must not be used for reading.
type KindError struct {
	Kind  string // empty if it is unreadable
	Cause error  // of an unreadable kind
}

func (e *KindError) Error() string {
	if e.Cause != nil {
		return e.Cause.Error()
	}
	return fmt.Sprintf("a token of kind %q", e.Kind)
}

func (e *KindError) Unwrap() error { return e.Cause }

var errBearerShape = errors.New("the schema or its bearer block is not an object")

// SchemaBearer reads the bearer block of a schema, the body of a Response. Older servers put it in data. If there are
// two, both count.
func SchemaBearer(schema json.RawMessage) (Bearer, error) {
	outer, isObject := rawjson.ParseObject(schema)
	if !isObject {
		return Bearer{}, errBearerShape
	}
	inner, _ := rawjson.ParseObject(outer.Get("data"))
	var bearer Bearer
	for _, block := range []json.RawMessage{outer.Get("bearer"), inner.Get("bearer")} {
		if block == nil || string(block) == "null" {
			continue
		}
		members, isObject := rawjson.ParseObject(block)
		if !isObject {
			return Bearer{}, errBearerShape
		}
		kind, _, err := TokenKind(members.Get)
		if err != nil {
			return Bearer{}, err
		}
		if bearer.IsClient() && kind != "" || kind == KindOwner {
			bearer.Kind = kind
		}
		if bearer.GrantID == "" {
			bearer.GrantID = members.Text("grant_id")
		}
	}
	return bearer, nil
}
