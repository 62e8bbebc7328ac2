package signin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// search searches everything that is granted.
func (p *person) search(session *mcp.ClientSession) *mcp.CallToolResult {
	p.Helper()
	result, err := session.CallTool(p.Context(),
		&mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "fog"}})
	if err != nil {
		p.Fatal(err)
	}
	if result.IsError {
		p.Errorf("a search of two providers: %s", textOf(result))
	}
	return result
}

func textOf(result *mcp.CallToolResult) string { return result.Content[0].(*mcp.TextContent).Text }

// R-TRUST-3: of two providers, the grant of one is revoked. The other one answers, and the answer names the missing
// one. A sign-in is offered once, without waiting for it in MCP 2025-11-25. After the approval, both answer; the origin
// then has both connections and, of several providers, none (R-TRUST-2).
func TestMissingSource(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, isApproved := range []bool{true, false} {
			t.Run(revision+map[bool]string{true: " approved", false: " declined"}[isApproved], func(t *testing.T) {
				t.Parallel()
				p, other := newPerson(t), newPerson(t)
				other.cache, p.others = p.cache, []string{other.provider}
				before := p.connect("gmail", mail)
				other.connect("slack", chat)
				pages, decided := 0, make(chan struct{}, 8)
				decide := p.decider(isApproved, &pages)
				session := p.serve(revision, func(asked *mcp.ElicitParams) string {
					defer func() { decided <- struct{}{} }()
					return decide(asked)
				})
				if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				first := p.search(session)
				<-decided
				isComplete := isApproved && revision != "2025-11-25"
				if text := textOf(first); !strings.Contains(text, chat) ||
					strings.Contains(text, "pdpp-mcp connect "+p.provider) == isComplete {
					t.Errorf("the first answer: %s", text)
				}
				if isApproved && !isComplete {
					<-p.signedIn
				}
				text, origin := "", map[string]any{}
				for range 2 {
					result := p.search(session)
					text = textOf(result)
					origin, _ = result.Meta[toolcall.OriginMeta].(map[string]any)
				}
				if strings.Contains(text, "pdpp-mcp connect "+p.provider) == isApproved || pages != 1 {
					t.Errorf("after %d pages: %s", pages, text)
				}
				if connections, _ := origin["connections"].([]any); (len(connections) == 2) != isApproved ||
					origin["provider"] != nil {
					t.Errorf("the origin is %v", origin)
				}
			})
		}
	}
}

// R-TRUST-3, R-TRUST-2: reading a resource offers a sign-in as a call does. Its content has its origin. A prompt has
// none, since it contains no records.
func TestResource(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, isApproved := range []bool{true, false} {
			t.Run(revision+map[bool]string{true: " approved", false: " declined"}[isApproved], func(t *testing.T) {
				t.Parallel()
				p := newPerson(t)
				before := p.connect("gmail", mail)
				pages := 0
				session := p.serve(revision, p.decider(isApproved, &pages))
				if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				uri := recordid.FormatURI(recordid.URI{Kind: recordid.KindStream, Stream: "messages"})
				read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if !isApproved {
					var refused *jsonrpc.Error
					if !errors.As(err, &refused) ||
						!strings.Contains(string(refused.Data), "pdpp-mcp connect "+p.provider) || pages != 1 {
						t.Errorf("after %d pages: %v", pages, err)
					}
					return
				}
				if err != nil || pages != 1 || len(p.stored()) != 1 {
					t.Fatalf("after %d pages: %v; stored: %v", pages, err, p.stored())
				}
				origin, _ := read.Contents[0].Meta[toolcall.OriginMeta].(map[string]any)
				if origin["provider"] != p.provider {
					t.Errorf("the origin is %v", origin)
				}
				prompts, err := session.ListPrompts(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, each := range prompts.Prompts {
					if each.Meta[toolcall.OriginMeta] != nil {
						t.Errorf("the origin of prompt %s is %v", each.Name, each.Meta)
					}
				}
			})
		}
	}
}
