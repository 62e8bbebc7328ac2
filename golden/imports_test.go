package golden_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

const module = "github.com/pdppmcp/pdpp-mcp/"

// servers are the released binaries, with the folder of each.
var servers = []string{"cmd/pdpp-mcp", "cmd/pdpp-mcp-otel", "cmd/pdpp-sandbox"}

// importsHeader explains the golden to readers of its diff.
const importsHeader = `# Which package imports which, and what is linked into each binary. Tests do not count.
# A change of this file is a change of the architecture: make it on purpose.
# go test ./golden -run Imports -update writes it.
`

// The picture of the imports changes only on purpose.
func TestImportsAreTheGolden(t *testing.T) {
	var text strings.Builder
	text.WriteString(importsHeader)
	for _, edge := range edges(t) {
		fmt.Fprintf(&text, "%s -> %s\n", edge.from, edge.to)
	}
	for _, server := range servers {
		for _, linked := range linkedModules(t, server) {
			fmt.Fprintf(&text, "%s links %s\n", server, linked)
		}
	}
	golden.File(t, "imports.txt", text.String())
}

// allowed lists what the packages below a folder may import of the project, in addition to packages below the same
// folder. A folder that is not listed may import everything.
var allowed = map[string][]string{
	"gen": {
		"runtime/answer", "runtime/tool", "runtime/call/refusal", "runtime/call/argument", "runtime/provider/rs",
		"runtime/provider/recordid", "runtime/read",
	},

	"runtime/base":     {},
	"runtime/provider": {"runtime/base", "runtime/answer"},
	"runtime/answer": {
		"runtime/base/rawjson", "runtime/base/scalar", "runtime/base/wire", "runtime/provider/recordid",
		"runtime/provider/schemadoc",
	},
	"runtime/tool": {"runtime/answer", "runtime/provider/granted", "runtime/provider/rs", "runtime/base"},
	"runtime/call": {"runtime/tool", "runtime/provider", "runtime/base"},
	"runtime/file": {"runtime/tool", "runtime/provider", "runtime/base"},
	// it asks how many rows fit
	"runtime/read": {
		"runtime/answer", "runtime/tool", "runtime/provider", "runtime/base", "runtime/file",
		"runtime/render",
	},
	// which fields are times, and the commands that save a file
	"runtime/render": {
		"runtime/answer", "runtime/tool", "runtime/provider/recordid", "runtime/provider/schemadoc",
		"runtime/base", "runtime/file",
	},
	"runtime/grant": {
		"runtime/answer", "runtime/tool", "runtime/provider", "runtime/base", "runtime/read/merge",
	},
	// its pages say how hosts are set up
	"runtime/server": {
		"runtime/answer", "runtime/tool", "runtime/provider", "runtime/base", "runtime/grant/fanout",
		"runtime/grant/admission", "runtime/desktop/mcphost",
	},
	"runtime/desktop": {"runtime/provider", "runtime/base", "runtime/grant/credential"},

	"sandbox": {"runtime/base/webpage"}, // nothing of what it is there to try
	"e2e":     {"sandbox", "runtime"},   // only tests import what is below it
	"golden":  {"runtime"},              // the same

	"toolspec":           {"runtime/base/nearname"}, // a misspelt word of a spec
	"generator":          {"toolspec"},
	"cmd/pdpp-bench":     {}, // it measures binaries from outside
	"cmd/pdpp-mcp-gen":   {"generator", "toolspec"},
	"cmd/pdpp-mcp":       {},
	"cmd/pdpp-mcp-otel":  {"cmd/pdpp-mcp/cli", "runtime/server/telemetry"},
	"cmd/pdpp-mcp-share": {"cmd/pdpp-mcp/cli", "cmd/pdpp-mcp/cli/invocation"},

	// Commands of one family never need those of another.
	"cmd/pdpp-mcp/cli":          {"gen", "runtime/server/host", "runtime/tool"},
	"cmd/pdpp-mcp/cli/activity": {"cmd/pdpp-mcp/cli/invocation", "runtime/base/scalar", "runtime/server/audit"},
	// whose errors have exit codes
	"cmd/pdpp-mcp/cli/invocation": {
		"runtime/server", "runtime/base/commandline", "runtime/grant/credential",
		"runtime/desktop/mcphost", "runtime/base/rawjson", "runtime/provider/rs", "runtime/tool", "runtime/desktop/webhook",
		"runtime/grant/admission", "runtime/grant/membership", "runtime/base/config", "runtime/base/nearname",
	},
	"cmd/pdpp-mcp/cli/completion": {
		"cmd/pdpp-mcp/cli/invocation", "runtime/grant/credential", "runtime/base/ownfile",
		"runtime/provider", "runtime/tool",
	},
	// which fields are titles
	"cmd/pdpp-mcp/cli/display": {"cmd/pdpp-mcp/cli/invocation", "runtime/base/rawjson", "runtime/render", "runtime/tool"},
	// the digest in an id
	"cmd/pdpp-mcp/cli/saved": {
		"cmd/pdpp-mcp/cli/invocation", "runtime/file/blob", "runtime/base/ownfile",
		"runtime/provider/rs",
	},
	// the rows of an export
	"cmd/pdpp-mcp/cli/calling": {
		"cmd/pdpp-mcp/cli/display", "cmd/pdpp-mcp/cli/invocation", "cmd/pdpp-mcp/cli/saved",
		"gen", "runtime/answer", "runtime/file", "runtime/read/record", "runtime/base/commandline",
		"runtime/grant/credential", "runtime/server/host", "runtime/base/wire", "runtime/base/rawjson",
		"runtime/base/scalar", "runtime/render",
		"runtime/tool", "runtime/desktop/webhook", "runtime/base/nearname", "runtime/provider", "runtime/base/ownfile",
	},
	"cmd/pdpp-mcp/cli/syncing": {
		"cmd/pdpp-mcp/cli/display", "cmd/pdpp-mcp/cli/invocation", "runtime/base/ownfile",
		"runtime/server/host", "runtime/base/wire", "runtime/base/rawjson", "runtime/provider", "runtime/tool",
	},
	// it prepares the first child
	"cmd/pdpp-mcp/cli/serving": {
		"cmd/pdpp-mcp/cli/invocation", "gen", "runtime/base/address", "runtime/server",
		"runtime/file/document/child", "runtime/grant/credential", "runtime/provider/rs", "runtime/tool",
	},
	// gen has the skill
	"cmd/pdpp-mcp/cli/setup": {
		"cmd/pdpp-mcp/cli/invocation", "runtime/base/commandline", "gen",
		"runtime/grant/credential", "runtime/desktop/doctor", "runtime/desktop/mcphost",
	},
	// completion keeps names of grants, which disconnect removes
	"cmd/pdpp-mcp/cli/signin": {
		"cmd/pdpp-mcp/cli/completion", "cmd/pdpp-mcp/cli/invocation", "runtime/base/commandline",
		"runtime/grant/credential", "runtime/tool",
	},

	"cmd/pdpp-sandbox": {"gen", "runtime", "sandbox"},
}

