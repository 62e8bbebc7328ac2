package mcphost

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"
)

// unifiedDiff shows what comes and goes as it is. Of the lines that stay it shows the keys only, because
// the values may be secrets of other servers.
func unifiedDiff(oldName string, before []byte, newName string, after []byte) string {
	lines := strings.SplitAfter(string(diff.Diff(oldName, before, newName, after)), "\n")
	if len(lines) < 4 {
		return ""
	}
	body := lines[3:] // the first line says diff, and then come the two names
	gone, come := map[string]bool{}, map[string]bool{}
	for _, line := range body {
		switch {
		case strings.HasPrefix(line, "-"):
			gone[bare(line)] = true
		case strings.HasPrefix(line, "+"):
			come[bare(line)] = true
		}
	}
	for i, line := range body {
		stays := gone[bare(line)] && come[bare(line)] // only a comma came to it
		if strings.HasPrefix(line, " ") || stays && (line[0] == '-' || line[0] == '+') {
			body[i] = hideValue(line)
		}
	}
	return strings.Join(lines[1:], "")
}

// bare is a line of a diff without its mark, commas and white space.
func bare(line string) string {
	if line == "" {
		return ""
	}
	return strings.Join(strings.FieldsFunc(line[1:], func(r rune) bool { return r == ',' || unicode.IsSpace(r) }), "")
}

var (
	keyed       = regexp.MustCompile(`^([-+ ]\s*(?:"(?:[^"\\]|\\.)*"\s*:|[A-Za-z0-9_.-]+\s*=)\s*)(.*)$`)
	punctuation = regexp.MustCompile(`^[-+ ][\s{}\[\],]*$`)
	tomlHeading = regexp.MustCompile(`^[-+ ]\s*\[\[?[A-Za-z0-9_. -]+\]\]?\s*$`)
)

// hideValue keeps what gives a line its place: a key, a bracket, a heading.
func hideValue(line string) string {
	content := strings.TrimRight(line, "\r\n")
	if punctuation.MatchString(content) || tomlHeading.MatchString(content) {
		return content + "\n"
	}
	shown := content[:1] + "…"
	if parts := keyed.FindStringSubmatch(content); parts != nil {
		shown = parts[1]
		if punctuation.MatchString(" " + parts[2]) {
			return content + "\n"
		}
		shown += "…"
	}
	if strings.HasSuffix(content, ",") {
		shown += ","
	}
	return shown + "\n"
}
