package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A terminal reads what Answer lists, so its bounds are wider than those of a model.
const (
	answerValueMost = 2_000   // bytes of one value in the listing
	answerTextMost  = 256_000 // bytes of the listing
)

// AnswerInput is what the renderer of a command's answer needs to know of the call: nothing.
type AnswerInput struct{}

// EventCapabilitiesInput likewise.
type EventCapabilitiesInput struct{}

// Answer gives the RS's JSON as it is and, as text, a line for each row of a list, or for each member of any
// other object. A change that was answered without a body gives an empty object.
func Answer(_ context.Context, _ tool.Env, response *rs.Response, _ AnswerInput) (*tool.Result, error) {
	if response.Body() == nil {
		return &tool.Result{Text: "done", Structured: json.RawMessage("{}")}, nil
	}
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if list, ok := rs.ListIn(response.Compact()); ok {
		return &tool.Result{Text: listing(list.Rows), Structured: response.Body()}, nil
	}
	return &tool.Result{Text: memberLines(body), Structured: response.Body()}, nil
}

// EventCapabilities gives capabilities.client_event_subscriptions of the protected resource's metadata (RFC 9728
// lets a resource add members). Metadata without it means that the provider offers none.
func EventCapabilities(_ context.Context, _ tool.Env, response *rs.Response, _ EventCapabilitiesInput) (*tool.Result, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	all, _ := rawjson.ParseObject(body.Get("capabilities"))
	found, ok := rawjson.ParseObject(all.Get("client_event_subscriptions"))
	if !ok {
		return &tool.Result{
			Text:       "the provider's metadata offers no event subscriptions",
			Structured: json.RawMessage(`{"supported":false}`),
		}, nil
	}
	return &tool.Result{Text: memberLines(found), Structured: all.Get("client_event_subscriptions")}, nil
}

// listing has a line of key=value tokens for each row.
func listing(rows []json.RawMessage) string {
	if len(rows) == 0 {
		return "no rows"
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		members, _ := rawjson.ParseObject(row)
		lines = append(lines, strings.Join(tokens(members), " "))
	}
	return boundedLines(lines)
}

func memberLines(members rawjson.Object) string { return boundedLines(tokens(members)) }

// tokens are name=value for each member, with the value as JSON on one line.
func tokens(members rawjson.Object) []string {
	tokens := make([]string, len(members))
	for i, member := range members {
		value := string(member.Value)
		if len(value) > answerValueMost {
			value = fmt.Sprintf("(%d bytes; --format json shows them)", len(value))
		}
		tokens[i] = member.Name + "=" + value
	}
	return tokens
}

func boundedLines(lines []string) string {
	size := 0
	for i, line := range lines {
		if size += len(line) + 1; size > answerTextMost {
			return strings.Join(append(lines[:i:i], fmt.Sprintf("%d more lines; --format json shows them", len(lines)-i)), "\n")
		}
	}
	return strings.Join(lines, "\n")
}