func TestImportsFlowOneWay(t *testing.T) {
	for _, edge := range edges(t) {
		folder, known := room(edge.from)
		if !known {
			t.Errorf("%s has no rule: add it to allowed", edge.from)
			continue
		}
		may := append([]string{folder}, allowed[folder]...)
		if !slices.ContainsFunc(may, func(to string) bool { return within(edge.to, to) }) {
			t.Errorf("%s imports %s; it may import %v", edge.from, edge.to, allowed[folder])
		}
	}
}

// A result depends on the answer alone: package render sends no request and waits for nothing.
func TestRenderingSendsNoRequests(t *testing.T) {
	for _, imported := range goList(t, "-f", `{{range .Imports}}{{.}}{{"\n"}}{{end}}`, "./runtime/render/...") {
		if imported == "context" || imported == module+"runtime/provider/rs" ||
			within(strings.TrimPrefix(imported, module), "runtime/read") {
			t.Errorf("a renderer imports %s", imported)
		}
	}
}

// The client of the resource server and the handles need only the standard library, and jsontext, which is part of it
// from Go 1.27.
func TestTheFoundationNeedsNoLibrary(t *testing.T) {
	for _, folder := range []string{"runtime/provider/rs", "runtime/provider/recordid", "runtime/base/rawjson"} {
		if linked := linkedModules(t, folder); len(linked) > 0 &&
			!slices.Equal(linked, []string{"github.com/go-json-experiment/json"}) {
			t.Errorf("%s needs %v", folder, linked)
		}
	}
}

