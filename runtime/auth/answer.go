package auth

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// answer is an introspection response (RFC 7662, section 2.2) with PDPP's members, of which
// interfaces.md lists the used ones.
type answer struct {
	Caller // without a hash of the token

	active        bool
	audience      []string
	audienceGiven bool
	membersGiven  bool
}

// year10000 is where timestamps stop making sense; milliseconds in place of seconds are beyond it.
var year10000 = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

var errTwoPackages = errors.New("grant_package_id and package.package_id differ")

// deepest is how far objects and arrays of an answer may stand in each other.
const deepest = 64

// parseAnswer reads a response. Of one that is not active nothing else matters.
func parseAnswer(body rawjson.Object) (*answer, error) {
	members := &rawjson.Reader{Object: body}
	active := rawjson.Decode[bool](members, "active", "true or false")
	if body.Get("active") == nil {
		members.Fail(&rawjson.MemberError{Member: "active", Want: "true or false"})
	}
	if members.Err != nil || !active {
		return &answer{}, members.Err
	}
	parsed := &answer{
		active: true,
		Caller: Caller{
			Kind:      kindOf(members),
			Expires:   timestamp(members, "exp"),
			ClientID:  members.Text("client_id"),
			GrantID:   members.Text("grant_id"),
			PackageID: members.Text("grant_package_id"),
		},
	}
	parsed.audience, parsed.audienceGiven = audience(members)
	if parsed.Kind == KindPackage {
		parsed.readPackage(members)
	}
	return parsed, members.Err
}

// kindOf is the kind by every member that states one. Without pdpp_token_kind nothing but an owner is known: who is let in
// is not told by a member that may be about something else.
func kindOf(members *rawjson.Reader) Kind {
	kind, name, err := rs.TokenKind(members.Object.Get)
	switch {
	case err != nil:
		members.Fail(&rawjson.MemberError{Member: name, Want: "a string"})
	case kind != rs.KindOwner && members.Text("pdpp_token_kind") == "":
		return ""
	}
	return Kind(kind)
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

// audience reads a string or an array of strings (RFC 7662 takes aud from RFC 7519).
func audience(members *rawjson.Reader) (reported []string, given bool) {
	value := members.Object.Get("aud")
	if text, isText := rawjson.Text(value); isText {
		return []string{text}, true
	}
	return rawjson.Decode[[]string](members, "aud", "a string or an array of strings"), value != nil
}

// readPackage reads what an authorization server for adapters in other processes adds.
func (a *answer) readPackage(members *rawjson.Reader) {
	published := &rawjson.Reader{Object: members.Nested("package")}
	switch id := published.Text("package_id"); {
	case a.PackageID == "":
		a.PackageID = id
	case id != "" && id != a.PackageID:
		published.Fail(errTwoPackages)
	}
	a.membersGiven = published.Object.Get("members") != nil
	for _, raw := range rawjson.Decode[[]json.RawMessage](published, "members", "an array") {
		member, err := parseMember(raw)
		if err != nil {
			published.Fail(err)
			break
		}
		a.Members = append(a.Members, member)
	}
	if published.Err != nil {
		members.Fail(published.Err)
	}
}

// parseMember reads one source. It is active only with that very status and a bearer that a request can
// carry.
func parseMember(raw json.RawMessage) (Member, error) {
	body, isObject := rawjson.ParseObject(raw)
	if !isObject {
		return Member{}, rawjson.ErrNotObject
	}
	members := &rawjson.Reader{Object: body}
	member := Member{
		GrantID:      members.Text("grant_id"),
		Status:       members.Text("status"),
		ConnectionID: members.Text("connection_id"),
		ConnectorKey: members.Text("connector_key"),
		DisplayName:  members.Text("display_name"),
		Streams:      rawjson.Decode[[]string](members, "streams", "an array of strings"),
	}
	if token := members.Text("access_token"); member.Status == "active" && isToken(token) && len(token) >= rs.ShortestBearer {
		member.Active, member.Bearer = true, rs.NewSecret(token)
	}
	return member, members.Err
}
