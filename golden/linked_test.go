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

// maxLongLines is the maximum number of lines over 120 characters in 1,000.
const maxLongLines = 10

// The linked code does not grow unnoticed. A commit that raises the number in linked_lines.txt says what the lines buy.
// Few lines of hand-written Go are long.
func TestLinkedLines(t *testing.T) {
	counted := exec.CommandContext(t.Context(), "go", "run", ".ci/size.go")
	counted.Dir = ".."
	printed, err := counted.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	var long float64
	if share := regexp.MustCompile(`\(([0-9.]+) in 1,000\)`).FindSubmatch(printed); share == nil {
		t.Fatalf("no share of long lines in:\n%s", printed)
	} else if long, _ = strconv.ParseFloat(string(share[1]), 64); long > maxLongLines {
		t.Errorf("%.1f of 1,000 lines of Go have more than 120 characters, and %d are allowed: wrap some", long, maxLongLines)
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
