package candidate

import (
	"context"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// Groups answers the groups of an aggregate in their order, each with its count. If keys are passed, it omits other
// groups.
func Groups(stream string, question blind.Arguments, keys ...string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		aggregate, err := c.Aggregate(ctx, question.With("stream", stream).With("metric", "count"))
		var lines []string
		for _, group := range aggregate.Groups {
			key := strings.Trim(string(group.Key), `"`)
			if keys == nil || slices.Contains(keys, key) {
				lines = append(lines, answer(key, group.Count))
			}
		}
		return strings.Join(lines, "\n"), err
	}
}
