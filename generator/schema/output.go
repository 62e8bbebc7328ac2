package schema

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Output returns the schema of structured content that clients get in the list of tools: the advertised properties,
// with brief descriptions. Like Program, it is loose, without required members, closed objects or enums, since clients
// validate error results against it too and drop those that do not fit (R-SURF-10).
func Output(output toolspec.Output) Schema { return object(output.Properties, true) }

// Program returns the schema of structured content for the authors of programs: all properties, with their descriptions
// (R-EVAL-4).
func Program(output toolspec.Output) Schema { return object(output.Properties, false) }

func object(properties []toolspec.Property, isServed bool) Schema {
	loose := members()
	for _, property := range properties {
		if isServed && !property.Advertised {
			continue
		}
		member := ofProperty(property, isServed)
		if member.Description = property.Description; isServed {
			member.Description = property.Brief
		}
		loose.Properties = append(loose.Properties, ordered.Member{Name: property.Name, Value: member})
	}
	return loose
}

func ofProperty(property toolspec.Property, isServed bool) Schema {
	switch inner := object(property.Properties, isServed); property.Type {
	case "object":
		if property.OrNames {
			return Schema{AnyOf: []Schema{inner, arrayOf(Schema{Type: "string"})}}
		}
		return inner
	case "array":
		if property.OrNames {
			return arrayOf(Schema{AnyOf: []Schema{inner, {Type: "string"}}})
		}
		return arrayOf(inner)
	case "string_list":
		return arrayOf(Schema{Type: "string"})
	case "scalar":
		return Schema{AnyOf: []Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}, {Type: "null"}}}
	case "calls":
		return arrayOf(members("tool", "string", "arguments", "object", "kind", "string"))
	case "reading":
		return members("records_read", "integer", "matched", "integer", "complete", "boolean", "note", "string")
	case "refusal":
		return members("code", "string", "message", "string")
	}
	return Schema{Type: property.Type}
}

func arrayOf(items Schema) Schema { return Schema{Type: "array", Items: &items} }

// members returns the schema of an object by the names of its members and their types.
func members(namesAndTypes ...string) Schema {
	object := Schema{Type: "object", Properties: ordered.Object{}}
	for pair := range slices.Chunk(namesAndTypes, 2) {
		member := Schema{Type: pair[1]}
		if member.Type == "object" {
			member.Properties = ordered.Object{}
		}
		object.Properties = append(object.Properties, ordered.Member{Name: pair[0], Value: member})
	}
	return object
}
