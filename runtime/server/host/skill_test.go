package host_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var testSkill = tool.Skill{
	Name: "data-of-mine", Description: "Reads \"data\".",
	Text: "---\nname: data-of-mine\n---\nCall schema.\n",
}

const skillURI = "skill://data-of-mine/SKILL.md"

// newSkillServer returns functions that send a request to a server with a skill, over each transport, and return its
// response.
func newSkillServer(t *testing.T) map[string]func(request string) string {
	t.Helper()
	surface := testSurface()
	surface.Skill = testSkill
	lines := serveLines(t, surface)
	lines.send(initializeOf("2025-11-25"))
	initialized := lines.next()
	if !strings.Contains(initialized, `"extensions":{"io.modelcontextprotocol/skills":{}}`) {
		t.Errorf("the server does not declare the extension: %s", initialized)
	}
	hosted := newHosted(t, func(with *hostedWith) { with.surface = surface })
	return map[string]func(string) string{
		"stdio": func(request string) string { lines.send(request + "\n"); return lines.next() },
		"HTTP":  func(request string) string { return hosted.post(t, request).body },
	}
}

// R-EVAL-5: a skill is listed, got and read as MCP's extension for skills says, with the digest and the size of what is
// read.
func TestSkill(t *testing.T) {
	entry := fmt.Sprintf(`{"uri":%q,"frontmatter":{"description":"Reads \"data\".","name":"data-of-mine"},`+
		`"resources":[{"uri":%q,"digest":"sha256:%x","size":%d}]}`,
		skillURI, skillURI, sha256.Sum256([]byte(testSkill.Text)), len(testSkill.Text))
	text, err := json.Marshal(testSkill.Text)
	if err != nil {
		t.Fatal(err)
	}
	cached := `,"ttlMs":300000,"cacheScope":"public"`
	for transport, ask := range newSkillServer(t) {
		for _, test := range []struct{ method, params, want string }{
			{"skills/list", `{}`, `{"resultType":"complete","skills":[` + entry + `]` + cached + `}`},
			{"skills/get", `{"uri":"` + skillURI + `"}`, `{"resultType":"complete","skill":` + entry + cached + `}`},
			{"resources/read", `{"uri":"` + skillURI + `"}`, `{"contents":[{"uri":"` + skillURI +
				`","mimeType":"text/markdown","text":` + string(text) + `}],"ttlMs":0,"cacheScope":"private"}`},
		} {
			var answer struct{ Result, Error any }
			var want any
			if err := json.Unmarshal([]byte(ask(`{"jsonrpc":"2.0","id":7,"method":"`+test.method+`","params":`+test.params+`}`)),
				&answer); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, answer.Result); diff != "" || answer.Error != nil {
				t.Errorf("%s over %s (-want +got): %s%v", test.method, transport, diff, answer.Error)
			}
		}
	}
	surface := testSurface()
	surface.Skill = testSkill
	listed, err := connect(t, surface, host.Options{}, reading(reporting(grantedSchema))).ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &mcp.Resource{
		Name: "data-of-mine", URI: skillURI, MIMEType: "text/markdown", Description: testSkill.Description,
		Size: int64(len(testSkill.Text)),
	}
	if diff := cmp.Diff(want, listed.Resources[0]); diff != "" || len(listed.Resources) != 4 {
		t.Errorf("the first of %d resources (-want +got): %s", len(listed.Resources), diff)
	}
}

// R-EVAL-5: another skill is an error of the params, and a server without a skill knows no such method.
func TestUnknownSkill(t *testing.T) {
	for transport, ask := range newSkillServer(t) {
		for _, request := range []string{
			`"skills/get","params":{"uri":"skill://other/SKILL.md"}`, `"skills/get","params":{}`, `"skills/get"`,
			`"resources/read","params":{"uri":"skill://other/SKILL.md"}`,
			`"resources/read","params":{"uri":"skill://data-of-mine"}`,
		} {
			if answer := ask(`{"jsonrpc":"2.0","id":7,"method":` + request + `}`); !strings.Contains(answer, `"code":-32602`) {
				t.Errorf("%s over %s: %s", request, transport, answer)
			}
		}
	}
	lines := begin(t, "2025-11-25")
	lines.send(`{"jsonrpc":"2.0","id":7,"method":"skills/list"}` + "\n")
	if answer := lines.next(); !strings.Contains(answer, `"code":-32601`) {
		t.Errorf("without a skill: %s", answer)
	}
}
