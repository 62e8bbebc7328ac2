package main

import (
	"io"
	"net/http"
	"testing"
)

// A provider's text cannot control the terminal in any format: U+009B begins an escape sequence like ESC [, and U+202E
// reverses the direction of writing.
func TestAProviderCannotCommandTheTerminal(t *testing.T) {
	const odd = "a\u009b31mb\u202ec\x7fd\u200b\ufeff\u2028\u2029\u00ad\U000e0041"
	provider := cannedProvider(t, func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/v1/streams" {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"name":"`+odd+`","`+odd+`":"\u001b[31m"}]}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"code":"not_found","message":"`+odd+`\u001b[31m"}}`)
	})
	for _, arguments := range [][]string{
		{"streams", "--format", "table"},
		{"streams", "--format", "text"},
		{"streams", "--format", "json"},
		{"subscriptions", "show", "sub_1"},
		{"blob", "b", "-o", "-"},
	} {
		out, stderr, _ := runProgram(t, reading(provider, someToken), arguments...) // some commands fail
		if printed := out + stderr; printed == "" || obeyedByTerminals.MatchString(printed) {
			t.Errorf("%v prints %q", arguments, printed)
		}
	}
}
