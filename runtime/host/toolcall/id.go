package toolcall

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// messageID is the id of a JSON-RPC message. Two spellings of one number, such as 5 and 5.0, are the same id.
type messageID struct {
	jsonrpc.ID
	written json.RawMessage // in the response: a string, or an integer without fraction and exponent; nil if there is no id
}

func (id messageID) isSet() bool { return id.written != nil }

var (
	errUnusableID = errors.New("invalid id: use a string, or an integer from -9007199254740992 to 9007199254740992")
	errTwoIDs     = errors.New(`the message has the member "id" twice`)
)

// idOf returns the id of a message, or zero.
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

// readID reads an id: a string, or an integer that every JSON reader reads exactly (RFC 8259, section 6; R-STDIO-7).
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

// maxExact is the largest integer up to which a float64 holds every integer: 2^53.
const maxExact = 1 << 53

// exactInteger returns the value of a JSON number that is an integer within ±2^53. The digits reveal whether it was rounded.
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
