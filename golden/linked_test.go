package golden_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// linkedLimit is the file with the maximum number of hand-written lines linked into pdpp-mcp.
const linkedLimit = "linked_lines.txt"

// The linked code does not grow unnoticed. A commit that raises the number in linked_lines.txt says what the lines buy.
func TestLinkedLines(t *testing.T) {
	counted := exec.CommandContext(t.Context(), "go", "run", ".ci/size.go")
	counted.Dir = ".."
	printed, err := counted.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	total := regexp.MustCompile(`packages \d+, files \d+, lines (\d+)`).FindSubmatch(printed)
	if total == nil {
		t.Fatalf("no total in:\n%s", printed)
	}
	lines, err := strconv.Atoi(string(total[1]))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(linkedLimit)
	if err != nil {
		t.Fatal(err)
	}
	var limit int
	if _, err := fmt.Sscan(strings.TrimSpace(string(content)), &limit); err != nil {
		t.Fatalf("golden/%s: %v", linkedLimit, err)
	}
	if lines > limit {
		t.Errorf(
			"%d hand-written lines are linked into pdpp-mcp, more than the %d of golden/%s; remove code, or raise the number and "+
				"say in the commit what the lines buy (go run .ci/size.go -packages lists them)", lines, limit, linkedLimit)
	}
}
