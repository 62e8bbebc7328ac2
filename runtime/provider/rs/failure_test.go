package rs_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ERR-4: Explain joins the message and the next step.
func TestTheTextOfAFailureHasTheNextStepWhenThereIsOne(t *testing.T) {
	for _, test := range []struct{ message, nextStep, want string }{
		{
			"the answer was cut off; it had 5 bytes", "try again",
			"rs_invalid_response: the answer was cut off; it had 5 bytes; try again",
		},
		{"the call was cancelled", "", "rs_invalid_response: the call was cancelled"},
	} {
		failure := &rs.Failure{Reason: rs.InvalidResponse, Message: test.message, NextStep: test.nextStep}
		if got := failure.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
