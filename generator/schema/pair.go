package schema

import "github.com/pdppmcp/pdpp-mcp/generator/plan"

// Pair has both schemas of one tool.
type Pair struct {
	Input, Output Schema
}

// Of returns both schemas of a tool.
func Of(tool plan.Tool) Pair { return Pair{Input: Input(tool), Output: Output(tool.Output)} }
