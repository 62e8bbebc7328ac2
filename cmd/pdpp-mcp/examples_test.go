package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// notRunExamples are the examples of help pages that TestHelpExamples does not run, with the test that covers them.
var notRunExamples = map[string]string{
	"serve":                "TestServe",
	"subscriptions verify": "the script verify",
}

// Each help page has two examples, and they run against a sandbox.
func TestHelpExamples(t *testing.T) {
	timetest.WithoutRace(t)
	box, provider := newProviderAndBox(t, 1) // the seed of pdpp-sandbox
	person := &reader{home: t.TempDir(), provider: provider}
	person.exported = []string{"PDPP_PROVIDER_URL=" + provider, "PDPP_ACCESS_TOKEN=" + box.Tokens()["everything"]}
	person.run(t, "pdpp-mcp connect https://pdpp.example")
	person.run(t, "pdpp-mcp subscriptions create https://receiver.example/1")
	person.run(t, "pdpp-mcp subscriptions create https://receiver.example/2")
	last := []string{"subscriptions delete", "disconnect"} // they end what other examples need
	var visit func(command *cobra.Command, onlyLast bool)
	visit = func(command *cobra.Command, onlyLast bool) {
		name := strings.TrimPrefix(strings.TrimPrefix(command.CommandPath(), "pdpp-mcp"), " ")
		lines := exampleLines(command)
		if len(lines) < 2 && !onlyLast {
			t.Errorf("%s has %d examples, want 2", command.CommandPath(), len(lines))
		}
		for i, line := range lines {
			isLast := name == last[0] || name == last[1]
			if notRunExamples[name] != "" || isLast != onlyLast {
				continue
			}
			if strings.Contains(line, "sub_1") {
				line = strings.ReplaceAll(line, "sub_1", person.subscription(t))
			}
			if name == last[1] && i == 0 {
				continue // it removes the grant of the next one, so it runs at the end
			}
			person.run(t, line)
		}
		for _, child := range command.Commands() {
			if child.IsAvailableCommand() {
				visit(child, onlyLast)
			}
		}
	}
	visit(testRoot(), false)
	visit(testRoot(), true)
	person.run(t, "pdpp-mcp disconnect https://pdpp.example")
}

// exampleLines returns the examples of a command, with continued lines joined.
func exampleLines(command *cobra.Command) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(command.Example, "\\\n", ""), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// subscription returns the id of a subscription.
func (r *reader) subscription(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdpp-mcp", "subscriptions", "list", "--jq", ".data[-1].subscription_id")
	command.Env = append(os.Environ(), r.exported...)
	id, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(id))
}
