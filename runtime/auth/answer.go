package auth

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// answer is an introspection response (RFC 7662, section 2.2) with PDPP's members, of which
// interfaces.md lists the used ones.
type answer struct {
	active    bool
	kind      Kind
	expires   time.Time // zero when there is none
	clientID  string
	grantID   string
	packageID string

	audienceGiven bool
	audience      []string

	membersGiven bool
	members      []Member
}

// year10000 is where timestamps stop making sense; milliseconds in place of seconds are beyond it.
var year10000 = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

var errTwoPackages = errors.New("grant_package_id and package.package_id differ")

// parseAnswer reads a response. Of one that is not active nothing else matters.
func parseAnswer(body object) (*answer, error) {
	members := &reader{object: body}
	if _, given := members.get("active"); !given {
		return nil, &MemberError{"active", "true or false"}
	}
	active := decode[bool](members, "active", "true or false")
	if members.err != nil || !active {
		return &answer{}, members.err
	}
	parsed := &answer{
		active:    true,
		kind:      kindOf(members),
		expires:   timestamp(members, "exp"),
		clientID:  members.text("client_id"),
		grantID:   members.text("grant_id"),
		packageID: members.text("grant_package_id"),
	}
	parsed.audience, parsed.audienceGiven = audience(members)
	if parsed.kind == KindPackage {
		parsed.readPackage(members)
	}
	return parsed, members.err
}

// kindOf is the kind by every member that states one. Without pdpp_token_kind nothing but an owner is known: who is let in
// is not told by a member that may be about something else.
func kindOf(members *reader) Kind {
	kind, name, err := rs.TokenKind(func(name string) json.RawMessage {
		value, _ := members.get(name)
		return value
	})
	switch {
	case err != nil && members.err == nil:
		members.err = &MemberError{name, "a string"}
	case kind != rs.KindOwner && members.text("pdpp_token_kind") == "":
		return ""
	}
	return Kind(kind)
}

// timestamp reads a NumericDate, which may have a fraction (RFC 7519, section 2).
func timestamp(members *reader, name string) time.Time {
	if _, given := members.get(name); !given {
		return time.Time{}
	}
	seconds := decode[float64](members, name, "a number of seconds")
	if math.Abs(seconds) >= float64(year10000.Unix()) {
		members.err = &MemberError{name, "seconds since 1970, before the year 10000"}
		return time.Time{}
	}
	return time.Unix(int64(math.Floor(seconds)), 0)
}

// audience reads a string or an array of strings (RFC 7662 takes aud from RFC 7519).
func audience(members *reader) (reported []string, given bool) {
	value, given := members.get("aud")
	if given && value[0] == '"' {
		return []string{members.text("aud")}, true
	}
	return decode[[]string](members, "aud", "a string or an array of strings"), given
}

// readPackage reads what an authorization server for adapters in other processes adds.
func (a *answer) readPackage(members *reader) {
	published := &reader{object: members.nested("package")}
	published.err = members.err
	switch id := published.text("package_id"); {
	case a.packageID == "":
		a.packageID = id
	case id != "" && id != a.packageID:
		published.err = errTwoPackages
	}
	_, a.membersGiven = published.get("members")
	for _, raw := range decode[[]json.RawMessage](published, "members", "an array") {
		var member Member
		if member, published.err = parseMember(raw); published.err != nil {
			break
		}
		a.members = append(a.members, member)
	}
	members.err = published.err
}

// parseMember reads one source. It is active only with that very status and a bearer that a request can
// carry.
func parseMember(raw json.RawMessage) (Member, error) {
	body, err := parseObject(raw)
	if err != nil {
		return Member{}, err
	}
	members := &reader{object: body}
	member := Member{
		GrantID:      members.text("grant_id"),
		Status:       members.text("status"),
		ConnectionID: members.text("connection_id"),
		ConnectorKey: members.text("connector_key"),
		DisplayName:  members.text("display_name"),
		Streams:      decode[[]string](members, "streams", "an array of strings"),
	}
	if token := members.text("access_token"); member.Status == "active" && isToken(token) && len(token) >= rs.ShortestBearer {
		member.Active, member.Bearer = true, rs.NewSecret(token)
	}
	return member, members.err
}
