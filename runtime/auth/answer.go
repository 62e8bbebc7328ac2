package auth

import (
	"encoding/json"
	"errors"
	"math"
	"time"
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
	if _, given := body.get("active"); !given {
		return nil, &MemberError{"active", "true or false"}
	}
	parsed := &answer{}
	var err error
	if parsed.active, err = read[bool](body, "active", "true or false"); err != nil || !parsed.active {
		return parsed, err
	}
	if parsed.expires, err = timestamp(body, "exp"); err != nil {
		return nil, err
	}
	kind, err := body.text("pdpp_token_kind")
	if err != nil {
		return nil, err
	}
	parsed.kind = Kind(kind)
	for name, target := range map[string]*string{
		"client_id": &parsed.clientID, "grant_id": &parsed.grantID, "grant_package_id": &parsed.packageID,
	} {
		if *target, err = body.text(name); err != nil {
			return nil, err
		}
	}
	if err := parsed.readAudience(body); err != nil {
		return nil, err
	}
	if parsed.kind == Package {
		return parsed, parsed.readPackage(body)
	}
	return parsed, nil
}

// timestamp reads a NumericDate, which may have a fraction (RFC 7519, section 2).
func timestamp(body object, name string) (time.Time, error) {
	if _, given := body.get(name); !given {
		return time.Time{}, nil
	}
	seconds, err := read[float64](body, name, "a number of seconds")
	if err != nil {
		return time.Time{}, err
	}
	if math.Abs(seconds) >= float64(year10000.Unix()) {
		return time.Time{}, &MemberError{name, "seconds since 1970, before the year 10000"}
	}
	return time.Unix(int64(math.Floor(seconds)), 0), nil
}

// readAudience reads a string or an array of strings (RFC 7662 takes aud from RFC 7519).
func (a *answer) readAudience(body object) error {
	value, given := body.get("aud")
	if !given {
		return nil
	}
	a.audienceGiven = true
	var err error
	if value[0] == '"' {
		var one string
		one, err = body.text("aud")
		a.audience = []string{one}
		return err
	}
	a.audience, err = read[[]string](body, "aud", "a string or an array of strings")
	return err
}

// readPackage reads what an authorization server for adapters in other processes adds.
func (a *answer) readPackage(body object) error {
	published, err := body.nested("package")
	if err != nil {
		return err
	}
	id, err := published.text("package_id")
	if err != nil {
		return err
	}
	if a.packageID == "" {
		a.packageID = id
	} else if id != "" && id != a.packageID {
		return errTwoPackages
	}
	if _, a.membersGiven = published.get("members"); !a.membersGiven {
		return nil
	}
	members, err := read[[]json.RawMessage](published, "members", "an array")
	if err != nil {
		return err
	}
	for _, raw := range members {
		member, err := parseMember(raw)
		if err != nil {
			return err
		}
		a.members = append(a.members, member)
	}
	return nil
}

// parseMember reads one source. It is active only with that very status and a bearer that a request can
// carry.
func parseMember(raw json.RawMessage) (Member, error) {
	body, err := parseObject(raw)
	if err != nil {
		return Member{}, err
	}
	member := Member{}
	token := ""
	for name, target := range map[string]*string{
		"grant_id": &member.GrantID, "status": &member.Status, "connection_id": &member.ConnectionID,
		"connector_key": &member.ConnectorKey, "display_name": &member.DisplayName, "access_token": &token,
	} {
		if *target, err = body.text(name); err != nil {
			return Member{}, err
		}
	}
	if member.Streams, err = read[[]string](body, "streams", "an array of strings"); err != nil {
		return Member{}, err
	}
	if member.Status == "active" && isToken(token) {
		member.Active, member.Bearer = true, NewSecret(token)
	}
	return member, nil
}
