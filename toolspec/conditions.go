package toolspec

import (
	"strings"

	"github.com/invopop/jsonschema"
)

// with returns a schema for the value at a path below a mapping. A step "[]" is every item of a list.
func with(value *schema, path ...string) *schema {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == "[]" {
			value = &schema{Items: value}
			continue
		}
		properties := jsonschema.NewProperties()
		properties.Set(path[i], value)
		value = &schema{Properties: properties}
	}
	return value
}

func requires(keys ...string) *schema { return &schema{Required: keys} }

// is returns a schema for mappings in which a key has one of some values.
func is[T any](key string, values ...T) *schema {
	return of(key, &schema{Enum: anyOf(values)})
}

// of returns a schema for mappings in which the value of a key fits a schema.
func of(key string, value *schema) *schema {
	found := with(value, key)
	found.Required = []string{key}
	return found
}

func not(condition *schema) *schema { return &schema{Not: condition} }

func all(conditions ...*schema) *schema { return &schema{AllOf: conditions} }

// forbids returns a schema without the value at a path.
func forbids(advice string, path ...string) *schema {
	return with(&schema{Not: &schema{}, Comments: advice}, path...)
}

// excludes returns a schema in which the value at a path is not the given one.
func excludes(value any, advice string, path ...string) *schema {
	return with(&schema{Not: &schema{Const: value}, Comments: advice}, path...)
}

// oneOf returns a schema in which the value at a path is one of some names.
func oneOf(names []string, advice string, path ...string) *schema {
	return with(&schema{Enum: anyOf(names), Comments: advice + "; write " + strings.Join(names, " or ")}, path...)
}

// when adds rules for the mappings that a condition describes.
func when(object, condition *schema, rules ...*schema) {
	object.AllOf = append(object.AllOf, &schema{If: condition, Then: all(rules...)})
}

// refineTool adds the rules between the keys of a tool.
func refineTool(tool *schema) {
	const ofTerminal = "is for commands of the terminal; remove it, or add surface: terminal"
	when(tool, with(&schema{Const: SurfaceMCP}, "surface"), requires("budget", "output"),
		forbids(ofTerminal, "command"), forbids(ofTerminal, "examples"), forbids(ofTerminal, "result", "columns"), forbids(ofTerminal, "result", "secret"),
		oneOf([]string{Method}, "; the tools only read", "request", "method"),
		oneOf(Renderers.Names(), ", which is not for tools of MCP clients", "result", "render"))
	const ofClients = "is for tools of MCP clients; remove it, a command has none"
	when(tool, is("surface", SurfaceTerminal), requires("command"),
		forbids(ofClients, "budget"), forbids(ofClients, "output"), forbids(ofClients, "commands"), forbids(ofClients, "result", "table"),
		forbids(ofClients, "result", "pages"), forbids("is for tools of MCP clients; remove it, a command shows the response", "request", "read_on"),
		oneOf(TerminalRenderers.Names(), ", which is not for commands", "result", "render"))
	when(tool, requires("commands"), with(requires("table"), "result"))
	refineAnswer(tool)
	argument := tool.Definitions["Argument"]
	refineArgument(argument)
	argument.AllOf = append(argument.AllOf, &schema{If: requires(useKey), Else: requires(argument.Required...)})
	argument.Required = nil
	tool.Definitions["Target"].DependentRequired = map[string][]string{"stream": {"record_id"}, "record_id": {"stream"}}
}

// refineAnswer adds the rules for a request and its renderer, and for an operation.
func refineAnswer(tool *schema) {
	when(tool, not(requires("operation")), requires("request"), &schema{If: requires("request"), Then: requires("result")})
	when(tool, requires("operation"), forbids("is not allowed with operation, which renders its own result; keep one", "result"),
		forbids("needs result; remove it, the operation sends the request", "request", "read_on"))
	when(tool, all(requires("operation"), not(requires("request"))), requires("endpoint"), forbids("needs a request; add one, or remove target", "target"),
		excludes(SendPath, ", but an operation has no path; send it as query", "arguments", "[]", "send"))
	when(tool, requires("request"), forbids("is not allowed with request, which names the endpoint; remove it", "endpoint"))
	var sending, others []string
	for _, word := range Operations {
		if word.Sends {
			sending = append(sending, word.Name)
		} else {
			others = append(others, word.Name)
		}
	}
	when(tool, of("operation", is("run", sending...)), requires("request"))
	when(tool, of("operation", is("run", others...)), forbids("is not allowed with this operation, which sends its own requests; remove it", "request"))
	when(tool, of("request", is("method", Method, "DELETE")),
		excludes(SendBody, ", but the request has no body; send it as query", "arguments", "[]", "send"))
	when(tool, of("request", not(is("method", Method))),
		forbids("is not allowed with a change, which is sent with a single grant; remove it", "request", "sources"))
	const withFile = "is not allowed with render: " + RenderFile + "; remove it"
	when(tool, of("result", is("render", RenderFile)), forbids(withFile, "target"), forbids(withFile, "preconditions"),
		oneOf([]string{Method}, ", which gives no bytes", "request", "method"))
}

// refineArgument adds the rules between the keys of an argument.
func refineArgument(argument *schema) {
	for _, each := range ArgumentTypes {
		noun := article(each.Name)
		var rules []*schema
		if each.Name != "integer" {
			advice := "bounds " + noun + "; only an integer has bounds, remove it"
			rules = append(rules, forbids(advice, "minimum"), forbids(advice, "maximum"))
		}
		if each.Name != "string" {
			rules = append(rules, forbids("lists the values of "+noun+"; only a string has them, remove it", "enum"),
				excludes(true, ", but only a string can be positional; remove it", "positional"))
		}
		if each.RequiredFunction == "" {
			rules = append(rules, excludes(true, ", but "+noun+" is always optional; remove it", "required"))
		}
		when(argument, is("type", each.Name), append(rules,
			fits(Checks, each.Name, "check"), fits(Sends, each.Name, "send"), fits(Completions, each.Name, "complete"))...)
	}
	when(argument, all(is("send", SendPath), is("type", "string")), requires("required"),
		excludes(false, ", but the argument is a part of the path; write true", "required"))
	when(argument, &schema{AnyOf: []*schema{not(requires("send")), is("send", SendPath)}},
		forbids("renames an argument that is not sent in the query; remove it", "as"))
}

// fits returns a schema in which a key has one of the words for an argument type.
func fits(words Words, argumentType, key string) *schema {
	advice := ", which does not fit " + article(argumentType)
	if names := words.fitting(argumentType).Names(); len(names) > 0 {
		return oneOf(names, advice, key)
	}
	return forbids(advice+"; remove it, no word does", key)
}

// refineShared adds the rules between the keys of shared.yaml.
func refineShared(shared *schema) {
	argument, property := shared.Definitions["Argument"], shared.Definitions["Property"]
	refineArgument(argument)
	argument.Properties.Set(useKey, &schema{Not: &schema{}, Comments: "is not allowed in shared.yaml; write the argument out"})
	when(shared.Definitions["Output"], is("unserved", true),
		excludes(true, ", but the output has no served schema; remove it, or unserved", "properties", "[]", "advertised"))
	when(property, not(is("type", "object", "array")),
		forbids("belong to an object or an array; change the type, or remove them", "properties"),
		forbids("is for an object or an array; change the type, or remove it", "or_names"))
	when(property, not(is("advertised", true)),
		forbids("is for the served schema, which does not have this property; advertise it too, or remove brief", "brief"),
		excludes(true, ", but the property that it is in is not advertised", "properties", "[]", "advertised"))
}
