// Package saved writes downloads and the output of commands to files. A file gets its name when it is whole, and what an earlier
// run left of it is gone on with.
package saved

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Target is where a command writes: a file or standard output.
type Target struct {
	Terminal invocation.Terminal

	name  string
	force bool
}

const standardOutput = "-"

// AddFlags adds the flags that name a file. Standard says what no name means.
func (t *Target) AddFlags(flags *pflag.FlagSet, standard string) {
	flags.StringVarP(&t.name, "output", "o", "", "`file` to write, of mode 0600; - is standard output ("+standard+")")
	flags.BoolVar(&t.force, "force", false, "write over a file that is there")
}

// toFile reports whether the target is a file.
func (t *Target) toFile() bool { return t.name != "" && t.name != standardOutput }

// Check refuses to replace an existing file without --force, and anything else than a regular file with it too.
func (t *Target) Check() error {
	if !t.toFile() {
		return nil
	}
	info, err := os.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return cannotWrite(err)
	case info.IsDir():
		return invocation.Usagef("-o %s is a directory; name a file in it", t.name)
	case !info.Mode().IsRegular():
		return invocation.Usagef("-o %s is not a regular file; name a file, or - for standard output", t.name)
	case !t.force:
		return invocation.Usagef("%s is there already; pass --force to write over it", t.name)
	}
	return nil
}
