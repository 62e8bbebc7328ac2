package browsertest_test

import (
	"os"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
)

func TestBrowserIsFoundByName(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("PDPP_CHROMIUM", "")
	if found := browsertest.Find(); found != "" {
		t.Errorf("found %s on an empty PATH", found)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PDPP_CHROMIUM", self)
	if found := browsertest.Find(); found != self {
		t.Errorf("found %q, want the one that is named", found)
	}
}
