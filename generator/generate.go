// Package generator generates files from the specs: Go, schemas, the golden listing, the measured footprint, the
// reference pages, and a part of the README.
package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/generator/emit"
	"github.com/pdppmcp/pdpp-mcp/generator/listing"
	"github.com/pdppmcp/pdpp-mcp/generator/measure"
	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/output"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
	"github.com/pdppmcp/pdpp-mcp/generator/view"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Files reads toolspec/ and README.md below root, the root of the module, and returns all generated files. The same
// specs produce the same bytes. On an error it returns no files. The error is toolspec.Problems, or joins all that is
// wrong with the schemas, the budgets and the texts.
func Files(root fs.FS) (output.Files, error) {
	specs, _ := fs.Sub(root, "toolspec") // fails only for a name that is no path
	surface, err := toolspec.Load(specs)
	if err != nil {
		return nil, err
	}
	entries := listing.EntriesOf(surface)
	footprint, err := measure.Of(surface, entries)
	if err != nil {
		return nil, err
	}
	files := output.Files{}
	if err := errors.Join(
		addSchemas(files, surface),
		footprint.Check(),
		listing.CheckGuidance(surface),
		listing.CheckInstructions(surface.Instructions),
	); err != nil {
		return nil, err
	}
	maps.Copy(files, output.Files{
		"golden/tools_list.json":   entries.Indented(),
		"golden/prompts_list.json": listing.PromptsList(surface),
		"golden/instructions.txt":  []byte(surface.Instructions + "\n"),
		"golden/budget.txt":        []byte(footprint.Table()),
		"gen/footprint_gen.go":     emit.Footprint(footprint),
	})
	addGo(files, surface)
	addPages(files, surface)
	if files["gen/view/view.html"], err = view.Document(); err != nil {
		return nil, err
	}
	readme, err := fs.ReadFile(root, "README.md")
	if err != nil {
		return nil, fmt.Errorf("read README.md: %w", err)
	}
	if files["README.md"], err = listing.Readme(readme, surface); err != nil {
		return nil, err
	}
	return files, nil
}

// addSchemas adds the schemas that gen embeds and those for programs, and lints them.
func addSchemas(files output.Files, surface *toolspec.Surface) error {
	var problems []error
	for _, tool := range surface.Tools {
		add := func(name string, side schema.Side, document schema.Schema) {
			files[name] = ordered.Indented(document)
			if err := schema.Lint(side, files[name]); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", tool.File, err))
			}
		}
		add("gen/schema/"+tool.Name+".input.json", schema.InputSide, schema.Input(tool))
		if !tool.Structured.Unserved {
			add("gen/schema/"+tool.Name+".output.json", schema.OutputSide, schema.Output(tool.Structured))
		}
		add("docs/tools/output/"+tool.Name+".json", schema.OutputSide, schema.Program(tool.Structured))
	}
	return errors.Join(problems...)
}

func addGo(files output.Files, surface *toolspec.Surface) {
	for _, tool := range slices.Concat(surface.Tools, surface.Commands) {
		files["gen/"+tool.Name+"_gen.go"] = emit.Tool(tool)
	}
	maps.Copy(files, output.Files{
		"gen/surface_gen.go":                    emit.Surface(surface),
		"gen/commands_gen.go":                   emit.Commands(surface),
		"gen/view_gen.go":                       emit.View(),
		"runtime/tool/names_gen.go":             emit.Names(surface),
		"runtime/tool/records_gen.go":           emit.Records(surface.Records),
		"runtime/call/argument/relative_gen.go": emit.RelativeDates(surface),
	})
	for folder, text := range emit.Codes(surface.Codes) {
		files[folder+"/codes_gen.go"] = text
	}
	if skill := surface.Skill; skill != nil {
		files["gen/skill/SKILL.md"] = listing.Skill(*skill)
		files["gen/skill_gen.go"] = emit.Skill(*skill)
	}
}

func addPages(files output.Files, surface *toolspec.Surface) {
	for _, tool := range surface.Tools {
		files["docs/tools/"+tool.Name+".md"] = listing.Page(tool)
	}
	maps.Copy(files, output.Files{
		"docs/tools/README.md":  listing.Index(surface),
		"docs/tools/prompts.md": listing.Prompts(surface),
		"docs/tools/errors.md":  listing.Codes(surface.Codes),
		"docs/commands.md":      listing.Commands(surface),
	})
}
