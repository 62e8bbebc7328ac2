package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// object is an error object under construction.
type object struct{ rawjson.Object }

// objectOf returns the members of a JSON object. Of members with the same name, it keeps the last. It returns an empty
// object for any other text.
func objectOf(text json.RawMessage) object {
	compact, _ := rawjson.Compact(text)
	members, _ := rawjson.ParseObject(compact)
	var o object
	indexes := make(map[string]int, len(members)) // an answer may hold very many
	for _, member := range members {
		if i, isRepeated := indexes[member.Name]; isRepeated {
			o.Object[i] = member
			continue
		}
		indexes[member.Name] = len(o.Object)
		o.Object = append(o.Object, member)
	}
	return o
}

// set adds a member, or replaces the value of the one with its name.
func (o *object) set(member rawjson.Member) { o.Object = o.With(member.Name, member.Value) }

// add adds a member, unless the value is nil or the object has one of that name.
func (o *object) add(name string, value json.RawMessage) {
	if value != nil && o.Get(name) == nil {
		o.set(rawjson.Raw(name, value))
	}
}

// addTexts adds members as rawjson.Texts returns them, except those that the object has.
func (o *object) addTexts(namesAndTexts ...string) {
	for _, text := range rawjson.Texts(namesAndTexts...) {
		o.add(text.Name, text.Value)
	}
}

// addAccepted adds the accepted names if there are any, unless the object has some already.
func (o *object) addAccepted(names []string) {
	if len(names) > 0 {
		o.add("accepted", rawjson.Strings("accepted", names).Value)
	}
}

// Bounds of an error object, in bytes of JSON. A tool's text has up to 8,000 characters (R-BUD-2), and the error object
// is that text.
const (
	errorBytes     = 7_800
	messageBytes   = 1_600 // of a message or a hint in a larger error object
	memberBytes    = 500   // of any other member, except the candidates
	candidateBytes = 4_000 // of all candidates
)

// keptNames are the members of an error object that are kept if it is too large (docs/provider-contract.md, Envelopes),
// the most important first.
var keptNames = []string{
	"type", "code", "message", "hint", "param", "did_you_mean", "retry_with", "retry_after", "available_connections",
	"available_connections_total", "available_connections_truncated", "next", "accepted", "request_id", "next_step",
	"resource_metadata", "unavailable_connections",
}

// bounded returns an error object that fits into a tool result. The member truncated says that something was left out.
func (o object) bounded() object {
	if len(o.Encode()) <= errorBytes {
		return o
	}
	var short object
	for _, name := range keptNames {
		value := o.Get(name)
		switch {
		case len(value) == 0:
		case name == "type" || name == "code":
			short.add(name, clipText(value, memberBytes))
		case name == "message" || name == "hint":
			short.add(name, clipText(value, messageBytes))
		case name == "available_connections":
			short.setCandidates(value)
		case len(value) <= min(memberBytes, errorBytes-len(short.Encode())-len(name)-40):
			short.add(name, value)
		}
	}
	short.set(rawjson.Bool("truncated", true))
	return short
}

// clipText shortens a JSON string to limit bytes of JSON, and adds to it how much is shown. It returns nil for a value
// of another type that is longer.
func clipText(value json.RawMessage, limit int) json.RawMessage {
	if len(value) <= limit {
		return value
	}
	text, isText := rawjson.Text(value)
	if !isText {
		return nil
	}
	for shown := text; ; {
		clipped := rawjson.Quote(fmt.Sprintf("%s… (%d of %d bytes shown)", shown, len(shown), len(text)))
		if len(clipped) <= limit || shown == "" {
			return clipped
		}
		shown = strings.ToValidUTF8(shown[:min(len(shown)-1, len(shown)*limit/len(clipped))], "")
	}
}

// setCandidates sets the first candidates that fit, and their total (R-ERR-5).
func (o *object) setCandidates(value json.RawMessage) {
	candidates, ok := rawjson.Elements(value)
	if !ok {
		return
	}
	size, shown := 2, 0
	for shown < len(candidates) && size+len(candidates[shown])+1 <= candidateBytes {
		size += len(candidates[shown]) + 1
		shown++
	}
	o.set(rawjson.Raw("available_connections", rawjson.Array(candidates[:shown])))
	if shown < len(candidates) {
		o.setTotal(len(candidates))
	}
}

// setTotal says that there are more candidates than are shown, and where to see them (R-ERR-5).
func (o *object) setTotal(total int) {
	o.set(rawjson.Int("available_connections_total", int64(total)))
	o.set(rawjson.Bool("available_connections_truncated", true))
	hint, own := "Call "+SchemaTool+" to see every connection.", o.Text("hint")
	if own != "" && own != hint {
		hint = own + " " + hint
	}
	o.set(rawjson.String("hint", hint))
}
