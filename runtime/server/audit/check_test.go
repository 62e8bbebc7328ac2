package audit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
)

// A check of an audit file finds what NewFile would stumble over, and creates nothing.
func TestCheckFile(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, isUsable := range map[string]bool{
		plain:                                  true,
		filepath.Join(folder, "new"):           true,
		filepath.Join(folder, "a", "b", "new"): true,
		folder:                                 false,
		filepath.Join(plain, "below a file"):   false,
	} {
		if err := audit.CheckFile(path); (err == nil) != isUsable {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the check left %v, %v", entries, err)
	}
}
