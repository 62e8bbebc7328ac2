package generator_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/generator/emit"
	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Every spec that toolspec accepts has schemas and Go whose types are right. The test tries every word of the
// vocabulary with everything that a spec can give it. Each refusal has a place.
func TestEveryAcceptedSpecIsWritten(t *testing.T) {
	timetest.WithoutRace(t)
	files, refused := map[string][]byte{}, 0
	for number, text := range triedSpecs() {
		name := fmt.Sprintf("tried%d", number)
		surface, err := toolspec.Load(specsOf(name, text))
		if err != nil {
			refused++
			continue
		}
		for _, tool := range append(surface.Tools, surface.Commands...) {
			files[tool.Name] = emit.Tool(tool)
			ordered.Compact(schema.Input(tool))
			ordered.Compact(schema.Output(tool.Structured))
		}
	}
	t.Logf("%d accepted, %d refused", len(files), refused)
	if len(files) < 100 || refused < 100 {
		t.Fatalf("%d specs were accepted and %d refused, want 100 of each: the trials try too little", len(files), refused)
	}
	typeCheck(t, files)
}

// typeCheck checks the types of a package like gen, with the other packages as they are.
func typeCheck(t *testing.T, files map[string][]byte) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./gen")
	list.Dir = ".."
	listed, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		name, export, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = export
	}
	set, parsed := token.NewFileSet(), []*ast.File{}
	for name, text := range files {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := config.Check("gen", set, parsed, nil); err != nil {
		t.Error(err)
	}
}

// triedTool is a spec in parts. A trial varies one part and takes accepted values for the others.
type triedTool struct{ head, argument, middle, request, result string }

func (s triedTool) String() string {
	return s.head + "arguments:\n" +
		"  - {name: stream, type: string, required: true, check: safe_name, send: path}\n" +
		"  - {name: given, type: string, required: true, enum: [a, b], send: query}\n" +
		"  - {name: may, type: string, send: query}\n" +
		"  - {name: number, type: integer, send: query}\n" +
		"  - {name: always, type: integer, required: true, send: query}\n" +
		"  - {name: list, type: string_list, send: repeated}\n" +
		"  - {name: id, type: string, required: true}\n" +
		"  - {name: connection_id, type: string, send: query}\n" +
		s.argument + s.middle + s.request + s.result
}

// bindable are values for bindings: arguments of every kind, the target, its parts, and an unknown name.
var bindable = []string{
	"stream", "given", "may", "number", "always", "list", "id", "connection_id",
	"target", "target.stream", "target.record_id", "target.connection_id", "target.other", "unknown",
}

const (
	triedTarget  = "target: {id: id, connection_id: connection_id}\n"
	triedRequest = "request: {method: GET, path: '/v1/{stream}/{target.stream}/{target.record_id}'}\n"
	triedResult  = "result: {render: aggregate, with: {stream: stream, connection_id: target.connection_id}}\n"
)

