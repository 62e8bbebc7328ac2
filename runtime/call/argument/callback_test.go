package argument_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func TestCallbackURL(t *testing.T) {
	for address, accepted := range map[string]bool{
		"https://receiver.example/events?x=1":                   true,
		"http://127.0.0.1:9000/":                                true,
		"http://[::1]:9000/":                                    true,
		"http://localhost/":                                     true,
		"http://receiver.example/":                              false,
		"http://127.0.0.1.example/":                             false,
		"ftp://receiver.example/":                               false,
		"https://":                                              false,
		"receiver.example":                                      false,
		"https://user:hidden@receiver.example/":                 false,
		"https://receiver.example/#hidden":                      false,
		"https://receiver.example/" + strings.Repeat("x", 2048): false,
		"https://receiver.example/\x7f":                         false,
		"":                                                      false,
	} {
		err := argument.CallbackURL("callback_url", address)
		if accepted != (err == nil) {
			t.Errorf("%.60q gives %v", address, err)
		}
		var refused *tool.Error
		if err != nil && (!errors.As(err, &refused) || refused.Param != "callback_url" ||
			strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%.60q gives %v, want a refusal that names the argument and repeats no secret", address, err)
		}
	}
}