// configFileLibrary reads the configuration file of pdpp-mcp (R-OPS-4), in one package and nowhere else.
const configFileLibrary = "gopkg.in/yaml.v3"

// R-OPS-4: the server reads no YAML but its configuration file.
func TestOnlyTheConfigurationIsYAML(t *testing.T) {
	const form = `{{$from := .ImportPath}}{{range .Imports}}{{$from}} {{.}}{{"\n"}}{{end}}`
	for _, line := range goList(t, "-deps", "-f", form, "./cmd/pdpp-mcp") {
		from, to, _ := strings.Cut(line, " ")
		if to == configFileLibrary && from != module+"runtime/base/config" {
			t.Errorf("%s imports %s", from, to)
		}
	}
}

// R-FOOT-3: what the generator needs never reaches a server.
func TestGeneratorLibrariesAreNotServed(t *testing.T) {
	for _, server := range append(servers, "gen") {
		for _, linked := range linkedModules(t, server) {
			if strings.HasPrefix(server, "cmd/pdpp-mcp") && linked == configFileLibrary {
				continue
			}
			for _, library := range []string{"dave/jennifer", "yaml", "invopop/jsonschema", "santhosh-tekuri", "tiktoken-go"} {
				if strings.Contains(linked, library) {
					t.Errorf("%s links %s", server, linked)
				}
			}
		}
		for _, linked := range goList(t, "-deps", "-f", "{{.ImportPath}}", "./"+server) {
			for _, folder := range []string{"generator", "toolspec"} {
				if within(strings.TrimPrefix(linked, module), folder) {
					t.Errorf("%s links %s", server, linked)
				}
			}
		}
	}
	for _, linked := range goList(t, "-deps", "-f", "{{.ImportPath}}", "./cmd/pdpp-mcp", "./cmd/pdpp-mcp-otel") {
		if within(strings.TrimPrefix(linked, module), "sandbox") || strings.Contains(linked, "sqlite") {
			t.Errorf("pdpp-mcp or pdpp-mcp-otel links %s, which only the sandbox may", linked)
		}
	}
}

// No byte that one caller received can reach another: no unsafe code, and no buffer that is kept for another call,
// except the cleared ones of rawjson.Return.
func TestNoMemoryIsShared(t *testing.T) {
	const form = `{{$from := .ImportPath}}{{range .Imports}}{{$from}} {{.}}{{"\n"}}{{end}}`
	for _, line := range goList(t, "-f", form, "./runtime/...", "./cmd/...", "./gen/...") {
		if from, to, _ := strings.Cut(line, " "); to == "unsafe" {
			t.Errorf("%s imports unsafe", from)
		}
	}
	for name, text := range golden.Tree(t, "../runtime") {
		if strings.Contains(text, "sync.Pool") && strings.HasSuffix(name, ".go") && name != "base/rawjson/buffer.go" {
			t.Errorf("runtime/%s keeps memory for other calls in a sync.Pool", name)
		}
	}
}

// edge is one import between packages of the project.
type edge struct{ from, to string }

func edges(t *testing.T) []edge {
	t.Helper()
	const form = `{{$from := .ImportPath}}{{range .Imports}}{{$from}} {{.}}{{"\n"}}{{end}}`
	var found []edge
	for _, line := range goList(t, "-f", form, "./...") {
		from, to, _ := strings.Cut(line, " ")
		if inside, ok := strings.CutPrefix(to, module); ok {
			found = append(found, edge{strings.TrimPrefix(from, module), inside})
		}
	}
	slices.SortFunc(found, func(a, b edge) int {
		return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
	return found
}

// linkedModules returns the third-party modules that a package links, without versions.
func linkedModules(t *testing.T, folder string) []string {
	t.Helper()
	linked := goList(t, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./"+folder)
	slices.Sort(linked)
	return slices.Compact(linked)
}

// goList returns the lines that go list prints for the module, without empty ones.
func goList(t *testing.T, arguments ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list"}, arguments...)...)
	command.Dir = ".."
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(string(printed), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// room returns the folder in allowed whose rule applies to a package.
func room(name string) (string, bool) {
	for ; name != "."; name = path.Dir(name) {
		if _, ok := allowed[name]; ok {
			return name, true
		}
	}
	return "", false
}

func within(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }
