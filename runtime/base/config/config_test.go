package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/config"
)

var known = config.Known{
	"listen": {}, "audience": {IsList: true}, "introspection-client-secret-file": {},
	"caller-rate": {},
}

// Covers R-OPS-4: entries have their order, their lines, and their values as written.
func TestSettings(t *testing.T) {
	text := "# a comment\nlisten: 127.0.0.1:8788\naudience:\n  - https://a.example\n  - https://b.example\ncaller-rate: 20\n"
	settings, problems := config.Parse("c.yaml", []byte(text), known)
	want := []config.Setting{
		{Name: "listen", Line: 2, Values: []string{"127.0.0.1:8788"}},
		{Name: "audience", Line: 3, Values: []string{"https://a.example", "https://b.example"}},
		{Name: "caller-rate", Line: 6, Values: []string{"20"}},
	}
	if diff := cmp.Diff(want, settings); diff != "" || len(problems) > 0 {
		t.Errorf("%v %s", problems, diff)
	}
	for _, empty := range []string{"", "# nothing\n", "{}\n"} {
		if settings, problems := config.Parse("c.yaml", []byte(empty), known); len(settings)+len(problems) > 0 {
			t.Errorf("%q: %v %v", empty, settings, problems)
		}
	}
}

// Covers R-OPS-4: all problems are reported at once, with their lines and what to do. The value of an unknown name is
// never shown.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"listn: x\naudience: {a: b}\nlisten: [a, b]\nintrospection-client-secret: " +
			"a-secret-value\ncaller-rate:\ncaller-rate: 3\n": `c.yaml:1: unknown setting "listn"; did you mean listen?
c.yaml:2: audience takes a value or a list of values, such as [a, b]
c.yaml:3: listen takes one value; write it as listen: <value>
c.yaml:4: unknown setting "introspection-client-secret"; did you mean introspection-client-secret-file?
c.yaml:5: caller-rate takes one value; write it as caller-rate: <value>
c.yaml:6: caller-rate is already in line 5; keep one`,
		"- listen\n": "c.yaml:1: must be names of flags with their values, such as listen: " +
			"127.0.0.1:8788",
		"listen: a\n---\nlisten: b\n": "c.yaml: has several YAML documents; keep one, and remove ---",
		"listen: a\n\tb: c\n":         "c.yaml:2: is not valid YAML: found a tab character that violates indentation",
		"audience: [a, [b]]\n? [x]\n: y\n": "c.yaml:1: audience takes a value or a list of values, such as [a, " +
			"b]\nc.yaml:2: unknown setting \"\"; use the name of a flag, such as log-level",
		"listen: &a x\naudience: *a\n": "c.yaml:2: audience takes a value or a list of values, such as [a, b]",
	} {
		_, problems := config.Parse("c.yaml", []byte(text), known)
		var lines []string
		for _, problem := range problems {
			lines = append(lines, problem.Error())
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
	if _, problems := config.Read(t.TempDir(), known); len(problems) != 1 {
		t.Errorf("a directory: %v", problems)
	}
	if _, problems := config.Read("/nowhere/c.yaml", known); len(problems) != 1 ||
		problems[0].Error() != "/nowhere/c.yaml: cannot be read: no such file or directory" {
		t.Errorf("no file: %v", problems)
	}
}

// Any file is parsed or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte("listen: a\naudience: [b]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		settings, _ := config.Parse("c.yaml", text, known)
		for _, setting := range settings {
			if _, isKnown := known[setting.Name]; !isKnown || setting.Line < 1 {
				t.Errorf("%+v", setting)
			}
		}
	})
}
