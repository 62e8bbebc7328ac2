package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// The table of a page has exactly the flags of its command, each with its variable and its default.
func TestDocumentedFlags(t *testing.T) {
	for page, name := range map[string]string{"docs/connect.md": "stdio", "docs/hosting.md": "serve"} {
		command, _, err := testRoot().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		command.InheritedFlags() // joins them to Flags
		documented := flagRows(readPage(t, page))
		want := map[string]bool{}
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			want["--"+flag.Name] = true
			row, found := documented["--"+flag.Name]
			if !found {
				t.Errorf("%s: the table lacks --%s", page, flag.Name)
				return
			}
			for _, variable := range variablesOf(flag) {
				if !strings.Contains(row.variable, "`"+variable+"`") {
					t.Errorf("%s: --%s is also %s, the table says %s", page, flag.Name, variable, row.variable)
				}
			}
			unset := slices.Contains([]string{"", "[]", "false", "0s"}, flag.DefValue)
			if standard := strings.NewReplacer("`", "", " ", "").Replace(row.standard); !unset &&
				!slices.Contains(strings.Split(standard, ","), flag.DefValue) {
				t.Errorf("%s: the default of --%s is %s, the table says %s", page, flag.Name, flag.DefValue, row.standard)
			}
		})
		for _, flag := range slices.Sorted(maps.Keys(documented)) {
			if !want[flag] {
				t.Errorf("%s: %s has no %s", page, name, flag)
			}
		}
	}
}

// variablesOf returns the environment variables of a flag and those that its usage names.
func variablesOf(flag *pflag.Flag) []string {
	found := regexp.MustCompile(`PDPP_[A-Z_]+`).FindAllString(flag.Usage, -1)
	return append(found, flag.Annotations[invocation.VariableOf]...)
}

type flagRow struct{ variable, standard string }

var documentedFlag = regexp.MustCompile("`(--[a-z-]+)`")

// flagRows returns the table rows whose first cell names flags.
func flagRows(content string) map[string]flagRow {
	rows := map[string]flagRow{}
	for line := range strings.SplitSeq(content, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for _, name := range documentedFlag.FindAllStringSubmatch(cells[1], -1) {
			rows[name[1]] = flagRow{variable: cells[2], standard: cells[4]}
		}
	}
	return rows
}
