package golden_test

import (
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)`")
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)\(`)
)

// Every test that docs/security.md names exists.
func TestSecurityReviewNamesTests(t *testing.T) {
	exists := map[string]bool{}
	for _, path := range goList(t, "-f",
		`{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range `+
			`.XTestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, "./...") {
		for _, found := range testFunc.FindAllSubmatch(readFile(t, path), -1) {
			exists[string(found[1])] = true
		}
	}
	review := string(readFile(t, "../docs/security.md"))
	named := namedTest.FindAllStringSubmatch(review, -1)
	if len(named) < 50 {
		t.Errorf("%d tests are named", len(named))
	}
	for _, name := range named {
		if !exists[name[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", name[1])
		}
	}
	for _, attacker := range []string{"MCP client", "resource server", "record author", "network", "local user"} {
		if !strings.Contains(review, "## As "+attacker) {
			t.Errorf("docs/security.md says nothing of the %s", attacker)
		}
	}
}
