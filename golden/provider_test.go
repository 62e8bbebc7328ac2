package golden_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var endpoint = regexp.MustCompile("`((?:GET|POST|PATCH|DELETE) /[^`]+)`")

// docs/provider-contract.md lists exactly the requests that the tools and commands send by their generated pages.
func TestTheRequirementsOfProvidersAreWhatIsAsked(t *testing.T) {
	asked := map[string]bool{}
	pages, err := filepath.Glob("../docs/tools/*.md")
	if err != nil || len(pages) < 6 {
		t.Fatalf("found %v and %v, want the pages of the tools", pages, err)
	}
	for _, page := range append(pages, "../docs/commands.md") {
		for _, found := range endpoint.FindAllStringSubmatch(string(readFile(t, page)), -1) {
			asked[strings.ReplaceAll(found[1], "{record_id}", "{id}")] = true
		}
	}
	var listed []string
	for _, found := range endpoint.FindAllStringSubmatch(string(readFile(t, "../docs/provider-contract.md")), -1) {
		listed = append(listed, found[1])
	}
	var wanted []string
	for request := range asked {
		wanted = append(wanted, request)
	}
	slices.Sort(listed)
	slices.Sort(wanted)
	if diff := gocmp.Diff(wanted, listed); diff != "" {
		t.Errorf("docs/provider-contract.md (-asked +listed):\n%s", diff)
	}
}
