package toolspec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"
)

// module is the import path of the repository's root.
const module = "github.com/pdppmcp/pdpp-mcp"

// MetaSchemas returns the JSON Schemas by which editors complete and check the YAML files, by their paths below the
// repository's root. The hover texts are the doc comments of this package, so the working folder must be that root.
func MetaSchemas() (map[string][]byte, error) {
	reflector := &jsonschema.Reflector{
		Anonymous:      true,
		ExpandedStruct: true,
		FieldNameTag:   "yaml",
		Mapper:         mapBindings,
	}
	if err := reflector.AddGoComments(module, folder); err != nil {
		return nil, fmt.Errorf("read the doc comments of %s, with the repository's root as the working folder: %w", folder, err)
	}
	schemas := map[string][]byte{}
	for name, refine := range map[string]func(*jsonschema.Reflector) *jsonschema.Schema{
		"tool": toolSchema, "shared": sharedSchema, "surface": surfaceSchema, "prompt": promptSchema,
		"records": recordsSchema, "skill": skillSchema,
	} {
		text, err := json.MarshalIndent(refine(reflector), "", "  ")
		if err != nil {
			return nil, fmt.Errorf("write the editor schema of %s files: %w", name, err)
		}
		schemas[folder+"/"+name+".schema.json"] = append(text, '\n')
	}
	return schemas, nil
}

// mapBindings describes Bindings as a YAML mapping.
func mapBindings(goType reflect.Type) *jsonschema.Schema {
	if goType != bindingsType {
		return nil
	}
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
}

func toolSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(Tool{})
	argument := schema.Definitions["Argument"]
	refineArgument(argument)
	argument.If = &jsonschema.Schema{Required: []string{useKey}}
	argument.Else = &jsonschema.Schema{Required: argument.Required}
	argument.Required = nil
	schema.If = &jsonschema.Schema{Required: []string{"operation"}}
	schema.Then = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{"endpoint"}}, {Required: []string{"request"}}}}
	schema.Else = &jsonschema.Schema{Required: []string{"request", "result"}}
	schema.AllOf = []*jsonschema.Schema{ofSurface()}
	property(schema, "tool").Pattern = snakeCase.String()
	property(schema.Definitions["ToolBudget"], "bytes").Minimum = "1"
	namesOf(property(schema.Definitions["Request"], "method"), Methods)
	namesOf(property(schema, "surface"), SurfaceNames)
	property(schema, "command").Pattern = commandWords.String()
	property(schema.Definitions["ShortCommand"], "command").Pattern = shortCommand.String()
	wordsOf(property(schema.Definitions["Precondition"], "gate"), Gates)
	wordsOf(property(schema.Definitions["Sources"], "from"), SourceWords)
	wordsOf(property(schema.Definitions["ReadOn"], "as"), ReadOnWords)
	wordsOf(property(schema.Definitions["Result"], "render"), slices.Concat(Renderers, TerminalRenderers))
	wordsOf(property(schema.Definitions["Result"], "table"), Tables)
	wordsOf(property(schema.Definitions["Operation"], "run"), Operations)
	return schema
}

// ofSurface returns the required keys of an mcp tool and of a terminal tool.
func ofSurface() *jsonschema.Schema {
	terminal := jsonschema.NewProperties()
	terminal.Set("surface", &jsonschema.Schema{Const: SurfaceTerminal})
	return &jsonschema.Schema{
		If:   &jsonschema.Schema{Properties: terminal, Required: []string{"surface"}},
		Then: &jsonschema.Schema{Required: []string{"command"}},
		Else: &jsonschema.Schema{Required: []string{"budget", "output"}},
	}
}

func sharedSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(SharedFile{})
	refineArgument(schema.Definitions["Argument"])
	schema.Definitions["Argument"].Properties.Delete(useKey)
	property(schema.Definitions["Output"], "name").Pattern = snakeCase.String()
	member := schema.Definitions["Property"]
	property(member, "name").Pattern = snakeCase.String()
	namesOf(property(member, "type"), PropertyTypes)
	return schema
}

func surfaceSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(SurfaceFile{})
	for _, name := range []string{"bytes", "tokens", "instructions_characters"} {
		property(schema.Definitions["SurfaceBudget"], name).Minimum = "1"
	}
	wordsOf(property(schema.Definitions["Call"], "call"), Calls)
	wordsOf(property(schema.Definitions["Refusal"], "show"), Shows)
	template := schema.Definitions["Template"]
	property(template, "name").Pattern = snakeCase.String()
	property(template, "uri").Pattern = templatePattern.String()
	wordsOf(property(template, "complete"), PromptCompletions)
	return schema
}

func promptSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(Prompt{})
	property(schema, "prompt").Pattern = snakeCase.String()
	argument := schema.Definitions["PromptArgument"]
	property(argument, "name").Pattern = snakeCase.String()
	wordsOf(property(argument, "form"), PromptForms)
	wordsOf(property(argument, "complete"), PromptCompletions)
	return schema
}

func skillSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(Skill{})
	property(schema, "skill").Pattern = skillName.String()
	return schema
}

func recordsSchema(reflector *jsonschema.Reflector) *jsonschema.Schema {
	schema := reflector.Reflect(RecordsFile{})
	wordsOf(property(schema.Definitions["Role"], "role"), Roles)
	property(schema.Definitions["Conversation"], "with").Pattern = snakeCase.String()
	property(schema.Definitions["Conversation"], "near_hours").Minimum = "1"
	return schema
}

// refineArgument adds the words of the vocabulary to an argument's properties.
func refineArgument(argument *jsonschema.Schema) {
	property(argument, "name").Pattern = snakeCase.String()
	types := property(argument, "type")
	for _, argumentType := range ArgumentTypes {
		types.OneOf = append(types.OneOf, &jsonschema.Schema{Const: argumentType.Name, Description: argumentType.Doc})
	}
	wordsOf(property(argument, "check"), Checks)
	wordsOf(property(argument, "send"), Sends)
	wordsOf(property(argument, "complete"), Completions)
}

// wordsOf restricts a property to the words, each with its doc as hover text.
func wordsOf(schema *jsonschema.Schema, words Words) {
	for _, word := range words {
		schema.OneOf = append(schema.OneOf, &jsonschema.Schema{Const: word.Name, Description: word.Doc})
	}
}

// namesOf restricts a property to the names.
func namesOf(schema *jsonschema.Schema, names []string) {
	for _, name := range names {
		schema.Enum = append(schema.Enum, name)
	}
}

// property returns a property of a reflected struct. It panics if the struct has no such key.
func property(schema *jsonschema.Schema, name string) *jsonschema.Schema {
	found, ok := schema.Properties.Get(name)
	if !ok {
		panic("toolspec: the spec types have no key " + name)
	}
	return found
}
