package journey_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// visits records the requests of a server.
type visits struct {
	mu   sync.Mutex
	seen []*http.Request
}

func (v *visits) keep(request *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = append(v.seen, request)
}

func (v *visits) all() []*http.Request {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen
}

// R-ERR-6: no address in an answer is followed, such as a blob's fetch_url, a link to the next page or a pdpp://
// URI. Tools send requests only to the configured resource server: below /v1 with the bearer, and for its public
// metadata without it.
func TestAddressesInDataAreNotFollowed(t *testing.T) {
	const token = "scoped-token-of-a-test"
	var elsewhere visits
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere.keep(r) }))
	defer other.Close()
	for _, answer := range recordings(t) {
		var asked visits
		body := withAddresses(t, answer.document, other.URL)
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.keep(r)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Link", "<"+other.URL+"/next>; rel=next")
			w.Header().Set("Location", other.URL)
			_, _ = w.Write(body)
		}))
		client, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret(token)})
		if err != nil {
			t.Fatal(err)
		}
		for _, arguments := range answer.arguments {
			if _, err := definition(t, answer.tool).Run(t.Context(), tool.Env{RS: client},
				json.RawMessage(arguments)); err != nil {
				_ = tool.Failed(err) // a refusal is an answer too
			}
		}
		for _, request := range asked.all() {
			isBelow, authorization := strings.HasPrefix(request.URL.Path, "/v1/"), request.Header.Get("Authorization")
			isMetadata := request.URL.Path == "/.well-known/oauth-protected-resource" && authorization == ""
			if !isMetadata && (!isBelow || authorization != "Bearer "+token) || request.Method != http.MethodGet {
				t.Errorf("%s: asked %s %s", answer.path, request.Method, request.URL)
			}
		}
		if len(asked.all()) == 0 {
			t.Errorf("%s: nothing was asked", answer.path)
		}
		provider.Close()
	}
	for _, request := range elsewhere.all() {
		t.Errorf("followed to %s with %q", request.URL, request.Header.Get("Authorization"))
	}
}

// withAddresses adds addresses to every object of a document.
func withAddresses(t *testing.T, document []byte, address string) []byte {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	var out strings.Builder
	at := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if token != json.Delim('{') || !decoder.More() {
			continue
		}
		end := int(decoder.InputOffset())
		out.Write(document[at:end])
		at = end
		for _, name := range []string{"fetch_url", "url", "record_url", "href", "next", "schema_url", "$ref"} {
			out.WriteString(`"` + name + `":"` + address + `/` + name + `",`)
		}
	}
	out.Write(document[at:])
	return []byte(out.String())
}
