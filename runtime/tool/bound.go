package tool

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of an error, in bytes of JSON, which are never fewer than its characters. The text of any
// tool holds 8,000 characters (R-BUD-2), and the error object is that text.
const (
	errorBytes     = 7_800
	messageBytes   = 1_600 // of a message or a hint, when the error object is too large
	memberBytes    = 500   // of any other member then, save the candidates
	candidateBytes = 4_000 // of all candidates then
	urlBytes       = 2_000
	requestIDBytes = 200
)

// kept are the members that stay when an error object is too large (rs-contract.md, Envelopes), those
// that a model needs first in front.
var kept = []string{
	"type", "code", "message", "hint", "param", "did_you_mean", "retry_with", "retry_after", "available_connections",
	"available_connections_total", "available_connections_truncated", "next", "accepted", "request_id", "next_step",
	"resource_metadata", "unavailable_connections",
}

// bounded keeps an error object small enough for a tool result. The member truncated says that something was left out.
func (o object) bounded() object {
	if len(o.Encode()) <= errorBytes {
		return o
	}
	var short object
	for _, name := range kept {
		value := o.Get(name)
		switch {
		case len(value) == 0:
		case name == "type" || name == "code":
			short.raw(name, clippedText(value, memberBytes))
		case name == "message" || name == "hint":
			short.raw(name, clippedText(value, messageBytes))
		case name == "available_connections":
			short.candidates(value)
		case len(value) <= min(memberBytes, errorBytes-len(short.Encode())-len(name)-40):
			short.raw(name, value)
		}
	}
	short.set(rawjson.Bool("truncated", true))
	return short
}

// clippedText shortens a JSON string to so many bytes of JSON and says that it did. A value of another
// JSON type is dropped when it is longer.
func clippedText(value json.RawMessage, most int) json.RawMessage {
	if len(value) <= most {
		return value
	}
	text, isText := rawjson.Text(value)
	if !isText {
		return nil
	}
	for shown := text; ; {
		clipped := rawjson.Quote(fmt.Sprintf("%s… (%d of %d bytes shown)", shown, len(shown), len(text)))
		if len(clipped) <= most || shown == "" {
			return clipped
		}
		shown = strings.ToValidUTF8(shown[:min(len(shown)-1, len(shown)*most/len(clipped))], "")
	}
}

// candidates sets as many whole candidates as fit, and their total (R-ERR-5).
func (o *object) candidates(value json.RawMessage) {
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
		o.truncated(len(candidates))
	}
}

// truncated says that there are more candidates than are shown, and where to see them (R-ERR-5).
func (o *object) truncated(total int) {
	o.set(rawjson.Int("available_connections_total", int64(total)))
	o.set(rawjson.Bool("available_connections_truncated", true))
	hint := "Call " + SchemaTool + " to see every connection."
	if own := o.Text("hint"); own != "" && own != hint {
		hint = own + " " + hint
	}
	o.text("hint", hint)
}

// ProviderOrigin is the origin of a URL that was read, scheme and host, as results and errors show it (R-ERR-8).
// It is empty for what is no such URL, and for one that is too long for a result.
func ProviderOrigin(read string) string {
	parsed, err := url.Parse(read)
	if err != nil || parsed.Host == "" || len(parsed.Host) > urlBytes {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

// ShownRequestID is a request id as a result shows it: not at all when it is longer than any server's.
func ShownRequestID(id string) string {
	if len(id) > requestIDBytes {
		return ""
	}
	return id
}
