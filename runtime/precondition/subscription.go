package precondition

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SubscriptionChangeInput is what may be changed of an event subscription. A nil member was not given.
type SubscriptionChangeInput struct {
	Enabled      *bool
	RotateSecret *bool
}

// SubscriptionChange refuses a call that asks for no change, which providers answer as if there had been one. Its
// error is a *tool.Error, invalid_arguments. It sends nothing.
func SubscriptionChange(_ context.Context, _ tool.Env, input SubscriptionChangeInput) error {
	if input.Enabled != nil || input.RotateSecret != nil && *input.RotateSecret {
		return nil
	}
	return &tool.Error{Code: tool.InvalidArguments, Message: "nothing to change; pass enabled, or rotate_secret as true"}
}
