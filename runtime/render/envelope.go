package render

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// envelopeMembers returns the useful members of an envelope next to its rows (R-BUD-7).
func envelopeMembers(envelope answer.Envelope) rawjson.Object {
	members := make(rawjson.Object, 0, len(envelope.Members)+3)
	hasMeta := false
	for _, member := range envelope.Members {
		if member.Name == "meta" && member.Value == nil {
			member.Value, hasMeta = metaOfEnvelope(envelope), true
		}
		isNothing := member.Value == nil || rawjson.Kind(member.Value) == rawjson.Null
		if !isNothing && !slices.Contains(uselessNames, member.Name) {
			members = append(members, member)
		}
	}
	if meta := metaOfEnvelope(envelope); !hasMeta && meta != nil {
		members = append(members, rawjson.Raw("meta", meta))
	}
	return members
}

// metaOfEnvelope returns the member meta without a count that was not requested, or nil if nothing is left.
func metaOfEnvelope(envelope answer.Envelope) rawjson.Value {
	meta := make(rawjson.Object, 0, len(envelope.Meta)+1)
	warnings := rawjson.Raw("warnings", nil)
	if len(envelope.Warnings) > 0 {
		warnings.Value = rawjson.Array(envelope.Warnings)
	}
	isPlaced := warnings.Value == nil
	for _, member := range envelope.Meta {
		if member.Name == warnings.Name && member.Value == nil {
			member, isPlaced = warnings, true
		}
		if count, ok := rawjson.ParseObject(member.Value); ok && member.Name == wire.Count && count.Text("kind") == countNone {
			continue
		}
		if member.Value != nil {
			meta = append(meta, member)
		}
	}
	if !isPlaced {
		meta = append(meta, warnings)
	}
	if len(meta) == 0 {
		return nil
	}
	return meta.Encode()
}

// uselessNames are the kind of the object and REST routes.
var uselessNames = []string{"object", "links", "url"}

// informative removes nulls, the kind of the object, REST routes, empty lists of warnings, and counts that were not
// requested.
func informative(envelope rawjson.Object) rawjson.Object {
	kept := make(rawjson.Object, 0, len(envelope))
	for _, member := range envelope {
		if meta, ok := rawjson.ParseObject(member.Value); ok && member.Name == "meta" {
			if warnings, ok := rawjson.Elements(meta.Get("warnings")); ok && len(warnings) == 0 {
				meta = meta.Without("warnings")
			}
			if count, ok := rawjson.ParseObject(meta.Get(wire.Count)); ok && count.Text("kind") == countNone {
				meta = meta.Without(wire.Count)
			}
			if member.Value = meta.Encode(); len(meta) == 0 {
				continue
			}
		}
		if rawjson.Kind(member.Value) != rawjson.Null && !slices.Contains(uselessNames, member.Name) {
			kept = append(kept, member)
		}
	}
	return kept
}

// withText appends texts as rawjson.Texts returns them.
func withText(object rawjson.Object, namesAndTexts ...string) rawjson.Object {
	return append(object, rawjson.Texts(namesAndTexts...)...)
}

func withCalls(object rawjson.Object, name string, calls []answer.Call) rawjson.Object {
	if len(calls) == 0 {
		return object
	}
	if !slices.Contains([]string{nextWord, conversationName, nearName}, name) { // the name says what the calls are for
		calls = answer.CallKind("").As(slices.Clone(calls)...)
	}
	return append(object, rawjson.Raw(name, Calls(calls)))
}

// Structured returns a structured object: the members, then the continuations, then the provider.
func Structured(origin answer.Origin, members rawjson.Object, calls []answer.Call) json.RawMessage {
	return finished(origin, members, calls).Encode()
}

// finished appends the last members of every structured object. Only errors and windows have the RS's request id
// (R-ERR-1, R-WIN-2).
func finished(origin answer.Origin, members rawjson.Object, calls []answer.Call) rawjson.Object {
	return withText(withCalls(members, "next", calls), "provider_url", tool.ProviderOrigin(origin.URL))
}

