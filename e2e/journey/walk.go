package journey

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// Dial opens an MCP session with a server that reads from the provider with one of its tokens. The
// session ends with the test.
type Dial func(t *testing.T, provider *Provider, token string) *mcp.ClientSession

// journeys are the tests of Walk, by the name of their subtest.
var journeys = []struct {
	name string
	walk func(*testing.T, *traveller)
}{
	{"legend to query", legendToQuery},
	{"search to the end of a long text", searchToLongText},
	{"pages of a long stream", pagesOfALongStream},
	{"pages of several connections", pagesOfSeveralConnections},
	{"changes after changes", changesAfterChanges},
	{"ambiguous connection", ambiguousConnection},
	{"files", files},
}

// Walk makes every journey on each kind of provider with a reader for each channel, which sees only that channel. token
// names the ready token of the sandbox (authorization.Server.Tokens) to read with; it must cover all sample data. Each
// walk has its own provider and session.
func Walk(t *testing.T, token string, dial Dial, channels []Channel) {
	t.Helper()
	for _, reads := range resource.AllReads() {
		for _, journey := range journeys {
			for _, channel := range channels {
				t.Run(string(reads)+"/"+journey.name+"/"+channel.Name, func(t *testing.T) {
					provider := NewProvider(t, reads)
					session := dial(t, provider, token)
					provider.Take() // what the transport asked for itself
					journey.walk(t, &traveller{
						Reader: blind.NewReader(sight(t, session, channel.Show), channel.Read), provider: provider, token: token,
					})
				})
			}
		}
	}
}

// traveller is a blind reader, with what only the test knows.
type traveller struct {
	*blind.Reader
	provider *Provider
	token    string
}

// ofPackage reports whether the token is a package of several grants, each for one connection.
func (v *traveller) ofPackage() bool { return len(v.provider.Box.Authorization().Members(v.token)) > 0 }

// charactersMost bounds each channel, in characters (R-BUD-2).
const charactersMost = 40_000

// sight shows a reader one part of each result.
func sight(t *testing.T, session *mcp.ClientSession, show func(*testing.T, *mcp.CallToolResult) string) blind.Sight {
	return func(ctx context.Context, tool, arguments string) string {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s %s ends in a protocol error: %v", tool, arguments, err)
			return ""
		}
		seen := show(t, result)
		if characters := len([]rune(seen)); characters > charactersMost {
			t.Errorf("R-BUD-2: %s %s shows %d characters", tool, arguments, characters)
		}
		return seen
	}
}

// accepted checks that the resource server saw only reads with the right bearer, and refused none but
// those with one of the statuses given.
func (v *traveller) accepted(t *testing.T, refusals ...int) []Request {
	t.Helper()
	requests := v.provider.Take()
	for _, request := range requests {
		own := request.Bearer == v.token || strings.HasPrefix(request.Bearer, v.token+"/")
		if strings.HasPrefix(request.URI, "/v1/") && (request.Method != http.MethodGet || !own) {
			t.Errorf("the resource server saw %s %s of bearer %q", request.Method, request.URI, request.Bearer)
		}
		if request.Status != http.StatusOK && !slices.Contains(refusals, request.Status) {
			t.Errorf("%s was answered with %d", request.URI, request.Status)
		}
	}
	return requests
}
