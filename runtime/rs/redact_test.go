package rs_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// R-ERR-6: a bearer that the RS echoes reaches nobody, in whatever spelling it comes.
func TestEchoedBearerIsRedacted(t *testing.T) {
	spellings := []string{bearer, url.QueryEscape(bearer), url.PathEscape(bearer), strings.ReplaceAll(bearer, "/", `\/`)}
	for _, spelling := range spellings {
		for _, status := range []int{200, 401, 500} {
			client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
				writer.Header().Set("Request-Id", bearer)
				writer.Header().Set("Retry-After", bearer)
				writer.WriteHeader(status)
				_, _ = writer.Write([]byte(`{"error":{"message":"bad ` + spelling + `","code":"` + spelling + `"},"data":["` + spelling + `"]}`))
			})
			var query rs.Query
			query.Set("q", bearer)
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/search", Query: query})
			var shown string
			var refused *rs.Error
			switch {
			case response != nil:
				if !json.Valid(response.Body) {
					t.Errorf("%d: the body is no longer JSON: %s", status, response.Body)
				}
				shown = string(response.Body) + response.RequestID + response.URL
			case errors.As(err, &refused):
				shown = strings.Join([]string{
					refused.Error(), refused.Code, string(refused.Envelope), refused.RequestID, refused.RetryAfter, refused.URL,
				}, "\n")
			default:
				t.Fatal(err)
			}
			for _, secret := range spellings {
				if strings.Contains(shown, secret) {
					t.Errorf("%d: %q stands in %s", status, secret, shown)
				}
			}
			if !strings.Contains(shown, "[redacted]") {
				t.Errorf("%d: nothing was redacted in %s", status, shown)
			}
		}
	}
}

// R-ERR-6: a bearer of digits, echoed as a number, costs the answer rather than the secret.
func TestRedactionThatBreaksTheBodyFails(t *testing.T) {
	client, _ := serve(t, body(`{"n":8675309}`), func(options *rs.Options) { options.Bearer = "8675309" })
	response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	if failure := asFailure(t, response, err); failure.Reason != rs.InvalidResponse {
		t.Errorf("got %v", failure)
	}
}
