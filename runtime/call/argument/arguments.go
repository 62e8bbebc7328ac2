// Package argument decodes the arguments of a tool call and checks them before anything is sent to the resource server.
// Generated tools call it. Every refusal is a *tool.Error that names the argument, the limit and the next step.
package argument

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Names are the arguments that a tool takes.
type Names struct {
	Accepted []string          // in the advertised order
	Aliases  map[string]string // unadvertised name → accepted name; may be nil
}

// Arguments decodes one call. It keeps the first error; from then on, every method returns a zero value. A null
// argument counts as absent. It is not safe for concurrent use.
type Arguments struct {
	given rawjson.Object // by accepted name, without nulls
	err   error
}

// Open reads the arguments object of a call. Empty text and null mean a call without arguments. An unknown name is
// unknown_argument, and is refused before any wrong value. A value that is not an object, a repeated name, and a name
// next to its alias are invalid_arguments.
func Open(raw json.RawMessage, names Names) *Arguments {
	arguments := &Arguments{}
	text := strings.TrimSpace(string(raw))
	if text == "" || text == "null" {
		return arguments
	}
	members, err := rawjson.ReadMembers(raw)
	if err != nil {
		message := `the arguments must be one JSON object in UTF-8, such as {"stream":"messages"}`
		if errors.Is(err, rawjson.ErrInvalidName) {
			message = `a name in the arguments has half of a surrogate pair, such as \ud83d; write the whole character, such as \ud83d\ude00`
		}
		arguments.err = &tool.Error{Code: tool.InvalidArguments, Message: message, Cause: err}
		return arguments
	}
	if arguments.err = names.refuseUnknown(members); arguments.err == nil {
		arguments.err = arguments.assign(members, names)
	}
	return arguments
}

// Err returns the first error, a *tool.Error, or nil.
func (a *Arguments) Err() error { return a.err }

// Given returns the arguments of the call in the caller's order. Names are the accepted ones. Values keep the caller's
// spelling, without white space between tokens. Nulls are left out (R-HAND-10).
func (a *Arguments) Given() []rawjson.Member { return a.given }

func (n Names) refuseUnknown(members []rawjson.Member) error {
	for _, member := range members {
		if _, alias := n.Aliases[member.Name]; alias || slices.Contains(n.Accepted, member.Name) {
			continue
		}
		accepted := "no arguments"
		if len(n.Accepted) > 0 {
			accepted = strings.Join(n.Accepted, ", ")
		}
		near := nearname.Nearest(member.Name, n.Accepted)
		if rawjson.Object(members).Get(near) != nil {
			near = ""
		}
		return &tool.Error{
			Code:       tool.UnknownArgument,
			Message:    fmt.Sprintf("unknown argument %s; this tool takes %s", quote(member.Name), accepted),
			Param:      tool.Shorten(member.Name, maxShown),
			Accepted:   n.Accepted,
			DidYouMean: near,
		}
	}
	return nil
}

func (a *Arguments) assign(members []rawjson.Member, names Names) error {
	accepted := func(member rawjson.Member) string { return cmp.Or(names.Aliases[member.Name], member.Name) }
	isNull := func(member rawjson.Member) bool { return rawjson.Kind(member.Value) == rawjson.Null }
	for i, member := range members {
		name, earlier := accepted(member), members[:i]
		if slices.ContainsFunc(earlier, func(m rawjson.Member) bool { return m.Name == member.Name }) {
			return refuse(tool.InvalidArguments, member.Name, "is given twice; pass it once")
		}
		if isNull(member) {
			continue
		}
		if other := slices.IndexFunc(earlier, func(m rawjson.Member) bool { return accepted(m) == name && !isNull(m) }); other >= 0 {
			return refuse(tool.InvalidArguments, name,
				fmt.Sprintf("is given as %s and as %s, which mean the same; give %s alone", earlier[other].Name, member.Name, name))
		}
		a.given = append(a.given, rawjson.Member{Name: name, Value: member.Value})
	}
	return nil
}

// require refuses an absent argument. words lists the accepted values if they are limited.
func (a *Arguments) require(name, kind string, words ...string) {
	if a.given.Get(name) == nil && a.err == nil {
		refused := refuse(tool.InvalidArguments, name, "is required; pass "+kind)
		refused.Accepted, a.err = words, refused
	}
}

// normalize replaces the value of an argument with its advertised form.
func (a *Arguments) normalize(name string, value json.RawMessage) {
	a.given = a.given.With(name, value)
}

// maxShown is the maximum number of characters of a caller's text in a message.
const maxShown = 80

// refuse returns an error whose message begins with the argument's name. Each of instead corrects the call.
func refuse(code tool.Code, name, problem string, instead ...rawjson.Object) *tool.Error {
	return &tool.Error{Code: code, Message: name + " " + problem, Param: name, Instead: instead}
}

func without(names ...string) rawjson.Object {
	var correction rawjson.Object
	for _, name := range names {
		correction = append(correction, rawjson.Member{Name: name})
	}
	return correction
}

func quote(text string) string { return strconv.Quote(tool.Shorten(text, maxShown)) }

// kinds maps the first byte of a JSON value to its kind. Any other byte begins a number.
var kinds = map[byte]string{'{': "object", '[': "array", '"': "string", 't': "boolean", 'f': "boolean"}

// shown returns a JSON value for a message, with its kind.
func shown(value json.RawMessage) string {
	if rawjson.Kind(value) == rawjson.Null {
		return "null"
	}
	return fmt.Sprintf("the %s %s", cmp.Or(kinds[value[0]], "number"), tool.Shorten(string(value), maxShown))
}
