package credential_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// A token is sent to another machine over https only.
func TestRefuseClearText(t *testing.T) {
	tests := []struct {
		address string
		refused bool
	}{
		{"https://pdpp.example", false},
		{"http://127.0.0.1:8787", false},
		{"http://127.8.9.10", false},
		{"http://localhost:8787", false},
		{"http://box.localhost.", true},
		{"http://[::1]:8787", false},
		{"http://[::ffff:127.0.0.1]:8787", false},
		{"http://0.0.0.0:8787", true},
		{"http://pdpp.example", true},
		{"HTTP://pdpp.example", true},
		{"http://10.0.0.7:8787", true},
		{"http://localhost.pdpp.example", true},
		{"http://127.0.0.1.pdpp.example", true},
		{"http://[fe80::1]", true},
	}
	for _, test := range tests {
		err := credential.RefuseClearText("provider URL", test.address)
		var refused *credential.Error
		if errors.As(err, &refused) != test.refused {
			t.Errorf("%s gives %v, want refused=%v", test.address, err, test.refused)
			continue
		}
		if test.refused && (refused.Class != credential.Usage || !strings.Contains(err.Error(), "the provider URL") ||
			!strings.Contains(err.Error(), "--allow-plain-http")) {
			t.Errorf("%s gives %v of class %s, want usage and the way out", test.address, err, refused.Class)
		}
	}
}