// triedSpecs returns one spec for each trial.
func triedSpecs() []string {
	var specs []string
	for _, surface := range []string{"output: envelope\nbudget: {bytes: 1}\n", "surface: terminal\ncommand: tried\n"} {
		good := triedTool{head: surface, middle: triedTarget, request: triedRequest, result: triedResult}
		if strings.Contains(surface, "terminal") {
			good.result = "result: {render: answer}\n"
		}
		for _, argument := range triedArguments() {
			tried := good
			tried.argument = argument
			switch {
			case strings.Contains(argument, "send: path"):
				tried.request = strings.Replace(triedRequest, "{stream}", "{stream}/{tried}", 1)
			case strings.Contains(argument, "send: body"):
				tried.request = strings.Replace(triedRequest, "GET", "POST", 1)
			}
			specs = append(specs, tried.String())
		}
		for _, name := range bindable {
			tried := good
			tried.request = strings.Replace(triedRequest, "{stream}", "{stream}/{"+name+"}", 1)
			specs = append(specs, tried.String())
			tried.request = strings.Replace(triedRequest, "}'",
				"}', path_by: {argument: "+name+", values: {a: '/v2/{stream}'}}", 1)
			specs = append(specs, tried.String())
			tried.request = triedRequest
			tried.middle = triedTarget + "preconditions:\n  - {gate: expand_advertised, when: [" + name +
				"], with: {stream: target.stream, connection_id: target.connection_id}}\n"
			specs = append(specs, tried.String())
			for _, part := range []string{"id", "connection_id", "stream", "record_id"} {
				tried.middle = strings.Replace(triedTarget, part+": "+part, part+": "+name, 1)
				specs = append(specs, tried.String())
				tried.middle = strings.Replace(triedTarget, "}", ", stream: may, record_id: "+name+"}", 1)
				specs = append(specs, tried.String())
			}
		}
		for _, with := range bindings(toolspec.Gates) {
			tried := good
			tried.middle += "preconditions:\n  - {gate: " + with + "}\n"
			specs = append(specs, tried.String())
		}
		for _, with := range bindings(toolspec.SourceWords) {
			tried := good
			tried.request = strings.Replace(triedRequest, "}'", "}', sources: {from: "+with+"}", 1)
			specs = append(specs, tried.String())
		}
		for _, with := range append(bindings(toolspec.Renderers), bindings(toolspec.TerminalRenderers)...) {
			tried := good
			tried.result = "result: {render: " + with + "}\n"
			specs = append(specs, tried.String())
			tried.middle, tried.request = "", "request: {method: GET, path: '/v1/{stream}'}\n"
			specs = append(specs, strings.Replace(tried.String(), "name: id, type: string,",
				"name: id, type: string, send: query,", 1))
		}
		for _, with := range bindings(toolspec.Operations) {
			tried := good
			tried.result = "operation: {run: " + with + "}\n"
			specs = append(specs, tried.String())
			tried = triedTool{head: surface, result: "operation: {run: " + with + "}\nendpoint: GET /v1\n"}
			specs = append(specs, strings.NewReplacer("send: path", "send: query", "name: id, type: string,",
				"name: id, type: string, send: query,").Replace(tried.String()))
		}
	}
	return specs
}

// triedArguments returns an argument of every type with every check and every way to send it.
func triedArguments() []string {
	var arguments []string
	for _, typeName := range toolspec.ArgumentTypes.Names() {
		for _, check := range append(toolspec.Checks.Names(), "") {
			for _, send := range append(toolspec.Sends.Names(), "") {
				for _, required := range []string{"", ", required: true"} {
					argument := "  - {name: tried, type: " + typeName + required
					if check != "" {
						argument += ", check: " + check
					}
					if send != "" {
						argument += ", send: " + send
					}
					arguments = append(arguments, argument+"}\n")
				}
			}
		}
	}
	return arguments
}

// bindings returns bindings of each bindable value to each parameter of each word, with fitting values for the others.
func bindings(words toolspec.Words) []string {
	fitting := map[toolspec.Kind]string{
		toolspec.KindString: "target.stream", toolspec.KindOptionalString: "may", toolspec.KindOptionalInteger: "number",
		toolspec.KindStringList: "list", toolspec.KindTarget: "target",
	}
	var tried []string
	for _, word := range words {
		with := func(changed, value string) string {
			var pairs []string
			for _, parameter := range word.Parameters {
				bound := fitting[parameter.Kind]
				switch {
				case parameter.Name == changed:
					bound = value
				case parameter.Name == toolspec.OptionalTargetPart:
					bound = "target." + parameter.Name
				}
				if bound != "" {
					pairs = append(pairs, parameter.Name+": "+bound)
				}
			}
			return word.Name + ", with: {" + strings.Join(pairs, ", ") + "}"
		}
		tried = append(tried, with("", ""))
		for _, parameter := range word.Parameters {
			tried = append(tried, with(parameter.Name, ""))
			for _, value := range bindable {
				tried = append(tried, with(parameter.Name, value))
			}
		}
	}
	return tried
}

// specsOf returns the specs of a surface with one tool.
func specsOf(name, text string) fstest.MapFS {
	list := "tools: [" + name + "]"
	if strings.Contains(text, "terminal") {
		list = "tools: []\ncommands: [" + name + "]"
	}
	folder := fstest.MapFS{}
	for file, text := range map[string]string{
		"surface.yaml": "instructions: Read.\nbudget: {bytes: 1, tokens: 1, instructions_characters: 9}\n" + list +
			"\n",
		"shared.yaml":             "outputs:\n  - {name: envelope, properties: [{name: data, type: object}]}\n",
		"tools/" + name + ".yaml": "tool: " + name + "\ntitle: Tried\ndescription: Read.\n" + text,
	} {
		folder[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}
