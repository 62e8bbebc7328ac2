package exam_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/tokens"
)

// counter counts tokens for a test.
type counter struct{ *tokens.Counter }

func newCounter(t *testing.T) *counter {
	t.Helper()
	made, err := tokens.NewCounter()
	if err != nil {
		t.Fatal(err)
	}
	return &counter{made}
}

func (c *counter) count(t *testing.T, text string) int {
	t.Helper()
	n, err := c.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
