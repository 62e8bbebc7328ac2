package toolspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// module is the import path of the repository's root.
const module = "github.com/pdppmcp/pdpp-mcp"

// schema is a JSON Schema of a kind of file. Load refuses what it refuses. A rule of it has advice for the error in its
// comment: with a comma or a semicolon in front, the advice follows the refused value.
type schema = jsonschema.Schema

// MetaSchemas returns the JSON Schemas by which Load and editors check the YAML files, by their paths below the
// repository's root. The hover texts are the doc comments of this package, so the working folder must be that root.
func MetaSchemas() (map[string][]byte, error) {
	reflector := newReflector()
	if err := reflector.AddGoComments(module, folder); err != nil {
		return nil, fmt.Errorf("read the doc comments of %s, with the repository's root as the working folder: %w", folder, err)
	}
	for place, comment := range reflector.CommentMap { // where a comment is wrapped says nothing
		reflector.CommentMap[place] = strings.ReplaceAll(comment, "\n", " ")
	}
	files := map[string][]byte{}
	for name, schema := range schemas(reflector) {
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("write the editor schema of %s files: %w", name, err)
		}
		files[folder+"/"+name+".schema.json"] = append(text, '\n')
	}
	return files, nil
}

func newReflector() *jsonschema.Reflector {
	return &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, FieldNameTag: "yaml", Mapper: mapBindings}
}

// mapBindings describes Bindings as a YAML mapping.
func mapBindings(goType reflect.Type) *schema {
	if goType != reflect.TypeFor[Bindings]() {
		return nil
	}
	return &schema{Type: "object", AdditionalProperties: &schema{Type: "string"}}
}

// The names of the schemas.
const (
	toolSchema    = "tool"
	sharedSchema  = "shared"
	surfaceSchema = "surface"
	promptSchema  = "prompt"
	recordsSchema = "records"
	codesSchema   = "codes"
	skillSchema   = "skill"
)

// schemas returns the schemas of all kinds of files.
func schemas(reflector *jsonschema.Reflector) map[string]*schema {
	files := map[string]*schema{
		toolSchema:    reflector.Reflect(Tool{}),
		sharedSchema:  reflector.Reflect(SharedFile{}),
		surfaceSchema: reflector.Reflect(SurfaceFile{}),
		promptSchema:  reflector.Reflect(Prompt{}),
		recordsSchema: reflector.Reflect(RecordsFile{}),
		skillSchema:   reflector.Reflect(Skill{}),
		codesSchema:   reflector.Reflect(CodesFile{}),
	}
	for name, file := range files {
		for _, key := range slices.Sorted(maps.Keys(rules)) {
			refine(file, name, key, rules[key])
		}
	}
	refineTool(files[toolSchema])
	refineShared(files[sharedSchema])
	for _, file := range files {
		for _, object := range append(slices.Collect(maps.Values(file.Definitions)), file) {
			refuseBlank(object)
		}
	}
	return files
}

// refuseBlank refuses texts of white space alone.
func refuseBlank(object *schema) {
	for pair := object.Properties.Oldest(); pair != nil; pair = pair.Next() {
		for _, each := range []*schema{pair.Value, pair.Value.Items, pair.Value.AdditionalProperties} {
			if each != nil && each.Type == "string" && each.Pattern == "" {
				each.Pattern = `\S`
			}
		}
	}
}

// refine applies a rule to a property: Type.key of a definition, or file.key of the file itself.
func refine(file *schema, name, key string, rule func(*schema)) {
	owner, key, _ := strings.Cut(key, ".")
	object := file.Definitions[owner]
	if owner == name {
		object = file
	}
	if object == nil {
		return
	}
	if property, found := object.Properties.Get(key); found {
		rule(property)
	}
}

// The form of texts in a table.
const (
	sentences       = `^[^|\n]*[^|\n.]\.$`
	sentencesAdvice = "; write whole sentences, without | and line breaks"
)

const snakeCaseAdvice = "; write names in snake_case: small letters, digits and single underscores"

