package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// AnswerInput has the arguments of Answer.
type AnswerInput struct{}

// EventCapabilitiesInput has the arguments of EventCapabilities.
type EventCapabilitiesInput struct{}

// Answer returns the RS's JSON unchanged and, as text, a line for each row of a list or each member of another object.
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
		return &tool.Result{Text: render.Members(body), Structured: response.Body()}, nil
	}
	rows := make([]rawjson.Object, len(list.Rows))
	for i, row := range list.Rows {
		rows[i], _ = rawjson.ParseObject(row)
	}
	return &tool.Result{Text: render.Rows(rows), Structured: response.Body()}, nil
}

// StreamsInput is what Streams needs to know of the call.
type StreamsInput struct{}

// Streams lists the granted streams.
func Streams(ctx context.Context, env tool.Env, request rs.Request, _ StreamsInput) (*tool.Answer, error) {
	found, err := tool.ListStreams(ctx, env.RS, request)
	if err != nil {
		return nil, err
	}
	return tool.Answered(found, render.Streams), nil
}

// EventCapabilities returns client_event_subscriptions from the protected resource's metadata. A provider without it
// offers no subscriptions.
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
	return &tool.Result{Text: render.Members(found), Structured: all.Get("client_event_subscriptions")}, nil
}

// SubscriptionInput is the state that a call requested. A nil member was not requested.
type SubscriptionInput struct {
	Streams      []string
	Enabled      *bool
	RotateSecret *bool
}

// Statuses of a subscription that was switched on and off (docs/provider-contract.md, Event subscriptions).
const (
	subscriptionActive   = "active"
	subscriptionDisabled = "disabled"
)

// Subscription returns an event subscription after a change. Servers answer 200 even to a change that they ignore, so
// it compares the state with the request. If they differ, the error is a *tool.UnconfirmedError. The answer to a new
// subscription has only its id and its secret, so it reads the state.
func Subscription(ctx context.Context, env tool.Env, response *rs.Response, input SubscriptionInput) (*tool.Result, error) {
	answer, err := response.Object()
	if err != nil {
		return nil, err
	}
	if changed, ok := rawjson.ParseObject(answer.Get("subscription")); ok {
		shown := &tool.Result{Text: render.Members(withSecret(changed, answer)), Structured: response.Body()}
		return shown, checkState(input, changed, answer, shown)
	}
	var state rawjson.Object
	read, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "event-subscriptions", answer.Text("subscription_id"))})
	if err == nil {
		state, err = read.Object()
	}
	if err != nil {
		return nil, &tool.UnconfirmedError{
			Message: fmt.Sprintf("the subscription was created, but its state cannot be read: %v", err),
			Result:  &tool.Result{Text: render.Members(answer), Structured: response.Body()}, Cause: err,
		}
	}
	made := withSecret(state, answer)
	shown := &tool.Result{Text: render.Members(made), Structured: made.Encode()}
	return shown, checkState(input, state, answer, shown)
}

func withSecret(state, answer rawjson.Object) rawjson.Object {
	if secret := answer.Get("secret"); secret != nil {
		return append(slices.Clone(state), rawjson.Raw("secret", secret))
	}
	return state
}

func checkState(input SubscriptionInput, state, answer rawjson.Object, shown *tool.Result) error {
	status := state.Text("status")
	message := ""
	var scope struct {
		Filters struct {
			Streams []string `json:"streams"`
		} `json:"filters"`
	}
	_ = json.Unmarshal(state.Get("scope"), &scope) // without streams, it is for every stream of the grant
	switch {
	case input.RotateSecret != nil && *input.RotateSecret && answer.Text("secret") == "":
		message = "the provider sent no new signing secret; the old one may still be in use"
	case input.Enabled != nil && !*input.Enabled && status != subscriptionDisabled:
		message = fmt.Sprintf("the subscription is %s: it was not switched off", status)
	case input.Enabled != nil && *input.Enabled && status != subscriptionActive:
		message = fmt.Sprintf("the subscription is %s: it was not switched on; one that is pending_verification becomes active "+
			"when its receiver answers the challenge, so delete it, and create it again while the receiver runs", status)
	case len(input.Streams) > 0 && !slices.Equal(sorted(input.Streams), sorted(scope.Filters.Streams)):
		message = "the subscription is for other streams than requested: filters.streams of its scope lists them; without it, the subscription is for every stream of the grant"
	}
	if message == "" {
		return nil
	}
	return &tool.UnconfirmedError{Message: message, Result: shown}
}

func sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
