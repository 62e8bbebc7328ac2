// Package generator generates files from the specs: Go, schemas, the golden listing, the measured footprint, the
// reference pages, and a part of the README.
package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/generator/emit"
	"github.com/pdppmcp/pdpp-mcp/generator/listing"
	"github.com/pdppmcp/pdpp-mcp/generator/measure"
	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/output"
	"github.com/pdppmcp/pdpp-mcp/generator/plan"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
	"github.com/pdppmcp/pdpp-mcp/generator/view"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Files reads toolspec/ and README.md below root, the root of the module, and returns all generated files. The same
// specs produce the same bytes. On an error it returns no files. The error is toolspec.Problems, or joins
// *schema.Problem, *measure.OverBudgetError, *listing.RepeatedError and *listing.MissingGuidanceError.
func Files(root fs.FS) (output.Files, error) {
	specs, err := fs.Sub(root, "toolspec")
	if err != nil {
		return nil, fmt.Errorf("open toolspec: %w", err)
	}
	spec, err := toolspec.Load(specs)
	if err != nil {
		return nil, err
	}
	generation := generation{surface: plan.Build(spec), files: output.Files{}}
	return generation.run(root)
}

// generation is one run.
type generation struct {
	surface   *plan.Plan
	schemas   map[string]schema.Pair // by tool
	entries   listing.Entries
	footprint measure.Footprint
	files     output.Files
}

func (g *generation) run(root fs.FS) (output.Files, error) {
	for _, step := range []func() error{
		g.writeSchemas, g.writeListing, g.judge, g.writeGo, g.writePages,
		func() error { return g.writeParts(root) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return g.files, nil
}

// writeSchemas writes the schemas that gen embeds and lints them.
func (g *generation) writeSchemas() error {
	g.schemas = map[string]schema.Pair{}
	var problems []error
	for _, tool := range g.surface.Tools {
		pair := schema.Of(tool)
		g.schemas[tool.Name] = pair
		problems = append(problems, g.writeSchema(tool, schema.InputSide, pair.Input))
		if !tool.Output.Unserved {
			problems = append(problems, g.writeSchema(tool, schema.OutputSide, pair.Output))
		}
		program := "docs/tools/output/" + tool.Name + ".json"
		problems = append(problems, g.writeSchemaFile(program, tool, schema.OutputSide, schema.Program(tool.Output)))
	}
	return errors.Join(problems...)
}

func (g *generation) writeSchema(tool plan.Tool, side schema.Side, document schema.Schema) error {
	return g.writeSchemaFile("gen/schema/"+tool.Name+"."+string(side)+".json", tool, side, document)
}

func (g *generation) writeSchemaFile(name string, tool plan.Tool, side schema.Side, document schema.Schema) error {
	text, err := ordered.Indented(document)
	if err != nil {
		return err
	}
	if err := schema.Lint(side, text); err != nil {
		return fmt.Errorf("%s: %w", tool.File, err)
	}
	g.files[name] = text
	return nil
}

// writeListing writes the goldens and measures them.
func (g *generation) writeListing() error {
	entries, err := listing.EntriesOf(g.surface, g.schemas)
	if err != nil {
		return err
	}
	golden, err := entries.Indented()
	if err != nil {
		return err
	}
	footprint, err := measure.Of(g.surface, entries)
	if err != nil {
		return err
	}
	g.entries, g.footprint = entries, footprint
	g.files["golden/tools_list.json"] = golden
	g.files["golden/instructions.txt"] = []byte(g.surface.Instructions + "\n")
	g.files["golden/budget.txt"] = []byte(footprint.Table())
	if g.files["golden/prompts_list.json"], err = listing.PromptsList(g.surface); err != nil {
		return err
	}
	return nil
}

// judge checks the surface against its budgets and the rules for its texts.
func (g *generation) judge() error {
	return errors.Join(
		g.footprint.Check(),
		listing.CheckGuidance(g.surface),
		listing.CheckInstructions(g.surface.Instructions),
	)
}

func (g *generation) writeGo() error {
	for _, tool := range slices.Concat(g.surface.Tools, g.surface.Commands) {
		text, err := emit.Tool(tool)
		if err != nil {
			return fmt.Errorf("%s: %w", tool.File, err)
		}
		g.files["gen/"+tool.Name+"_gen.go"] = text
	}
	surface, err := emit.Surface(g.surface)
	if err != nil {
		return err
	}
	footprint, err := emit.Footprint(g.footprint)
	if err != nil {
		return err
	}
	commands, err := emit.Commands(g.surface)
	if err != nil {
		return err
	}
	g.files["gen/surface_gen.go"], g.files["gen/footprint_gen.go"] = surface, footprint
	g.files["gen/commands_gen.go"] = commands
	if skill := g.surface.Skill; skill != nil {
		g.files["gen/skill/SKILL.md"] = listing.Skill(*skill)
		if g.files["gen/skill_gen.go"], err = emit.Skill(*skill); err != nil {
			return err
		}
	}
	if g.files["gen/view/view.html"], err = view.Document(); err != nil {
		return err
	}
	if g.files["gen/view_gen.go"], err = emit.View(); err != nil {
		return err
	}
	codes, err := emit.Codes(g.surface.Codes)
	if err != nil {
		return err
	}
	for folder, text := range codes {
		g.files[folder+"/codes_gen.go"] = text
	}
	if g.surface.Records.Roles != nil {
		if g.files["runtime/tool/records_gen.go"], err = emit.Records(g.surface.Records); err != nil {
			return err
		}
	}
	if g.surface.Names == nil {
		return nil // the results of this surface suggest no calls
	}
	if g.files["runtime/tool/names_gen.go"], err = emit.Names(g.surface); err != nil {
		return err
	}
	if g.files["runtime/call/argument/relative_gen.go"], err = emit.RelativeDates(g.surface); err != nil {
		return err
	}
	return nil
}

func (g *generation) writePages() error {
	for _, tool := range g.surface.Tools {
		page, err := listing.Page(tool)
		if err != nil {
			return fmt.Errorf("%s: %w", tool.File, err)
		}
		g.files["docs/tools/"+tool.Name+".md"] = page
	}
	g.files["docs/tools/README.md"] = listing.Index(g.surface)
	g.files["docs/tools/prompts.md"] = listing.Prompts(g.surface)
	if g.surface.Codes != nil {
		g.files["docs/tools/errors.md"] = listing.Codes(g.surface.Codes)
	}
	g.files["docs/commands.md"] = listing.Commands(g.surface)
	return nil
}

// writeParts writes the generated parts of pages that are written by hand.
func (g *generation) writeParts(root fs.FS) error {
	return g.writePart(root, "README.md", func(page []byte) ([]byte, error) { return listing.Readme(page, g.surface) })
}

func (g *generation) writePart(root fs.FS, name string, write func(page []byte) ([]byte, error)) error {
	page, err := fs.ReadFile(root, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	g.files[name], err = write(page)
	return err
}