// rules are the forms and the words of properties.
var rules = map[string]func(*schema){
	"tool.tool": func(name *schema) {
		snakeName(name)
		name.AllOf = []*schema{{Not: &schema{Enum: anyOf(reservedTools)}, Comments: ", the name of a generated file; choose another"}}
	},
	"tool.surface": namesOf(SurfaceNames),
	"tool.command": formOf(`^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$`,
		"; write small letters, digits and -, with one space between words"),
	"tool.endpoint":        formOf(`^GET /`, "; write it as GET /path"),
	"ShortCommand.command": formOf(`^[a-z]+$`, "; write one word of small letters"),
	"Request.method":       namesOf(Methods),
	"Precondition.gate":    wordsOf(Gates),
	"Sources.from":         wordsOf(SourceWords),
	"ReadOn.as":            wordsOf(ReadOnWords),
	"Result.render":        wordsOf(slices.Concat(Renderers, TerminalRenderers)),
	"Result.table":         wordsOf(Tables),
	"Operation.run":        wordsOf(Operations),
	"Request.path":         requestPath,
	"PathBy.values": func(values *schema) {
		one := uint64(1)
		values.MinProperties = &one
		requestPath(values.AdditionalProperties)
	},

	"Argument.name":     snakeName,
	"Argument.aliases":  func(aliases *schema) { snakeName(aliases.Items) },
	"Argument.type":     wordsOf(ArgumentTypes),
	"Argument.check":    wordsOf(Checks),
	"Argument.send":     wordsOf(Sends),
	"Argument.complete": wordsOf(Completions),

	"Output.name":   snakeName,
	"Property.name": snakeName,
	"Property.type": namesOf(PropertyTypes),

	"Template.name": snakeName,
	"Template.uri": formOf(`^pdpp://[a-z][a-z0-9-]*/\{(name|handle)\}$`,
		"; write it as pdpp://kind/{name} or pdpp://kind/{handle}"), // one variable, at the end (R-RES-1)
	"Template.mime_type": formOf(`^[^/]+/.*[^/]$`, "; write a media type such as text/plain"),
	"Template.complete":  wordsOf(PromptCompletions),
	"Call.call":          wordsOf(Calls),
	"Code.show":          wordsOf(Shows),
	"Code.constant":      formOf(`^[a-z]+\.[A-Z][A-Za-z]+$`, "; write a package and a constant, such as tool.InvalidFilter"),
	"Code.meaning":       formOf(sentences, sentencesAdvice),
	"Code.next":          formOf(sentences, sentencesAdvice),
	"RelativeDate.unit":  namesOf(timeUnits),

	"prompt.prompt":           snakeName,
	"PromptArgument.name":     snakeName,
	"PromptArgument.form":     wordsOf(PromptForms),
	"PromptArgument.complete": wordsOf(PromptCompletions),

	"skill.skill": formOf(`^[a-z0-9]+(-[a-z0-9]+)*$`, "; write small letters, digits and single hyphens"),

	"Role.role":               wordsOf(Roles),
	"Role.fields":             func(fields *schema) { snakeName(fields.Items) },
	"Conversation.fields":     func(fields *schema) { snakeName(fields.Items) },
	"Conversation.replies":    func(names *schema) { snakeName(names.Items) },
	"Conversation.with":       snakeName,
	"SearchWords.stop":        lowerCase,
	"SearchWords.endings_off": lowerCase,
	"SearchWords.endings_on":  lowerCase,
}

// formOf restricts a text to a regular expression.
func formOf(pattern, advice string) func(*schema) {
	return func(text *schema) { text.Pattern, text.Comments = pattern, advice }
}

var requestPath = formOf(`^(/(\{[^{}]+\}|\.well-known|[A-Za-z0-9_-]+))+$`,
	"; begin each segment with a slash, and write letters, digits, _ and - or one {argument} in it")

var snakeName = formOf(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`, snakeCaseAdvice)

func lowerCase(words *schema) { formOf(`^\p{Ll}+$`, "; write one word in small letters")(words.Items) }

// wordsOf restricts a property to words, each with its doc as hover text.
func wordsOf(words Words) func(*schema) {
	return func(property *schema) {
		for _, word := range words {
			property.OneOf = append(property.OneOf, &schema{Const: word.Name, Description: word.Doc})
		}
	}
}

// namesOf restricts a property to names.
func namesOf(names []string) func(*schema) {
	return func(property *schema) { property.Enum = anyOf(names) }
}

func anyOf[T any](values []T) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}
