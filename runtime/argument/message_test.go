package argument_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// The wording of every refusal is reviewed in testdata/messages.golden: each names the argument, the limit
// and the next step. testdata/messages.txt holds one call per line (R-ARG-1 to R-ARG-5, R-ARG-7, R-SURF-9).
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
	}
	const golden = "testdata/messages.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; run the test with -update and read what it wrote", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the wording differs (-want +got):\n%s", diff)
	}
}
