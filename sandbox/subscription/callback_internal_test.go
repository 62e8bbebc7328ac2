package subscription

import (
	"errors"
	"net/http"
	"testing"
)

// Which address a name leads to is settled when the connection is made, so no name of a callback can show this:
// the client reaches no other machine (192.0.2.1 is for documentation, RFC 5737).
func TestTheClientReachesLoopbackAlone(t *testing.T) {
	for _, address := range []string{"http://192.0.2.1:9/", "http://[2001:db8::1]:9/"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := newClient().Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if !errors.Is(err, errNotLoopback) {
			t.Errorf("%s: got %v, want a refusal before anything is sent", address, err)
		}
	}
}
