package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// failure records the failure of a test.
type failure struct {
	testing.TB
	message string
}

func (f *failure) Errorf(format string, values ...any) { f.message = fmt.Sprintf(format, values...) }

// A failing golden shows the command that updates it.
func TestAFailingGoldenShowsItsCommand(t *testing.T) {
	if golden.Updates() {
		return // nothing fails then
	}
	failed := &failure{TB: t}
	golden.File(failed, "licenses.txt", "another text")
	if want := "go test ./golden -run '^TestAFailingGoldenShowsItsCommand$' -update"; !strings.Contains(failed.message,
		want) {
		t.Errorf("the failure is\n%s\nwant %s", failed.message, want)
	}
}
