package mcphost

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tomlFile collects lines, and records the lines that must survive unchanged.
type tomlFile struct {
	t       *rapid.T
	newline string
	text    string
	kept    []string
}

func (f *tomlFile) maybe(what string) bool { return rapid.Bool().Draw(f.t, what) }

// line adds a line with a random word.
func (f *tomlFile) line(form string) {
	text := fmt.Sprintf(form, rapid.StringMatching(`[a-z]{1,8}`).Draw(f.t, "word"))
	f.kept = append(f.kept, text)
	f.text += text + f.newline
}

// own adds lines of the adapter's entry, which may be removed.
func (f *tomlFile) own() {
	lines := []string{
		"command = 'old'", "args = [" + f.newline + "  'old', # why" + f.newline + "]",
		`url = "old" # where`,
	}
	for _, line := range rapid.Permutation(lines).Draw(f.t, "own lines")[:rapid.IntRange(0, 3).Draw(f.t, "how many")] {
		f.text += line + f.newline
	}
}

func TestTOMLChangesNothingElse(t *testing.T) {
	host, _ := Find("codex")
	rapid.Check(t, func(t *rapid.T) {
		file := &tomlFile{t: t, newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")}
		file.line("model = '%s' # chosen")
		file.line("# remark %s [mcp_servers.pdpp]")
		if file.maybe("another server") {
			file.line("[mcp_servers.other] # %s")
			file.line(`args = ["%s", # inside`)
			file.line("  '[mcp_servers.pdpp]', '%s']")
			file.line(`env = { KEY = "%s" }`)
		}
		if file.maybe("own entry") {
			file.text += " [ mcp_servers . 'pdpp' ] # ours" + file.newline
			file.own()
			file.line("startup_timeout_sec = 20 # %s")
		}
		if file.maybe("own table below") {
			file.line("[mcp_servers.pdpp.env] # %s")
			file.line("url = '%s'")
		}
		if file.maybe("array of tables") {
			file.line("[[profiles]] # %s")
			file.line("command = '%s'")
		}
		if file.maybe("no line break at the end") {
			file.text = strings.TrimSuffix(file.text, file.newline)
		}
		checkChange(t, host, []byte(file.text), file.kept)
	})
}

// FuzzChange: any file is refused, or only the entry changes.
func FuzzChange(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", `{"mcpServers":{"pdpp":1}}`, `{"servers": {} /* x */ ,}`, "// x\n{\"a\":1,//y\n}",
		"a=1", "[mcp_servers]\npdpp={url='x'}", "mcp_servers.pdpp.url='x'", "[mcp_servers.pdpp]", "[[mcp_servers]]\n",
		"[mcp_servers.pdpp] \r\ncommand='''\n\n'''",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, host := range Hosts() {
			if _, err := host.format.change(content, host.section, "pdpp", host.settings(localServer)); err == nil {
				checkChange(t, host, content, nil)
			}
		}
	})
}

// A text is read back unchanged, whatever its characters.
func TestTOMLTextIsItself(t *testing.T) {
	host, _ := Find("codex")
	rapid.Check(t, func(t *rapid.T) {
		server := Server{
			Name: "pdpp", Command: rapid.String().Draw(t, "command"),
			Arguments: []string{"\x00\x1f\x7f\"\\\n<&>\u2028\U000e0001"},
		}
		snippet, err := host.Snippet(server)
		if err != nil {
			t.Fatal(err)
		}
		document, err := host.format.decode([]byte(snippet))
		if err != nil || !changesOnlyEntry(host.format, nil, []byte(snippet), host.section, server.Name,
			host.settings(server)) {
			t.Fatalf("%q says %v, %v", snippet, document, err)
		}
	})
}
