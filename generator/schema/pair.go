package schema

import "github.com/pdppmcp/pdpp-mcp/generator/plan"

// Pair is both schemas of one tool.
type Pair struct {
	Input, Output Schema
}

// Of writes both schemas of a tool.
func Of(tool plan.Tool) Pair { return Pair{Input: Input(tool), Output: Output(tool.Output)} }
