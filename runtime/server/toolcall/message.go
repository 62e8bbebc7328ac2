package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

const (
	// maxDepth limits the nesting of a message (R-STDIO-7).
	maxDepth = 512

	// maxReadableDepth limits the nesting of a refused message whose id is still read for the response.
	maxReadableDepth = 10_000
)

// message is one JSON-RPC message, checked for both transports: UTF-8, JSON, limited depth, and no duplicate members in
// the message, its params and their _meta (R-STDIO-7).
type message struct {
	raw     json.RawMessage
	id      messageID // may be zero
	method  string    // empty for a response
	params  json.RawMessage
	members rawjson.Object // of params; nil if those are not an object

	isResponse bool           // to a request of the server
	refused    *jsonrpc.Error // why the message is invalid; only id is set then
}

func (m message) isRequest() bool { return m.refused == nil && !m.isResponse && m.id.isSet() }

func refusedAs(id messageID, code int64, text string) message {
	return message{id: id, refused: &jsonrpc.Error{Code: code, Message: text}}
}

func invalidRequest(id messageID, format string, values ...any) message {
	return refusedAs(id, jsonrpc.CodeInvalidRequest, "invalid request: "+fmt.Sprintf(format, values...))
}

// splitMessages checks a text and returns its messages: one, or those of a batch. If the text cannot be read, bad is
// the refusal.
func splitMessages(text []byte) (messages []json.RawMessage, isBatch bool, bad message) {
	text = bytes.Trim(text, " \t\r\n")
	if !utf8.Valid(text) {
		return nil, false, refusedAs(messageID{}, jsonrpc.CodeParseError, "parse error: the message is not UTF-8")
	}
	switch err := rawjson.Check(text, maxDepth); {
	case errors.Is(err, rawjson.ErrTooDeep):
		var id messageID
		if rawjson.Check(text, maxReadableDepth) == nil {
			object, _ := rawjson.ParseObject(text)
			if name, _ := duplicate(object); name != "id" {
				id, _ = readID(member(object, "id"))
			}
		}
		return nil, false, invalidRequest(id, "the message nests deeper than %d levels", maxDepth)
	case err != nil:
		return nil, false, refusedAs(messageID{}, jsonrpc.CodeParseError, "parse error: the message is not JSON; send one JSON-RPC message")
	}
	if rawjson.Kind(text) != rawjson.ArrayValue {
		return []json.RawMessage{text}, false, message{}
	}
	if messages, _ = rawjson.Elements(text); len(messages) == 0 {
		return nil, false, invalidRequest(messageID{}, "the batch is empty")
	}
	return messages, true, message{}
}

func readMessage(text json.RawMessage) message {
	members, isObject := rawjson.ParseObject(text)
	if !isObject {
		return invalidRequest(messageID{}, "a message must be an object")
	}
	id, err := readID(member(members, "id"))
	switch name, isDuplicate := duplicate(members); {
	case isDuplicate && name == "id":
		return invalidRequest(messageID{}, `the message has the member "id" twice`)
	case err != nil:
		return invalidRequest(messageID{}, "%s", err)
	case isDuplicate:
		return invalidRequest(id, "the message has the member %q twice", name)
	}
	if version, _ := rawjson.Text(member(members, "jsonrpc")); version != "2.0" {
		return invalidRequest(id, `the member "jsonrpc" is not "2.0"`)
	}
	m := message{raw: text, id: id, params: member(members, "params")}
	method := member(members, "method")
	hasResult := member(members, "result") != nil || member(members, "error") != nil
	var isText bool
	switch {
	case method == nil && hasResult && id.isSet():
		if _, err := jsonrpc.DecodeMessage(text); err != nil {
			return invalidRequest(id, "the response is not valid JSON-RPC 2.0")
		}
		m.isResponse = true
		return m
	case method == nil:
		return invalidRequest(id, `the message has no member "method"`)
	case hasResult:
		return invalidRequest(id, "a request must have neither result nor error")
	}
	if m.method, isText = rawjson.Text(method); !isText {
		return invalidRequest(id, `the member "method" is not a string`)
	}
	m.members, _ = rawjson.ParseObject(m.params)
	if name, isDuplicate := duplicate(m.members); isDuplicate {
		return invalidRequest(id, "params has the member %q twice", name)
	}
	meta, _ := rawjson.ParseObject(member(m.members, "_meta"))
	if name, isDuplicate := duplicate(meta); isDuplicate {
		return invalidRequest(id, "_meta has the member %q twice", name)
	}
	return m
}

