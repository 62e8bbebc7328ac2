package host

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

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

// exactMost bounds the integers that a float64 tells apart from their neighbours: 2^53.
const exactMost = 1 << 53

// exactInteger is the value of a JSON number that is an integer within ±2^53. Its digits are moved as the exponent says and
// not computed with, so that nothing is rounded.
func exactInteger(number string) (int64, bool) {
	mantissa, exponent, isScaled := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	sign := ""
	if rest, isNegative := strings.CutPrefix(whole, "-"); isNegative {
		sign, whole = "-", rest
	}
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimLeft(whole+fraction, "0")
	switch {
	case number == "" || strings.Trim(whole, "0123456789") != "" || whole == "":
		return 0, false // no number
	case digits == "":
		return 0, true
	}
	shift := -len(fraction)
	if isScaled {
		scale, err := strconv.Atoi(exponent)
		if err != nil || max(scale, -scale) > len(number)+len("9007199254740992") {
			return 0, false // far beyond every id, or far below 1
		}
		shift += scale
	}
	for ; shift < 0 && strings.HasSuffix(digits, "0"); shift++ {
		digits = digits[:len(digits)-1]
	}
	if shift < 0 || len(digits)+shift > len("9007199254740992") {
		return 0, false
	}
	value, err := strconv.ParseInt(sign+digits+strings.Repeat("0", shift), 10, 64)
	return value, err == nil && value >= -exactMost && value <= exactMost
}
