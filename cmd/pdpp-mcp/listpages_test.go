package main

import (
	"io"
	"net/http"
	"testing"
)

// R-HAND-8: an operator's list notes that the provider has more rows than it sent, in every format.
func TestAListThatGoesOnSaysSo(t *testing.T) {
	provider := cannedProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"name":"a"},{"name":"b"}],"has_more":true,"next_cursor":"2"}`)
	})
	for _, format := range []string{"table", "text", "json"} {
		out, said, code := runProgram(t, reading(provider, someToken), "streams", "--format", format)
		if code != 0 || out == "" || said != "the provider has more than these 2 rows\n" {
			t.Errorf("%s: ended with %d, printed %q and said %q", format, code, out, said)
		}
	}
}
