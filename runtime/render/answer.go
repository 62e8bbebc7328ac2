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

// Bounds of a listing in bytes. A person reads it at a terminal, so they are wider than those of a model.
const (
	listedValueBytes = 2_000
	listingBytes     = 256_000
)

// AnswerInput is what Answer needs to know of the call.
type AnswerInput struct{}

// EventCapabilitiesInput is what EventCapabilities needs to know of the call.
type EventCapabilitiesInput struct{}

// Answer returns the RS's JSON unchanged and, as text, a line for each row of a list or for each member of any other object. A change that
// was answered without a body returns an empty object.
func Answer(_ context.Context, _ tool.Env, response *rs.Response, _ AnswerInput) (*tool.Result, error) {
	if response.Body() == nil {
		return &tool.Result{Text: "done", Structured: json.RawMessage("{}")}, nil
	}
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	list, isList := rs.ListIn(response.Compact())
	if !isList {
		return &tool.Result{Text: memberLines(body), Structured: response.Body()}, nil
	}
	lines := make([]string, len(list.Rows))
	for i, row := range list.Rows {
		members, _ := rawjson.ParseObject(row)
		lines[i] = strings.Join(listedMembers(members), " ")
	}
	text := "no rows"
	if len(lines) > 0 {
		text = boundedLines(lines)
	}
	return &tool.Result{Text: text, Structured: response.Body()}, nil
}

// EventCapabilities returns capabilities.client_event_subscriptions of the protected resource's metadata, to which RFC 9728 lets a resource add
// members. Metadata without it means that the provider offers no subscriptions.
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

func memberLines(members rawjson.Object) string { return boundedLines(listedMembers(members)) }

// listedMembers returns name=value for each member, the value as JSON on one line.
func listedMembers(members rawjson.Object) []string {
	listed := make([]string, len(members))
	for i, member := range members {
		value := string(member.Value)
		if len(value) > listedValueBytes {
			value = fmt.Sprintf("(%d bytes; --format json shows them)", len(value))
		}
		listed[i] = member.Name + "=" + value
	}
	return listed
}

func boundedLines(lines []string) string {
	size := 0
	for i, line := range lines {
		if size += len(line) + 1; size > listingBytes {
			return strings.Join(append(lines[:i:i], fmt.Sprintf("%d more lines; --format json shows them", len(lines)-i)), "\n")
		}
	}
	return strings.Join(lines, "\n")
}
