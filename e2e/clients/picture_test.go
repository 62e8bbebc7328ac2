//go:build clients

package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// readPicture is a call whose result is a picture (R-BLOB-3).
const readPicture = `{"id":"cin_gmail_personal/attachments:p-msg-075:2","field_path":"blob_ref"}`

// pictureStart is the beginning of the base64 of any PNG.
var pictureStart = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))[:10]

// TestClaudeCodeShowsPictures looks for the picture in what Claude Code shows its model (R-BLOB-3).
func TestClaudeCodeShowsPictures(t *testing.T) {
	u := newUser(t)
	tool := "mcp__" + servers[0].name + "__read_record_field"
	model := newMessagesModel(t, call{"ToolSearch", `{"query":"select:` + tool + `"}`}, call{tool, readPicture})
	u.environment = append(u.environment, "ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=none")
	u.runDocumented(t, "claude")
	u.run(t, `claude -p "Look it up." --allowedTools "mcp__pdpp__*" --output-format json`)
	requests := model.requests()
	results := toolResults(t, requests[len(requests)-1])
	last := string(results[len(results)-1])
	checkPicture(t, last)
}

// TestCodexShowsPictures does so for Codex, which drops images if there is structured content (R-BLOB-3).
func TestCodexShowsPictures(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "codex")
	model := newResponsesModel(t, namespacedCall{codexNamespace(servers[0].name), call{"read_record_field", readPicture}})
	u.run(t, "codex", "exec", "--skip-git-repo-check", "-s", "read-only", "-c", "model=played", "-c", "model_provider=played",
		"-c", fmt.Sprintf(`model_providers.played={name="played",base_url=%q,wire_api="responses"}`, model.URL+"/v1"), "Look it up.")
	requests := model.requests()
	var last json.RawMessage
	for _, item := range requests[len(requests)-1].Input {
		if item.Type == "function_call_output" {
			last = item.Output
		}
	}
	checkPicture(t, string(last))
}

// checkPicture checks the picture and its text, which no structured content repeats (R-BUD-1).
func checkPicture(t *testing.T, shown string) {
	t.Helper()
	for _, want := range []string{pictureStart, `media_type=\"image/png\"`, "width=300 height=300", "resource: pdpp://blob/"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the model is not shown %s", want)
		}
	}
}
