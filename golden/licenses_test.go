package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// licensesHeader explains the golden to readers of its diff.
const licensesHeader = `# The modules linked into what is released (imports.txt says into which program), their versions, and the licences (SPDX) that
# their files say.
# go test ./golden -run Licenses -update writes it.
`

// licenses are recognized by words that occur in no other licence. All of them permit linking into a distributed
// binary, with their texts.
var licenses = []struct {
	spdx  string
	words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License\s+Version 2\.0`)},
	{"BSD-3-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms[\s\S]*Neither the name ` +
		`of|Redistribution and use in source and binary forms[\s\S]*[Nn]or the names of`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
	{"MPL-2.0", regexp.MustCompile(`Mozilla Public License,? [Vv]ersion 2\.0`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge`)},
	{"ISC", regexp.MustCompile(`Permission to use, copy, modify, and/or distribute this software`)},
}

// Every linked module has a known licence that permits it. A new module or version changes the golden on
// purpose.
func TestLicensesAreTheGolden(t *testing.T) {
	var text strings.Builder
	text.WriteString(licensesHeader)
	for _, linked := range linkedModuleFolders(t, servers...) {
		spdx := licenseOf(t, linked.folder)
		if len(spdx) == 0 {
			t.Errorf("%s has no licence that is known: read it, and add it to licenses if it permits what is done here",
				linked.module)
		}
		fmt.Fprintf(&text, "%s %s\n", linked.module, strings.Join(spdx, " AND "))
	}
	golden.File(t, "licenses.txt", text.String())
}

// linkedModule is a third-party module with its version and the folder of its files.
type linkedModule struct{ module, folder string }

// linkedModuleFolders returns the modules that the programs in some folders link.
func linkedModuleFolders(t *testing.T, programs ...string) []linkedModule {
	t.Helper()
	const form = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	arguments := []string{"-deps", "-f", form}
	for _, program := range programs {
		arguments = append(arguments, "./"+program)
	}
	lines := goList(t, arguments...)
	slices.Sort(lines)
	var linked []linkedModule
	for _, line := range slices.Compact(lines) {
		module, folder, _ := strings.Cut(line, "\t")
		linked = append(linked, linkedModule{module, folder})
	}
	return linked
}

// licenseOf returns the licence in the files of a module's root.
func licenseOf(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text := readFile(t, filepath.Join(folder, entry.Name()))
		for _, license := range licenses {
			known := slices.Contains(found, license.spdx) || license.spdx == "BSD-2-Clause" &&
				slices.Contains(found, "BSD-3-Clause")
			if !known && license.words.Match(text) {
				found = append(found, license.spdx)
			}
		}
	}
	return found
}
