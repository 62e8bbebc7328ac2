package argument_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// testdata/messages.golden has the text of every refusal: each names the argument, the limit and the next step.
// testdata/messages.txt has one call per line (R-ARG-1 to R-ARG-5, R-ARG-7, R-SURF-9).
func TestMessages(t *testing.T) {
	calls, err := os.Open("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer calls.Close()
	var got strings.Builder
	for lines := bufio.NewScanner(calls); lines.Scan(); {
		_, err := decode(lines.Text())
		if err == nil {
			t.Errorf("%s is not refused", lines.Text())
			continue
		}
		refused := asToolError(t, err)
		fmt.Fprintf(&got, "%s\n  %s %s\n  %s\n", lines.Text(), refused.Code, refused.Param, refused.Message)
		for _, instead := range refused.Instead {
			fmt.Fprintf(&got, "  instead %s\n", instead.Encode())
		}
	}
	golden.File(t, "testdata/messages.golden", got.String())
}
