package host

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

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

const (
	// nestingMost is how deep a message nests at most (R-STDIO-7).
	nestingMost = 512

	// nestingReadable is how deep a message nests at most whose id is still looked for, to refuse it by its id.
	nestingReadable = 10_000
)

// message is one JSON-RPC message. Its bytes are checked once, here, for both transports: all other code can rely on it
// that they are JSON in UTF-8 of bounded depth and that message, params and _meta name no member twice (R-STDIO-7).
type message struct {
	raw    json.RawMessage
	id     messageID // the zero value for none
	method string    // of a request or a notification
	params json.RawMessage
	named  rawjson.Object // the members of params when they are an object, else nil

	response bool           // it answers a request of the server's, and has no method
	refused  *jsonrpc.Error // why it is no message; nothing but raw and id is set then
}

// isCall reports whether a message is a request, which is answered.
func (m message) isCall() bool { return m.refused == nil && !m.response && m.id.isThere() }

// refusedAs is a message that is answered with an error of JSON-RPC 2.0, section 5.1.
func refusedAs(id messageID, code int64, text string) message {
	return message{id: id, refused: &jsonrpc.Error{Code: code, Message: text}}
}

func invalidRequest(id messageID, text string) message {
	return refusedAs(id, jsonrpc.CodeInvalidRequest, "invalid request: "+text)
}

