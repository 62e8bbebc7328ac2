package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// sessions are command lines as people type them.
var sessions = []string{
	"pdpp-mcp",
	"pdpp-mcp records messages --limit 3",
	"pdpp-mcp records transactions --on 2026-03-30",
	"pdpp-mcp search overdraft fees --limit 3",
	"pdpp-mcp count messages --group-by from_name --limit 3",
	"pdpp-mcp show cin_gmail_personal/messages:p-msg-080",
	"pdpp-mcp help records",
	"pdpp-mcp streams",
	"pdpp-mcp call schema messages --connection-id cin_gmail_personal",
	"pdpp-mcp call query_records messages --limit 3",
	"pdpp-mcp call query_records messages --limit 3 --count exact --connection-id cin_gmail_personal",
	"pdpp-mcp call query_records messages --on 2026-04-22",
	"pdpp-mcp call query_records transactions --limit 3",
	"pdpp-mcp call query_records play_history --limit 3",
	"pdpp-mcp call query_records chat_messages --limit 3",
	"pdpp-mcp call query_records repositories",
	"pdpp-mcp call search overdraft --limit 4",
	"pdpp-mcp call search 'grandfather barometer' --limit 2",
	"pdpp-mcp call aggregate play_history --metric count --group-by artist_name --limit 3",
	"pdpp-mcp call aggregate messages --metric count --group-by-time received_at --granularity month --limit 4",
	"pdpp-mcp call fetch cin_gmail_personal/messages:p-msg-080 --fields subject,snippet",
	"pdpp-mcp call read_record_field cin_gmail_personal/message_bodies:p-msg-010 --field-path body_text --limit-chars 200",
	"pdpp-mcp call query_records messages --limit 2 --jq '.data.data[].data.subject'",
	"pdpp-mcp call aggregate messages --metric count --group-by is_seen --format csv",
	"pdpp-mcp call query_records messages --connection-id cin_gmail_personal --count exact --all -o mails.jsonl",
	"pdpp-mcp call query_records mesages",
	"pdpp-mcp call serch overdraft",
	"pdpp-mcp call query_records messages --fields subjekt --filter 'received_at>=2026'",
	"pdpp-mcp call query_records",
	"pdpp-mcp call schema --jq '.['",
	"pdpp-mcp call schema -o missing/schema.json",
	"pdpp-mcp strems",
	"pdpp-mcp help call search",
}

var nextCursor = regexp.MustCompile(`next_cursor="[^"]+"`)

// What a person sees on a real terminal, as tmux draws it: a line that is too wide would take two. The provider's
// address and its cursors differ from run to run.
func TestSessionsOfATerminal(t *testing.T) {
	timetest.WithoutRace(t)
	if os.Getenv("PDPP_NO_TMUX") == "1" {
		t.Skip("PDPP_NO_TMUX is set")
	}
	box := sandboxtest.Open(t, sandbox.Options{PublicURL: "http://sandbox.test", Reads: resource.ReadsOpen, Seed: 1})
	provider := newOrigin(box)
	defer provider.server.Close()
	environment := append(os.Environ(), "PDPP_ACCESS_TOKEN="+provider.token(t, "everything"),
		"PDPP_PROVIDER_URL="+provider.server.URL, "TZ=Europe/Berlin", "LC_ALL=C.UTF-8")
	for _, columns := range []int{60, 80, 140} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			shown := ""
			for i, line := range sessions {
				shown += "$ " + line + "\n" +
					onTmux(t, environment, columns, fmt.Sprintf("pdpp-%d-%d-%d", os.Getpid(), columns, i), line) + "\n\n"
			}
			shown = renamed(shown, provider.server.URL, "http://127.0.0.1:12345")
			shown = nextCursor.ReplaceAllString(shown, `next_cursor="…"`)
			golden.File(t, filepath.Join("testdata", "sessions", fmt.Sprintf("%d.txt", columns)), shown)
		})
	}
}

// renamed replaces a word with one of the same length, even if the terminal wrapped it.
func renamed(shown, from, to string) string {
	var letters []string
	for _, letter := range from {
		letters = append(letters, regexp.QuoteMeta(string(letter)))
	}
	broken := regexp.MustCompile(strings.Join(letters, `\n?`))
	return broken.ReplaceAllStringFunc(shown, func(found string) string {
		at := 0
		return strings.Map(func(r rune) rune {
			if r != '\n' {
				r = rune(to[at])
				at++
			}
			return r
		}, found)
	})
}

// onTmux returns what a terminal of so many columns shows after a command line. It starts its own tmux server.
func onTmux(t *testing.T, environment []string, columns int, name, line string) string {
	t.Helper()
	tmux := func(words ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "tmux", append([]string{"-L", name, "-f", os.DevNull}, words...)...)
		command.Env = environment
		printed, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", words, err, printed)
		}
		return string(printed)
	}
	defer tmux("kill-server")
	tmux("new-session", "-d", "-c", t.TempDir(), "-x", fmt.Sprint(columns), "-y", "200",
		line+"; tmux wait-for -S shown; cat")
	tmux("wait-for", "shown")
	return strings.TrimRight(tmux("capture-pane", "-p"), "\n ")
}
