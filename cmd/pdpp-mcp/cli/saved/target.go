// Package saved writes the output of commands and the downloads of blobs to files, for commands with the flag -o. A file gets its name
// when it is complete. A later run can resume the download of a blob with a digest.
package saved

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Target is where a command writes: a file or standard output.
type Target struct {
	Terminal invocation.Terminal

	name  string
	force bool

	isDefault bool // no -o named it
}

const standardOutput = "-"

// AddFlags adds the flags of a target. Missing says what a missing name means.
func (t *Target) AddFlags(flags *pflag.FlagSet, missing string) {
	flags.StringVarP(&t.name, "output", "o", "", "`file` to write, of mode 0600; - is standard output ("+missing+")")
	flags.BoolVar(&t.force, "force", false, "overwrite an existing file")
}

// IsFile reports whether the target is a file.
func (t *Target) IsFile() bool { return t.name != "" && t.name != standardOutput }

// Name returns the name of the file, - for standard output, or nothing for the default.
func (t *Target) Name() string { return t.name }

// Check returns an error if the file cannot be created, if it exists and --force is not set, or if it is not a regular file.
func (t *Target) Check() error {
	if !t.IsFile() {
		return nil
	}
	info, err := os.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(t.name)); errors.Is(err, fs.ErrNotExist) {
			return invocation.Usagef("-o %s cannot be written: there is no directory %s; create it, or name another file", t.name, filepath.Dir(t.name))
		}
		return nil
	case err != nil:
		return t.cannotWrite(err)
	case info.IsDir():
		return invocation.Usagef("-o %s is a directory; name a file in it", t.name)
	case !info.Mode().IsRegular():
		return invocation.Usagef("-o %s is not a regular file; name a file, or - for standard output", t.name)
	case !t.force:
		return invocation.Usagef("%s exists; pass --force to overwrite it", t.name)
	}
	return nil
}

// SetDefaultName names the file if no -o did. The name is one of a provider, so nothing in it leads to another directory or hides a file.
func (t *Target) SetDefaultName(name string) {
	if t.name == "" {
		t.name = fileName(name)
		t.isDefault = true
	}
}

// maxName is the maximum length of a default name in bytes, which leaves room for the suffix of a partial file.
const maxName = 200

func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError: // such as a reversal of the direction
			return -1
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		}
		return r
	}, name)
	extension := path.Ext(name)
	if len(name) > maxName && len(extension) < 16 {
		name = strings.ToValidUTF8(name[:maxName-len(extension)], "") + extension
	}
	name = strings.TrimLeft(strings.TrimSpace(name), ".-")
	if len(name) > maxName || !filepath.IsLocal(name) { // on Windows, NUL is not local
		return "file"
	}
	return name
}
