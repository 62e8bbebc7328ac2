package host

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// hostedCalls answers the plain calls that come over HTTP with the headers that clients send.
type hostedCalls struct {
	plain *plainCalls
	log   outcomeLog
}

// take answers a request if it is a plain call, and tells whether it did.
func (c *hostedCalls) take(w http.ResponseWriter, r *http.Request, body []byte) bool {
	if c == nil || !hasPlainHeader(r) {
		return false
	}
	call, plain := c.plain.parse(body)
	if plain {
		c.answer(w, r, call)
	}
	return plain
}

// plainRevisions are those that MCP had before requests named their revision themselves (2026-07-28).
var plainRevisions = func() []string {
	return slices.DeleteFunc(slices.Clone(Revisions()), func(revision string) bool { return revision >= "2026-07-28" })
}()

func hasPlainHeader(r *http.Request) bool {
	return r.Method == http.MethodPost &&
		slices.Contains(plainRevisions, single(r.Header, "Mcp-Protocol-Version")) &&
		single(r.Header, "Content-Type") == "application/json" &&
		single(r.Header, "Accept") == "application/json, text/event-stream" &&
		len(r.Header.Values("Last-Event-Id")) == 0
}

// single is a header that came once, or nothing.
func single(header http.Header, name string) string {
	if sent := header[name]; len(sent) == 1 {
		return sent[0]
	}
	return ""
}

// answer runs the tool and writes its result.
func (c *hostedCalls) answer(w http.ResponseWriter, r *http.Request, call plainCall) {
	hosted := requestOf(r.Context())
	extra := &mcp.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{requestMember: hosted}}}
	var result *tool.Result
	_ = c.log.observe(r.Context(), hosted, "tools/call", func(ctx context.Context) error {
		result = c.plain.caller.call(ctx, call.definition, extra, call.arguments)
		return nil
	})
	buffer := answerBuffers.Get().(*[]byte)
	defer answerBuffers.Put(buffer)
	*buffer = call.appendAnswer((*buffer)[:0], result)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache, no-transform") // as the SDK says: what was read is nobody else's
	w.Header().Set("Content-Length", strconv.Itoa(len(*buffer)))
	// A client that hung up gets nothing.
	_, _ = w.Write(*buffer)
}
