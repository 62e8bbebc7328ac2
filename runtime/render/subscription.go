package render

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SubscriptionInput is what a call asked to be so. A nil member was not asked for.
type SubscriptionInput struct {
	Streams      []string
	Enabled      *bool
	RotateSecret *bool
}

// The statuses that a subscription has after it was switched on and off (rs-contract.md, Event subscriptions).
const (
	subscriptionActive   = "active"
	subscriptionDisabled = "disabled"
)

// Subscription gives an event subscription as the RS says it is after a change. Servers answer 200 to what they ignore,
// so what was asked for is looked for: when it is not so, the error is a *tool.UnconfirmedError, with the subscription.
//
// A change answers with the subscription as its member subscription. A new one answers with its id and its secret
// alone, so its state is read, and both are given as one object.
func Subscription(ctx context.Context, env tool.Env, response *rs.Response, input SubscriptionInput) (*tool.Result, error) {
	answer, err := response.Object()
	if err != nil {
		return nil, err
	}
	if changed, ok := rawjson.ParseObject(answer.Get("subscription")); ok {
		shown := &tool.Result{Text: memberLines(withSecret(changed, answer)), Structured: response.Body()}
		return shown, unmet(input, changed, answer, shown)
	}
	state, err := subscriptionState(ctx, env, answer.Text("subscription_id"))
	if err != nil {
		return nil, &tool.UnconfirmedError{
			Message: fmt.Sprintf("the subscription was made, and how it is now cannot be read: %v", err),
			Result:  &tool.Result{Text: memberLines(answer), Structured: response.Body()}, Cause: err,
		}
	}
	made := withSecret(state, answer)
	shown := &tool.Result{Text: memberLines(made), Structured: made.Encode()}
	return shown, unmet(input, state, answer, shown)
}

func withSecret(state, answer rawjson.Object) rawjson.Object {
	if secret := answer.Get("secret"); secret != nil {
		return append(slices.Clone(state), rawjson.Raw("secret", secret))
	}
	return state
}

func subscriptionState(ctx context.Context, env tool.Env, id string) (rawjson.Object, error) {
	response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "event-subscriptions", id)})
	if err != nil {
		return nil, err
	}
	return response.Object()
}

// unmet is nil when everything is so that was asked for.
func unmet(input SubscriptionInput, state, answer rawjson.Object, shown *tool.Result) error {
	status := state.Text("status")
	message := ""
	switch {
	case input.RotateSecret != nil && *input.RotateSecret && answer.Text("secret") == "":
		message = "the provider gave no new signing secret; the old one may still be in use"
	case input.Enabled != nil && !*input.Enabled && status != subscriptionDisabled:
		message = fmt.Sprintf("the subscription is %s: it was not switched off", status)
	case input.Enabled != nil && *input.Enabled && status != subscriptionActive:
		message = fmt.Sprintf("the subscription is %s: it was not switched on; one that is pending_verification becomes active "+
			"when its receiver answers the challenge, so delete it, and create it again while the receiver runs", status)
	case len(input.Streams) > 0 && !slices.Equal(sorted(input.Streams), sorted(filteredStreams(state))):
		message = "the subscription is not only for the streams that were named: filters.streams of its scope says which, and without it, it is for every stream of the grant"
	}
	if message == "" {
		return nil
	}
	return &tool.UnconfirmedError{Message: message, Result: shown}
}

// filteredStreams are the streams that a subscription is for; none means every one of its grant.
func filteredStreams(state rawjson.Object) []string {
	var scope struct {
		Filters struct {
			Streams []string `json:"streams"`
		} `json:"filters"`
	}
	_ = json.Unmarshal(state.Get("scope"), &scope) // what is no scope names no streams
	return scope.Filters.Streams
}

func sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
