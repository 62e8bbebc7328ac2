package completion

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// Names are cached for a minute, for one grant of one provider.
func TestKeptNames(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	names := schemadoc.Names{{Name: "messages", Connections: []schemadoc.NamedConnection{{ID: "cin_1"}}}}
	kept := newKeptNames(root, "https://pdpp.example", "grt_1")
	kept.write(names, now)
	tests := []struct {
		about string
		kept  *keptNames
		at    time.Time
		found bool
	}{
		{"at once", kept, now, true},
		{"within the minute", kept, now.Add(namesAge - time.Second), true},
		{"after the minute", kept, now.Add(namesAge), false},
		{"written in the future", kept, now.Add(-time.Second), false},
		{"another grant", newKeptNames(root, "https://pdpp.example", "grt_2"), now, false},
		{"another provider", newKeptNames(root, "https://other.example", "grt_1"), now, false},
		{"a file of another grant under this name", &keptNames{path: kept.path, providerURL: "https://pdpp.example", grantID: "grt_2"}, now, false},
	}
	for _, test := range tests {
		if got, found := test.kept.read(test.at); found != test.found || found && len(got.Streams("cin_1")) != 1 {
			t.Errorf("%s: %v, %v; want %v", test.about, got, found, test.found)
		}
	}
	// Writing the names of another grant removes old files.
	if err := os.Chtimes(kept.path, now.Add(-namesAge), now.Add(-namesAge)); err != nil {
		t.Fatal(err)
	}
	newKeptNames(root, "https://pdpp.example", "grt_2").write(names, now)
	if left, err := filepath.Glob(filepath.Join(root, namesFolder, "*")); err != nil || len(left) != 1 || left[0] == kept.path {
		t.Errorf("the folder holds %v and gives %v, want the new file alone", left, err)
	}
}
