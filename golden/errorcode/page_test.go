package errorcode_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const page = "../../docs/troubleshooting.md"

// The table of the doctor, which is written by hand, has every check and no other.
func TestThePageHasEveryCheckOfTheDoctor(t *testing.T) {
	var checks []string
	doctor.Examine(t.Context(), doctor.Options{Cache: &credential.Cache{Root: t.TempDir()}},
		func(result doctor.Result) { checks = append(checks, result.ID) })
	table, _, _ := strings.Cut(read(t, page), "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		for _, id := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			at := slices.Index(checks, id[1])
			if at < 0 {
				t.Errorf("the page has a check %s, which there is not", id[1])
				continue
			}
			checks = slices.Delete(checks, at, at+1)
		}
	}
	if len(checks) > 0 {
		t.Errorf("the page does not have the checks %v", checks)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return ""
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s gives %v and %v", pattern, names, err)
	}
	return names
}
