// Package argument decodes the arguments of a tool call, and checks them before anything is sent to the
// resource server. Every refusal is a *tool.Error that names the argument, the limit and the next step.
package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Names are the arguments that a tool takes.
type Names struct {
	Accepted []string          // in the order in which they are advertised
	Aliases  map[string]string // unadvertised name → accepted name; may be nil
}

// Arguments decodes one call. It keeps the first error, after which every method gives a zero value;
// Err gives it. An argument that is null counts as absent. It belongs to one goroutine.
type Arguments struct {
	values map[string]json.RawMessage // by accepted name; no nulls
	given  []rs.Member                // the same in the order of the call
	err    error
}

// Open takes the arguments object of a call apart. Nothing, and null, is a call without arguments.
// An unknown name is refused with unknown_argument, before anything that could be wrong with a value.
// What is no JSON object, what repeats a name, and what gives an argument under its name and its alias
// at once is refused with invalid_arguments.
func Open(raw json.RawMessage, names Names) *Arguments {
	arguments := &Arguments{values: map[string]json.RawMessage{}}
	text := strings.TrimSpace(string(raw))
	if text == "" || text == "null" {
		return arguments
	}
	members, err := rs.Members(raw)
	if err != nil {
		message := `the arguments must be one JSON object in UTF-8, such as {"stream":"messages"}`
		if errors.Is(err, rawjson.ErrInvalidName) {
			message = `a name in the arguments has half of a surrogate pair, such as \ud83d; write the whole character, such as \ud83d\ude00`
		}
		arguments.err = &tool.Error{Code: tool.InvalidArguments, Message: message, Cause: err}
		return arguments
	}
	if arguments.err = names.refuseUnknown(members); arguments.err == nil {
		arguments.err = arguments.file(members, names)
	}
	return arguments
}

// Err is the first error, a *tool.Error, or nil.
func (a *Arguments) Err() error { return a.err }

// Given is the arguments as the call has them: in its order, each under its accepted name and in the caller's
// spelling, without nulls and without white space between tokens (R-HAND-10).
func (a *Arguments) Given() []rs.Member {
	for i, member := range a.given {
		a.given[i].Value, _ = rawjson.Compact(member.Value) // what Open took apart is valid
	}
	return a.given
}

func (n Names) refuseUnknown(members []rs.Member) error {
	for _, member := range members {
		if _, alias := n.Aliases[member.Name]; alias || slices.Contains(n.Accepted, member.Name) {
			continue
		}
		accepted := "no arguments"
		if len(n.Accepted) > 0 {
			accepted = strings.Join(n.Accepted, ", ")
		}
		refused := &tool.Error{
			Code:     tool.UnknownArgument,
			Message:  fmt.Sprintf("unknown argument %s; this tool takes %s", quote(member.Name), accepted),
			Param:    tool.Shorten(member.Name, maxShown),
			Accepted: n.Accepted,
		}
		if meant := nearname.Meant(member.Name, n.Accepted); meant != "" && rawjson.Object(members).Get(meant) == nil {
			refused.DidYouMean = meant
			refused.Instead = []rawjson.Object{{{Name: member.Name}, rawjson.Raw(meant, member.Value)}}
		}
		return refused
	}
	return nil
}

// file puts each member under its accepted name.
func (a *Arguments) file(members []rs.Member, names Names) error {
	given := map[string]string{} // accepted name → the name that it was given by
	written := seen{}
	for _, member := range members {
		if written.again(member.Name) {
			return refuse(tool.InvalidArguments, member.Name, "is given twice; give it once")
		}
		if isNull(member.Value) {
			continue
		}
		name := member.Name
		if canonical, alias := names.Aliases[name]; alias {
			name = canonical
		}
		if other, taken := given[name]; taken {
			return refuse(tool.InvalidArguments, name, fmt.Sprintf(
				"is given as %s and as %s, which mean the same; give %s alone", other, member.Name, name))
		}
		given[name] = member.Name
		a.values[name] = member.Value
		a.given = append(a.given, rs.Member{Name: name, Value: member.Value})
	}
	return nil
}

// seen are the names that an object had so far.
type seen map[string]bool

// again reports whether a name was there before, and notes it.
func (s seen) again(name string) bool {
	before := s[name]
	s[name] = true
	return before
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// require refuses an argument that is absent. Words are the only values that it takes.
func (a *Arguments) require(name, kind string, words ...string) {
	if a.values[name] == nil && a.err == nil {
		refused := refuse(tool.InvalidArguments, name, "is required; pass "+kind)
		refused.Accepted, a.err = words, refused
	}
}

// settle gives an argument its advertised form.
func (a *Arguments) settle(name string, value json.RawMessage) {
	a.values[name] = value
	a.given = rawjson.Object(a.given).With(name, value)
}

// maxShown is how many characters of a caller's text a message repeats.
const maxShown = 80

// refuse is an error whose message begins with the argument's name.
func refuse(code tool.Code, name, problem string) *tool.Error {
	return &tool.Error{Code: code, Message: name + " " + problem, Param: name}
}

func quote(text string) string { return strconv.Quote(tool.Shorten(text, maxShown)) }

// shown is a JSON value as a message shows it, with the kind that it is of.
func shown(value json.RawMessage) string {
	if isNull(value) {
		return "null"
	}
	return kindOf(value) + " " + tool.Shorten(string(value), maxShown)
}

func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "the object"
	case '[':
		return "the array"
	case '"':
		return "the string"
	case 't', 'f':
		return "the boolean"
	}
	return "the number"
}
