package host_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// comparison is one request with both responses.
type comparison struct {
	mutation
	got, want verdict
}

// refusedFor reports whether the whole request is refused with a text.
func (c comparison) refusedFor(text string) bool {
	only := c.got.only()
	return (only.code == jsonrpc.CodeInvalidRequest || only.code == jsonrpc.CodeParseError) &&
		strings.Contains(only.message, text)
}

// hasSome reports whether a response is a refusal with one of the texts.
func (c comparison) hasSome(texts ...string) bool {
	for _, each := range c.got.answers {
		for _, text := range texts {
			if each.code != 0 && strings.Contains(each.message, text) {
				return true
			}
		}
	}
	return false
}

// difference is an accepted difference between the responses.
type difference struct {
	reason string
	is     func(comparison) bool
}

// differences are all accepted differences between this server and the SDK.
var differences = []difference{
	{
		"R-STDIO-7: a message is not nested deeper than 512; the SDK reads 1,000 levels, and over stdio ends the session behind them", func(c comparison) bool {
			return c.refusedFor("nests deeper than 512") && depthOf(c.body) > 512
		},
	},
	{
		"R-STDIO-7: an id is a string or an integer within ±2^53; the SDK rounds numbers and takes null for a notification",
		func(c comparison) bool {
			return c.refusedFor("use a string, or an integer") && c.got.only().id == "null" && !hasExactID(c.body)
		},
	},
	{"R-STDIO-7: no member twice in message, params and _meta; the SDK takes the last one", func(c comparison) bool {
		return c.refusedFor("twice") && hasRepeatedMember(c.body)
	}},
	{"RFC 8259: a message is UTF-8; the SDK replaces what is not", func(c comparison) bool {
		return c.refusedFor("not UTF-8") && !utf8.ValidString(c.body)
	}},
	{
		"RFC 8259: a body is one JSON value; the SDK reads no further than its end, and takes control characters in strings",
		func(c comparison) bool {
			return c.refusedFor("not JSON") && !json.Valid([]byte(c.body))
		},
	},
	{"JSON-RPC 2.0, section 4: a request has no result and no error; the SDK overlooks them", func(c comparison) bool {
		return c.refusedFor("neither result nor error") &&
			(strings.Contains(c.body, `"result"`) || strings.Contains(c.body, `"error"`))
	}},
	{
		`JSON-RPC 2.0, section 4: "Method" is no method; the SDK takes a message without one for a response`,
		func(c comparison) bool {
			return c.refusedFor(`has no member "method"`) && len(c.want.answers) == 0 && !strings.Contains(c.body, `"method":"`)
		},
	},
	{"JSON-RPC 2.0, section 4: a method is a string; the SDK takes null for an empty one", func(c comparison) bool {
		return c.refusedFor(`"method" is not a string`) && strings.Contains(c.body, "null")
	}},
	{"a header of MCP comes once; the SDK takes the first", func(c comparison) bool {
		return c.refusedFor("is sent twice") &&
			(len(c.header["Mcp-Method"]) > 1 || len(c.header["Mcp-Name"]) > 1 || len(c.header["Mcp-Protocol-Version"]) > 1)
	}},
	{
		"a message that both refuse is refused with its id where it has one; over HTTP the SDK says it in plain text",
		func(c comparison) bool {
			return c.refusedFor("") && c.got.status == http.StatusBadRequest && c.want.status == http.StatusBadRequest &&
				c.got.only().isOwn && c.want.refused != ""
		},
	},
	{"a message that both refuse is answered; over stdio the SDK ends the session", func(c comparison) bool {
		return c.refusedFor("") && c.want.isOver && !c.got.isOver && len(c.want.answers) == 0
	}},
	{
		"R-HOST-1: an unknown method over HTTP is -32601 with the id of its request; the SDK says 400 in plain text before 2026-07-28", func(c comparison) bool {
			return c.got.status == http.StatusOK && c.got.only().code == jsonrpc.CodeMethodNotFound &&
				c.want.status == http.StatusBadRequest && strings.HasSuffix(c.want.refused, "unsupported")
		},
	},
	{"R-HOST-1: an unknown notification over HTTP is taken, as over stdio", func(c comparison) bool {
		return c.got.status == http.StatusAccepted && c.want.status == http.StatusBadRequest &&
			strings.HasSuffix(c.want.refused, "unsupported")
	}},
	{
		"JSON-RPC 2.0, section 6: each message of a batch is answered by itself; the SDK refuses all of them for one",
		func(c comparison) bool {
			return (c.got.isBatch || c.got.status == http.StatusAccepted) && isBatch(c.body) &&
				c.want.status == http.StatusBadRequest && !c.want.isBatch
		},
	},
	{"a number that no float64 holds is the tool's to judge in every revision; in 2026-07-28 the SDK stumbles over it " +
		"when it compares the header with the name", func(c comparison) bool {
		return c.got.only().code == 0 && c.want.only().code == mcp.CodeHeaderMismatch &&
			strings.HasPrefix(c.want.only().message, "failed to extract name") && strings.Contains(c.body, "1e999")
	}},
	{
		"MCP 2026-07-28: a result says that it is complete; the SDK leaves that out in a session that began with an older revision", func(c comparison) bool {
			const complete = `"resultType" "complete" `
			return c.begun < newestRevision && strings.Contains(c.got.only().all, complete) &&
				strings.Replace(c.got.only().all, complete, "", 1) == c.want.only().all
		},
	},
	{"R-STDIO-7: the faults above in one message of a batch", func(c comparison) bool {
		return c.got.isBatch && isBatch(c.body) &&
			c.hasSome("twice", "use a string, or an integer", "neither result nor error", `has no member "method"`,
				`"method" is not a string`)
	}},
	{"R-STDIO-7: one id twice in a batch is refused; the SDK gives one of both answers", func(c comparison) bool {
		return c.refusedFor("have the same id") && isBatch(c.body)
	}},
}

func isBatch(body string) bool { return strings.HasPrefix(strings.TrimLeft(body, " \t\r"), "[") }

// depthOf returns the nesting of a text, up to its first error.
func depthOf(body string) int {
	decoder, depth, most := json.NewDecoder(strings.NewReader(body)), 0, 0
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return most
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			most = max(most, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// hasExactID reports whether a message has a valid id, computed with package strconv.
func hasExactID(body string) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		return false
	}
	id := members["id"]
	var text string
	if string(id) != "null" && json.Unmarshal(id, &text) == nil {
		return true
	}
	number, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && number >= -1<<53 && number <= 1<<53
}

// hasRepeatedMember reports whether one of the three outermost levels has a duplicate member.
func hasRepeatedMember(body string) bool {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	repeated := false
	var value func(depth int) error
	value = func(depth int) error {
		token, err := decoder.Token()
		if err != nil || token != json.Delim('{') && token != json.Delim('[') {
			return err
		}
		seen := map[string]bool{}
		for decoder.More() {
			if token == json.Delim('{') {
				name, err := decoder.Token()
				if err != nil {
					return err
				}
				text, _ := name.(string)
				repeated = repeated || seen[text] && depth < 3
				seen[text] = true
			}
			if err := value(depth + 1); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
		return err
	}
	return value(0) == nil && repeated
}