// readBatch reads the messages of a batch. Two requests with the same id invalidate the whole batch, because the client
// could not distinguish their responses. Other faults affect only their message (JSON-RPC 2.0, section 6).
func readBatch(texts []json.RawMessage) (batch []message, bad message) {
	batch = make([]message, len(texts))
	known := make(map[jsonrpc.ID]bool, len(texts))
	for i, text := range texts {
		batch[i] = readMessage(text)
		if !batch[i].isRequest() {
			continue
		}
		if known[batch[i].id.ID] {
			return nil, invalidRequest(messageID{}, "two requests of the batch have the same id")
		}
		known[batch[i].id.ID] = true
	}
	return batch, message{}
}

func (m message) refusal() []byte { return errorResponse(m.id, m.refused) }

// errorResponse returns an error response. A missing id becomes null.
func errorResponse(id messageID, failed *jsonrpc.Error) []byte {
	written := id.written
	if written == nil {
		written = json.RawMessage("null")
	}
	object := rawjson.Object{rawjson.Int("code", failed.Code), rawjson.String("message", failed.Message)}
	if failed.Data != nil {
		object = append(object, rawjson.Raw("data", failed.Data))
	}
	return rawjson.Object{rawjson.String("jsonrpc", "2.0"), rawjson.Raw("id", written), rawjson.Raw("error", object.Encode())}.Encode()
}

func joinResponses(responses []json.RawMessage) []byte {
	given := slices.DeleteFunc(responses, func(response json.RawMessage) bool { return response == nil })
	if len(given) == 0 {
		return nil
	}
	return rawjson.Array(given)
}

// member returns the value of a member, null included, or nil if there is no such member.
func member(object rawjson.Object, name string) json.RawMessage {
	for _, each := range object {
		if each.Name == name {
			return each.Value
		}
	}
	return nil
}

func duplicate(object rawjson.Object) (name string, isDuplicate bool) {
	known := make(map[string]bool)
	for _, each := range object {
		if known[each.Name] {
			return each.Name, true
		}
		known[each.Name] = true
	}
	return "", false
}

// messageID is the id of a JSON-RPC message. Two spellings of one number, such as 5 and 5.0, are the same id.
type messageID struct {
	jsonrpc.ID
	written json.RawMessage // in the response: a string, or an integer without fraction and exponent; nil if there is no id
}

func (id messageID) isSet() bool { return id.written != nil }

var errUnusableID = errors.New("invalid id: use a string, or an integer from -9007199254740992 to 9007199254740992")

// readID reads an id: a string, or an integer that every JSON reader reads exactly (RFC 8259, section 6; R-STDIO-7).
func readID(value json.RawMessage) (messageID, error) {
	if value == nil {
		return messageID{}, nil
	}
	if text, isText := rawjson.Text(value); isText {
		id, err := jsonrpc.MakeID(text)
		return messageID{ID: id, written: rawjson.Quote(text)}, err
	}
	number, ok := exactInteger(string(value))
	if !ok {
		return messageID{}, errUnusableID
	}
	id, err := jsonrpc.MakeID(float64(number))
	return messageID{ID: id, written: strconv.AppendInt(nil, number, 10)}, err
}

// maxExact is the largest integer up to which a float64 holds every integer: 2^53.
const maxExact = 1 << 53

// exactInteger returns the value of a JSON number that is an integer within ±2^53. It compares the digits, because
// parsing rounds a number with too many.
func exactInteger(number string) (int64, bool) {
	nearest, err := strconv.ParseFloat(number, 64)
	if err != nil || math.Trunc(nearest) != nearest || math.Abs(nearest) > maxExact {
		return 0, false
	}
	value := int64(nearest)
	return value, significantDigits(number) == significantDigits(strconv.FormatInt(value, 10))
}

func significantDigits(number string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(strings.Replace(mantissa, ".", "", 1), "-0")
}
