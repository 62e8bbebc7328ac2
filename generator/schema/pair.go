package schema

import "github.com/pdppmcp/pdpp-mcp/generator/plan"

// Pair is both schemas of one tool.
type Pair struct {
	Input, Output Schema
}

// Of writes both schemas of a tool.
func Of(tool plan.Tool) (Pair, error) {
	input, err := Input(tool)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Input: input, Output: Output(tool.Output)}, nil
}
