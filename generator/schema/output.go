package schema

import (
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Output returns a loose schema of structured content, without required members, closed objects or enums, since clients
// validate error results against it too and drop those that do not fit (R-SURF-10). It has the advertised properties without
// their descriptions, which are for the reference pages.
func Output(output toolspec.Output) Schema {
	loose := Schema{Type: "object"}
	for _, property := range output.Properties {
		if !property.Advertised {
			continue
		}
		member := Schema{Type: property.Type}
		if property.Type == "array" {
			member.Items = &Schema{Type: "object"}
		}
		loose.Properties = append(loose.Properties, Property{Name: property.Name, Schema: member})
	}
	return loose
}
