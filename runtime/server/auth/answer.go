package auth

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// answer is an introspection response (RFC 7662, section 2.2) with the members of PDPP in docs/provider-contract.md.
type answer struct {
	Caller // without TokenHash

	active     bool
	notBefore  time.Time // zero: not stated
	audience   []string  // nil: not stated
	hasMembers bool
}

var year10000 = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC) // milliseconds instead of seconds exceed it

var errTwoPackages = errors.New("grant_package_id and package.package_id differ")

// detailsName is the member with what a grant allows (RFC 9396), of a token or of a member of a package.
const detailsName = "authorization_details"

const maxDepth = 64 // nesting

// parseAnswer reads a response. If it is not active, nothing else matters.
func parseAnswer(body rawjson.Object) (*answer, error) {
	members := &rawjson.Reader{Object: body}
	active := rawjson.Decode[bool](members, "active", "true or false")
	if body.Get("active") == nil {
		members.Fail(&rawjson.MemberError{Member: "active", Want: "true or false"})
	}
	if members.Err != nil || !active {
		return &answer{}, members.Err
	}
	parsed := &answer{active: true, notBefore: timestamp(members, "nbf"), Caller: Caller{
		Kind:      kindOf(members),
		Expires:   timestamp(members, "exp"),
		ClientID:  members.Text("client_id"),
		GrantID:   members.Text("grant_id"),
		PackageID: members.Text("grant_package_id"),
	}}
	if text, isText := rawjson.Text(body.Get("aud")); isText {
		parsed.audience = []string{text}
	} else {
		parsed.audience = rawjson.Decode[[]string](members, "aud", "a string or an array of strings")
	}
	parsed.Granted = granted.Read(parsed.GrantID, body.Get(detailsName))
	if parsed.Kind == rs.KindPackage {
		parsed.readPackage(members)
	}
	parsed.Granted = granted.Differing(parsed.Granted)
	return parsed, members.Err
}

// kindOf returns the kind. Without pdpp_token_kind it recognizes only owners, because other members may have another
// meaning.
func kindOf(members *rawjson.Reader) string {
	kind, name, err := rs.TokenKind(members.Object.Get)
	switch {
	case err != nil:
		members.Fail(&rawjson.MemberError{Member: name, Want: "a string"})
	case kind != rs.KindOwner && members.Text("pdpp_token_kind") == "":
		return ""
	}
	return kind
}

// timestamp reads a NumericDate, which may have a fraction (RFC 7519, section 2).
func timestamp(members *rawjson.Reader, name string) time.Time {
	if members.Object.Get(name) == nil {
		return time.Time{}
	}
	seconds := rawjson.Decode[float64](members, name, "a number of seconds")
	if math.Abs(seconds) >= float64(year10000.Unix()) {
		members.Fail(&rawjson.MemberError{Member: name, Want: "seconds since 1970, before the year 10000"})
		return time.Time{}
	}
	return time.Unix(int64(math.Floor(seconds)), 0)
}

func (a *answer) readPackage(members *rawjson.Reader) {
	published := &rawjson.Reader{Object: members.Nested("package")}
	switch id := published.Text("package_id"); {
	case a.PackageID == "":
		a.PackageID = id
	case id != "" && id != a.PackageID:
		published.Fail(errTwoPackages)
	}
	a.hasMembers = published.Object.Get("members") != nil
	for _, raw := range rawjson.Decode[[]json.RawMessage](published, "members", "an array") {
		member, err := parseMember(raw)
		if err != nil {
			published.Fail(err)
			break
		}
		a.Members = append(a.Members, member)
		details, _ := rawjson.ParseObject(raw) // parseMember has checked it
		a.Granted = append(a.Granted, granted.Read(member.GrantID, details.Get(detailsName))...)
	}
	if published.Err != nil {
		members.Fail(published.Err)
	}
}

// parseMember reads one source. It is active only with that status and a bearer that a request can carry.
func parseMember(raw json.RawMessage) (Member, error) {
	body, isObject := rawjson.ParseObject(raw)
	if !isObject {
		return Member{}, rawjson.ErrNotObject
	}
	members := &rawjson.Reader{Object: body}
	member := Member{
		GrantID:      members.Text("grant_id"),
		Status:       members.Text("status"),
		ConnectionID: members.Text(wire.ConnectionID),
		ConnectorKey: members.Text("connector_key"),
		DisplayName:  members.Text("display_name"),
		Streams:      rawjson.Decode[[]string](members, wire.Streams, "an array of strings"),
	}
	if token := members.Text("access_token"); member.Status == "active" && isToken(token) && len(token) >= rs.ShortestBearer {
		member.Active, member.Bearer = true, rs.NewSecret(token)
	}
	return member, members.Err
}
