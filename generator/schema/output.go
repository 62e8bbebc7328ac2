package schema

import (
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Output is a loose schema of structured content: nothing required, nothing closed, no values named.
// Clients validate error results against it too, and throw away what does not fit (R-SURF-10).
func Output(output toolspec.Output) Schema {
	loose := Schema{Type: "object"}
	for _, property := range output.Properties {
		member := Schema{Type: property.Type, Description: property.Description}
		if property.Type == "array" {
			member.Items = &Schema{Type: "object"}
		}
		loose.Properties = append(loose.Properties, Property{Name: property.Name, Schema: member})
	}
	return loose
}
