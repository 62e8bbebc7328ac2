package golden_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// R-SURF-1, R-FOOT-2: the commands of the terminal are not tools: no client can see or call one.
func TestCommandsAreNotOffered(t *testing.T) {
	commands := gen.Commands()
	if len(commands) < 9 {
		t.Fatalf("there are %d commands, want those of streams, blobs and subscriptions", len(commands))
	}
	payload := string(readFile(t, "tools_list.json"))
	session := connect(t, oldRevision)
	session.greet()
	for number, command := range commands {
		name := strings.Join(command.Words, "_")
		for _, definition := range gen.Surface().Tools {
			if definition.Name == name {
				t.Errorf("%s is offered as a tool", name)
			}
		}
		for _, text := range []string{
			`"name": "` + name + `"`, command.Title, command.Description,
			"/v1/event-subscriptions", "/v1/blobs",
		} {
			if strings.Contains(payload, text) {
				t.Errorf("the payload holds %q", text)
			}
		}
		if answer := session.refusal(int64(10+number), "tools/call",
			map[string]any{"name": name, "arguments": map[string]any{}}); !strings.Contains(answer, name) {
			t.Errorf("a call of %s is answered with %s, want that there is no such tool", name, answer)
		}
	}
}

// R-SURF-3: every tool only reads. What changes data is a command.
func TestOnlyCommandsChangeSomething(t *testing.T) {
	surface, err := toolspec.Load(os.DirFS("../toolspec"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range surface.Tools {
		if tool.Terminal() || tool.Request != nil && tool.Request.Method != "GET" {
			t.Errorf("%s is offered and does more than read", tool.Name)
		}
		if code := string(readFile(t, "../gen/"+tool.Name+"_gen.go")); strings.Contains(code, "Writer") {
			t.Errorf("the code of %s speaks of a writer", tool.Name)
		}
	}
	changing := 0
	for _, command := range surface.Commands {
		if command.Request.Method != "GET" {
			changing++
		}
	}
	if changing != 4 {
		t.Errorf("%d commands change something, want create, update, delete and test", changing)
	}
}
