package schema

import "github.com/pdppmcp/pdpp-mcp/toolspec"

// Output returns the schema of structured content that clients get in the list of tools: the advertised properties,
// with brief descriptions. Like Program, it is loose, without required members, closed objects or enums, since clients
// validate error results against it too and drop those that do not fit (R-SURF-10).
func Output(output toolspec.Output) Schema { return object(output.Properties, true) }

// Program returns the schema of structured content for the authors of programs: all properties, with their descriptions
// (R-EVAL-4).
func Program(output toolspec.Output) Schema { return object(output.Properties, false) }

func object(properties []toolspec.Property, isServed bool) Schema {
	loose := Schema{Type: "object"}
	for _, property := range properties {
		if isServed && !property.Advertised {
			continue
		}
		member := ofProperty(property, isServed)
		if member.Description = property.Description; isServed {
			member.Description = property.Brief
		}
		loose.Properties = append(loose.Properties, Property{Name: property.Name, Schema: member})
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
		return arrayOf(members(Property{"tool", Schema{Type: "string"}}, Property{"arguments", Schema{Type: "object"}},
			Property{"kind", Schema{Type: "string"}}))
	case "reading":
		return members(Property{"records_read", Schema{Type: "integer"}}, Property{"matched", Schema{Type: "integer"}},
			Property{"complete", Schema{Type: "boolean"}}, Property{"note", Schema{Type: "string"}})
	case "refusal":
		return members(Property{"code", Schema{Type: "string"}}, Property{"message", Schema{Type: "string"}})
	}
	return Schema{Type: property.Type}
}

func arrayOf(items Schema) Schema { return Schema{Type: "array", Items: &items} }

func members(properties ...Property) Schema { return Schema{Type: "object", Properties: properties} }
