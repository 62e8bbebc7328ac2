package golden_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Every link from one page to another leads to an existing file and heading.
func TestDocumentationLinksLeadSomewhere(t *testing.T) {
	pages := []string{"../README.md", "../CONTRIBUTING.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/tools/*.md", "../docs/performance/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s gives %v and %v", pattern, found, err)
		}
		pages = append(pages, found...)
	}
	followed := 0
	for _, page := range pages {
		content := code.ReplaceAllString(string(readFile(t, page)), "")
		for _, found := range link.FindAllStringSubmatch(content, -1) {
			if strings.Contains(found[1], "://") {
				continue // an external page
			}
			followed++
			target, anchor, hasAnchor := strings.Cut(found[1], "#")
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s: %s leads nowhere", page, found[1])
				continue
			}
			if hasAnchor && (info.IsDir() || !anchors(string(readFile(t, path)))[anchor]) {
				t.Errorf("%s: %s has no heading %q", page, target, anchor)
			}
		}
	}
	if followed < 20 {
		t.Errorf("followed %d links, want those of all pages", followed)
	}
}

// A comment cites a page of docs/ by one of its headings, as in (docs/interfaces.md, Limits).
func TestCommentsCiteExistingHeadings(t *testing.T) {
	wrapped := regexp.MustCompile(`\n\s*(//|#) `)
	cited := regexp.MustCompile(`(docs/[a-z-]+\.md), ([A-Z][A-Za-z -]*[a-z])`)
	for _, name := range strings.Fields(run(t, "git", "-C", "..", "ls-files", "-co", "--exclude-standard",
		"*.go", "*.yaml")) {
		text := wrapped.ReplaceAllString(string(readFile(t, "../"+name)), " ")
		for _, found := range cited.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(readFile(t, "../"+found[1])), "\n## "+found[2]+"\n") {
				t.Errorf("%s: %s has no heading %q", name, found[1], found[2])
			}
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)

// anchors returns the link names of a page's headings: lower case, without punctuation, with hyphens for spaces.
func anchors(content string) map[string]bool {
	names := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(code.ReplaceAllString(content, ""), -1) {
		name := notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(found[1])), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}
