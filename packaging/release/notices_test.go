package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Everything that is published has the licence of each module and of Go, and what NOTICE files ask to be passed on; two
// runs give the same bytes. Modules differ from platform to platform.
func TestNoticesOfEveryProgram(t *testing.T) {
	for _, chosen := range []target{{"linux", "amd64"}, {"windows", "arm64"}} {
		for _, program := range chosen.programs() {
			r := release{source: "../.."}
			var texts [2][]byte
			for i := range texts {
				modules, err := r.linked(t.Context(), program, chosen)
				if err != nil {
					t.Fatal(err)
				}
				if texts[i], err = notices(modules); err != nil {
					t.Fatalf("%s for %s: %v", program, chosen, err)
				}
				for _, each := range modules {
					if !bytes.Contains(texts[i], []byte("\n"+each.name+", ")) {
						t.Errorf("%s for %s does not name %s", program, chosen, each.name)
					}
				}
			}
			if !bytes.Equal(texts[0], texts[1]) {
				t.Errorf("%s for %s: two runs differ", program, chosen)
			}
			says := []string{
				"\nGo go1.", "Redistributions in binary form must reproduce the above copyright",
				"github.com/modelcontextprotocol/go-sdk v",
			}
			switch program {
			case server:
				says = append(says, "gopkg.in/yaml.v3 v3.0.1, NOTICE\n", "github.com/spf13/cobra v")
			case sandbox:
				says = append(says, "LICENSE-3RD-PARTY.md\n", "modernc.org/sqlite v")
			case tracing:
				says = append(says, "google.golang.org/grpc v", ", NOTICE.txt\n")
			}
			for _, each := range says {
				if !bytes.Contains(texts[0], []byte(each)) {
					t.Errorf("%s for %s does not say %q", program, chosen, each)
				}
			}
			if bytes.Contains(texts[0], []byte(os.Getenv("HOME")+"/")) {
				t.Errorf("%s for %s tells a path of this machine", program, chosen)
			}
		}
	}
}

// A text that several modules share appears once, one next to a package is found, and a module without a licence is
// refused by name.
func TestNoticesOfAModule(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(root, filepath.FromSlash(path)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	taken := func(name string, packages ...string) module {
		t.Helper()
		made := module{name: name + " v1.0.0", root: filepath.Join(root, name)}
		for _, each := range packages {
			if err := made.take(filepath.Join(made.root, filepath.FromSlash(each))); err != nil {
				t.Fatal(err)
			}
		}
		return made
	}
	write("LICENSE", "above every module")
	write("a/LICENSE", "shared\r\n")
	write("a/licence.go", "package a")
	write("a/inner/COPYING", "of a package")
	write("a/other/LICENSE", "of a package that is not linked")
	write("b/License.md", "\nshared\n\n")
	write("b/NOTICE", "by b")
	text, err := notices([]module{taken("a", "inner", "."), taken("b", ".")})
	line := strings.Repeat("=", 80)
	want := "This program holds the following. Each text stands below the names of what it is of.\n" +
		"\n" + line + "\na v1.0.0, LICENSE\nb v1.0.0, License.md\n\nshared\n" +
		"\n" + line + "\na v1.0.0, inner/COPYING\n\nof a package\n" +
		"\n" + line + "\nb v1.0.0, NOTICE\n\nby b\n"
	if err != nil || string(text) != want {
		t.Errorf("%v and\n%s\nwant\n%s", err, text, want)
	}

	write("c/NOTICE", "no licence")
	write("c/LICENSE", " \n")
	if _, err := notices([]module{taken("a", "."), taken("c", ".")}); err == nil ||
		!strings.Contains(err.Error(), "no licence is found of c v1.0.0 in ") {
		t.Errorf("a module without a licence gives %v", err)
	}
}
