package commandline_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
)

// A command line names the cache root unless it is the default. Every value is one word.
func TestCommandLines(t *testing.T) {
	for got, want := range map[string]string{
		commandline.Connect("https://pdpp.example",
			""): "pdpp-mcp connect https://pdpp.example",
		commandline.Connect("https://pdpp.example",
			"my cache"): "pdpp-mcp connect https://pdpp.example --cache-root 'my cache'",
		commandline.Connect("",
			"cache"): "pdpp-mcp connect <provider-url> --cache-root cache",
		commandline.Read("doctor", "https://pdpp.example/?a=1&b",
			""): "pdpp-mcp doctor --provider-url 'https://pdpp.example/?a=1&b'",
		commandline.Read("setup codex", "https://[::1]:8787",
			"it's"): `pdpp-mcp setup codex --provider-url 'https://[::1]:8787' --cache-root 'it'\''s'`,
		commandline.Wanted{Streams: []string{"messages"}, Label: "work"}.Connect("https://pdpp.example",
			""): "pdpp-mcp connect https://pdpp.example --label work",
		commandline.Wanted{Flow: "code", Label: "work", Since: "2026"}.Connect("https://pdpp.example",
			""): "pdpp-mcp connect https://pdpp.example --label work --flow code",
		commandline.Wanted{}.Connect("https://pdpp.example",
			"cache"): "pdpp-mcp connect https://pdpp.example --cache-root cache",
		commandline.Wanted{
			Source: "https://registry.pdpp.dev/connectors/gmail", Connections: []string{"cin_1", "cin_2"},
			Streams: []string{"messages"},
			Fields:  []string{"id", "a b"}, Since: "2026-01-01T00:00:00Z", Until: "2026-02-01T00:00:00Z", Label: "it's",
		}.Connect("https://pdpp.example",
			""): "pdpp-mcp connect https://pdpp.example --source https://registry.pdpp.dev/connectors/gmail " +
			"--connection cin_1 --connection cin_2 --stream messages --field id --field 'a b' --since 2026-01-01T00:00:00Z " +
			`--until 2026-02-01T00:00:00Z --label 'it'\''s'`,
		commandline.Read("connections", "", "cache"):                     "pdpp-mcp connections --cache-root cache",
		commandline.Word("x; touch owned\n") + commandline.Word("$HOME"): "'x; touch owned\n''$HOME'",

		commandline.Word(""): "''",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