// Bounds of a result (R-BUD-2), in characters as Length counts them.
const (
	TextCharacters    = 24_000 // text of records, aggregate and search
	ChannelCharacters = 40_000 // text or structured output of any result
)

// Length returns the length of UTF-8 in UTF-16 code units, as hosts written in JavaScript count. It is never less than
// the number of code points, nor more than the number of bytes.
func Length[T ~string | ~[]byte](text T) int {
	units := len(text)
	for i := rawjson.SkipASCII(text, 0); i < len(text); i = rawjson.SkipASCII(text, i+1) {
		switch b := text[i]; {
		case b >= 0xF0: // begins a code point of four bytes, which is two units
			units++
		case b >= 0x80 && b < 0xC0: // continues a code point
			units--
		}
	}
	return units
}

// bounded returns an error if the result is too large. Renderers make their results fit, but cannot shorten a cursor.
func bounded(origin answer.Origin, result *tool.Result, textBound int) (*tool.Result, error) {
	isTextOver := exceeds(textBound, result.Text)
	isStructuredOver := exceeds(ChannelCharacters, result.Structured)
	if page := result.Page; page != nil {
		isTextOver, isStructuredOver = exceeds(textBound, page.Text[:]...), exceeds(ChannelCharacters, page.Structured[:]...)
	}
	tooLarge := &answer.TooLargeError{Origin: origin, NextStep: "narrow the call"}
	switch {
	case isTextOver:
		tooLarge.Message = "the answer holds handles that do not fit into the text"
	case isStructuredOver:
		tooLarge.Message = "the answer holds members that do not fit into one result"
	default:
		return result, nil
	}
	return nil, tooLarge
}

// exceeds reports whether the parts of a channel are longer than a limit together, in characters as Length counts them.
func exceeds[T ~string | ~[]byte](limit int, parts ...T) bool {
	size, length := 0, 0
	for _, part := range parts {
		size += len(part)
	}
	if size <= limit {
		return false
	}
	for _, part := range parts {
		length += Length(part)
	}
	return length > limit
}

// maxSearchedDepth limits how deep a hit is searched for resource URIs. Deeper values are left out: no search hit has
// that depth.
const maxSearchedDepth = 32

// handleURI is a record or field-window URI, also within a text.
var handleURI = regexp.MustCompile(`pdpp://(?:record|field-window)(?:/[^\s"'<>]*)?`)

// withoutURIs removes record and field-window URIs from a value and collects them (R-SEARCH-10). It returns nil for
// such a URI.
func withoutURIs(value json.RawMessage, depth int, uris *[]json.RawMessage) json.RawMessage {
	kind := rawjson.Kind(value)
	switch {
	case !mayHoldURI(value):
		return value
	case rawjson.IsNested(value) && depth == maxSearchedDepth:
		return nil
	case kind == rawjson.StringValue:
		text := rawjson.TextOf(value)
		found := handleURI.FindAllString(text, -1)
		if found == nil {
			return value
		}
		for _, uri := range found {
			*uris = append(*uris, rawjson.Quote(uri))
		}
		if text = handleURI.ReplaceAllString(text, ""); text == "" {
			return nil
		}
		return rawjson.Quote(text)
	case kind == rawjson.ObjectValue:
		object, _ := rawjson.ParseObject(value)
		kept := rawjson.Object{}
		for _, member := range object {
			if member.Value = withoutURIs(member.Value, depth+1, uris); member.Value != nil {
				kept = append(kept, member)
			}
		}
		return kept.Encode()
	case kind == rawjson.ArrayValue:
		elements, _ := rawjson.Elements(value)
		kept := []json.RawMessage{}
		for _, element := range elements {
			if element = withoutURIs(element, depth+1, uris); element != nil {
				kept = append(kept, element)
			}
		}
		return rawjson.Array(kept)
	}
	return value
}
