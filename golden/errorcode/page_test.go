package errorcode_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/golden/errorcode"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

var update = flag.Bool("update", false, "write the codes into docs/troubleshooting.md")

const page = "../../docs/troubleshooting.md"

// The page has the list as it is.
func TestThePageHasTheCodes(t *testing.T) {
	present := read(t, page)
	wanted, err := errorcode.Page([]byte(present))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, wanted, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(wanted), present); diff != "" {
		t.Errorf("go test ./golden/errorcode -update writes the page (-wanted +present):\n%s", diff)
	}
}

func TestAPageWithoutAPlaceIsRefused(t *testing.T) {
	var missing *errorcode.MissingMarkersError
	if _, err := errorcode.Page([]byte("# A page\n")); !errors.As(err, &missing) || !strings.Contains(err.Error(), "end of codes") {
		t.Errorf("got %v, want that the markers are missing", err)
	}
}

// An entry says what happened and what to do, in whole sentences that a table can hold; no code is twice in a section.
func TestEntriesAreWhole(t *testing.T) {
	for _, section := range errorcode.Sections() {
		seen := map[string]bool{}
		for _, entry := range section.Entries {
			if seen[entry.Code] {
				t.Errorf("%s: %s is there twice", section.Title, entry.Code)
			}
			seen[entry.Code] = true
			for _, sentence := range []string{entry.Meaning, entry.Next} {
				if isSuccess := entry.Code == "0"; !isSuccess && !strings.HasSuffix(sentence, ".") || strings.ContainsAny(sentence, "|\n") {
					t.Errorf("%s: %s: %q is no sentence for a table", section.Title, entry.Code, sentence)
				}
			}
		}
	}
}

// The table of the doctor, which is written by hand, has every check and no other.
func TestThePageHasEveryCheckOfTheDoctor(t *testing.T) {
	var checks []string
	doctor.Examine(t.Context(), doctor.Options{Cache: &credential.Cache{Root: t.TempDir()}}, func(result doctor.Result) { checks = append(checks, result.ID) })
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
