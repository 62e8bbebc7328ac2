package schema_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// R-SURF-9, R-ARG-1, R-ARG-4: members are in declared order, and open maps say what they take.
func TestInputKeepsDeclaredOrder(t *testing.T) {
	least, most := int64(1), int64(100)
	input := schema.Input(toolspec.Tool{Arguments: []toolspec.Argument{
		{Name: "zebra", Type: "string", Required: true, Enum: []string{"b", "a"}},
		{Name: "apple", Type: "integer", Minimum: &least, Maximum: &most, Description: "a < b"},
		{Name: "limits", Type: "limits"},
	}})
	got := ordered.Compact(input)
	want := `{"type":"object","properties":{` +
		`"zebra":{"type":"string","enum":["b","a"]},` +
		`"apple":{"type":"integer","description":"a < b","minimum":1,"maximum":100},` +
		`"limits":{"type":"object","properties":{},"minProperties":1,"additionalProperties":{"type":"integer",` +
		`"minimum":1}}},` +
		`"required":["zebra"],"additionalProperties":false}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
