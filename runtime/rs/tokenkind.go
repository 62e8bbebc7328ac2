package rs

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// The kinds of tokens that PDPP has. Only a client's is read with; a package stands for several of them.
const (
	KindClient  = "client"
	KindPackage = "mcp_package"
	KindOwner   = "owner"
)

// KindMembers are the names under which answers and cache files state the kind of a token (interfaces.md, Credential
// cache). The first two state nothing else; the others are about tokens only where they say owner.
var KindMembers = []string{"pdpp_token_kind", "token_kind", "kind", "role"}

const kindOnly = 2 // of KindMembers

// errKindShape does not repeat the value, which is whatever somebody put there.
var errKindShape = errors.New("the kind of the token is stated as something that is no string")

// TokenKind is what an object says of the kind of a token, and in which member: owner when any of KindMembers says so,
// else the first statement that is not client, else client, and empty when nothing is stated. get gives a member by its
// exact name, nil for one that is not there; the object must not name a member twice. A statement that
// is no string is an error, since its meaning is not known.
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

// Bearer is what the resource server says of the token that its schema was read with.
type Bearer struct {
	Kind    string // by TokenKind; empty when it is not stated, which means a client's (R-STDIO-3)
	GrantID string // empty when it is not stated
}

// IsClient reports whether the token is one to read with.
func (b Bearer) IsClient() bool { return b.Kind == "" || b.Kind == KindClient }

// errBearerShape is a schema or a bearer block that is no object.
var errBearerShape = errors.New("the schema or its bearer block is not an object")

// SchemaBearer reads the bearer block of a schema, the body of a Response. Older servers wrap it once more, in data; when
// both stand there, both count.
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