// splitMessages checks bytes and gives the messages in them, which are several in a batch. What cannot be read at all
// is refused as one message.
func splitMessages(text []byte) (messages []json.RawMessage, isBatch bool, bad message) {
	text = bytes.Trim(text, " \t\r\n")
	if !utf8.Valid(text) {
		return nil, false, refusedAs(messageID{}, jsonrpc.CodeParseError, "parse error: the message is not UTF-8")
	}
	switch err := rawjson.Check(text, nestingMost); {
	case errors.Is(err, rawjson.ErrTooDeep):
		var id messageID
		if rawjson.Check(text, nestingReadable) == nil {
			object, _ := rawjson.ParseObject(text)
			id, _ = idOf(object)
		}
		return nil, false, invalidRequest(id, fmt.Sprintf("the message nests deeper than %d levels", nestingMost))
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

// readMessage reads one of the messages that splitMessages gives.
func readMessage(text json.RawMessage) message {
	members, isObject := rawjson.ParseObject(text)
	if !isObject {
		return invalidRequest(messageID{}, "a message is an object")
	}
	id, err := idOf(members)
	if err != nil {
		return invalidRequest(messageID{}, err.Error())
	}
	if name, twice := repeated(members); twice {
		return invalidRequest(id, fmt.Sprintf("the message has the member %q twice", name))
	}
	if version, _ := rawjson.Text(member(members, "jsonrpc")); version != "2.0" {
		return invalidRequest(id, `the member "jsonrpc" is not "2.0"`)
	}
	m := message{raw: text, id: id, params: member(members, "params")}
	method := member(members, "method")
	isAnswer := member(members, "result") != nil || member(members, "error") != nil
	switch {
	case method == nil && isAnswer && id.isThere():
		if _, err := jsonrpc.DecodeMessage(text); err != nil {
			return invalidRequest(id, "the response is not one of JSON-RPC 2.0")
		}
		m.response = true
		return m
	case method == nil:
		return invalidRequest(id, `the message has no member "method"`)
	case isAnswer:
		return invalidRequest(id, "a request has neither result nor error")
	}
	var isText bool
	if m.method, isText = rawjson.Text(method); !isText {
		return invalidRequest(id, `the member "method" is not a string`)
	}
	if m.named, _ = rawjson.ParseObject(m.params); m.named == nil {
		return m
	}
	if name, twice := repeated(m.named); twice {
		return invalidRequest(id, fmt.Sprintf("params has the member %q twice", name))
	}
	meta, _ := rawjson.ParseObject(member(m.named, "_meta"))
	if name, twice := repeated(meta); twice {
		return invalidRequest(id, fmt.Sprintf("_meta has the member %q twice", name))
	}
	return m
}

// readBatch reads the messages of a batch. Two requests with one id make the whole batch refused, since their
// answers could not be told apart; any other fault is that message's alone (JSON-RPC 2.0, section 6).
func readBatch(texts []json.RawMessage) (batch []message, bad message) {
	batch = make([]message, len(texts))
	known := make(map[jsonrpc.ID]bool, len(texts))
	for i, text := range texts {
		batch[i] = readMessage(text)
		if !batch[i].isCall() {
			continue
		}
		if known[batch[i].id.ID] {
			return nil, invalidRequest(messageID{}, "two requests of the batch have the same id")
		}
		known[batch[i].id.ID] = true
	}
	return batch, message{}
}

// refusal is the answer to a message that is refused. Its id is null where there is none to use.
func (m message) refusal() []byte { return errorAnswer(m.id, m.refused) }

// errorAnswer is the response to a request that failed.
func errorAnswer(id messageID, failed *jsonrpc.Error) []byte {
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

// joinAnswers is the answer to a batch: those to its messages in their order, or nil when there is none.
func joinAnswers(answers []json.RawMessage) []byte {
	given := slices.DeleteFunc(answers, func(answer json.RawMessage) bool { return answer == nil })
	if len(given) == 0 {
		return nil
	}
	return rawjson.Array(given)
}

// member is the value of a member as it was spelled, null too, or nil when there is none.
func member(object rawjson.Object, name string) json.RawMessage {
	for _, each := range object {
		if each.Name == name {
			return each.Value
		}
	}
	return nil
}

// repeated gives a name that an object has twice. A map of few members stays on the stack.
func repeated(object rawjson.Object) (name string, isTwice bool) {
	known := make(map[string]bool)
	for _, each := range object {
		if known[each.Name] {
			return each.Name, true
		}
		known[each.Name] = true
	}
	return "", false
}

// messageID is the id of a JSON-RPC message. Two spellings of one id, such as 5 and 5.0, are the same id.
type messageID struct {
	jsonrpc.ID                 // the zero value for none
	written    json.RawMessage // as it stands in the answer: a string, or an integer without fraction and exponent
}

func (id messageID) isThere() bool { return id.written != nil }

var (
	errUnusableID = errors.New("an id is a string or an integer from -9007199254740992 to 9007199254740992")
	errTwoIDs     = errors.New(`the message has the member "id" twice`)
)

// idOf is the id of a message, or the zero value when it has none.
func idOf(members rawjson.Object) (messageID, error) {
	var spelled json.RawMessage
	for _, each := range members {
		switch {
		case each.Name != "id":
		case spelled != nil:
			return messageID{}, errTwoIDs
		default:
			spelled = each.Value
		}
	}
	if spelled == nil {
		return messageID{}, nil
	}
	return readID(spelled)
}

// readID reads a value that is an id: a string, or an integer that every reader of JSON has exactly (RFC 8259, section 6;
// R-STDIO-7), however it is spelled.
func readID(value json.RawMessage) (messageID, error) {
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

// exactMost bounds the integers that a float64 holds without rounding: 2^53.
const exactMost = 1 << 53

// exactInteger is the value of a JSON number that is an integer within ±2^53. The nearest float64 has its digits only when
// nothing was rounded.
func exactInteger(number string) (int64, bool) {
	nearest, err := strconv.ParseFloat(number, 64)
	if err != nil || math.Trunc(nearest) != nearest || math.Abs(nearest) > exactMost {
		return 0, false
	}
	value := int64(nearest)
	return value, digitsOf(number) == digitsOf(strconv.FormatInt(value, 10))
}

// digitsOf gives the digits of a number from the first to the last that is not 0.
func digitsOf(number string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(strings.Replace(mantissa, ".", "", 1), "-0")
}
