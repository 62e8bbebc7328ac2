// Package saved writes the output of commands and the downloads of blobs to files, for commands with the flag -o. A
// file gets its name when it is complete. A later run can resume the download of a blob with a digest.
package saved

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
)

// Target is the destination of a command's output: a file or standard output.
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

// Check returns an error if the file cannot be created, if it exists and --force is not set, or if it is not a regular
// file.
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

// SetDefaultName names the file if no -o did. The name comes from a provider. It is changed so that it names no other
// directory and no hidden file.
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
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError: // such as a change of the text's direction
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

// cannotWrite names the file of -o and not the partial file.
func (t *Target) cannotWrite(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return invocation.Usagef("-o %s cannot be written: %v", t.name, err)
}

// Output is standard output, or the partial file FILE.….part of mode 0600 until it is published.
type Output struct {
	io.Writer
	target *Target
	file   *os.File // nil for standard output, and after the end
}

// Open opens the output. The caller must Discard it after use, which has no effect after Publish.
func (t *Target) Open() (*Output, error) {
	if !t.IsFile() {
		return &Output{Writer: t.Terminal.Out}, nil
	}
	file, err := os.CreateTemp(filepath.Dir(t.name), filepath.Base(t.name)+".*.part") // 0600
	if err != nil {
		return nil, t.cannotWrite(err)
	}
	return &Output{file, t, file}, nil
}

// openResumable creates the partial file of a blob with a digest, or opens the one of an earlier run. It refuses a file
// that another user may have created.
func (t *Target) openResumable(digest string) (*Output, error) {
	path := t.name + "." + digest[:16] + ".part"
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	if errors.Is(err, fs.ErrExist) {
		file, _, err = ownfile.OpenPrivate(path, os.O_RDWR)
	}
	if foreign, isForeign := errors.AsType[*ownfile.Fault](err); isForeign {
		return nil, invocation.Usagef("%v, so it is not from an earlier run; remove it, or name another file with -o", foreign)
	}
	if err != nil {
		return nil, t.cannotWrite(err)
	}
	return &Output{file, t, file}, nil
}

func (o *Output) restart() error {
	if o.file == nil {
		return nil
	}
	_, err := o.file.Seek(0, io.SeekStart)
	return errors.Join(err, o.file.Truncate(0))
}

// Publish renames the file to its final name. If that name is taken by now, the file gets another name, which the error
// includes.
func (o *Output) Publish() error {
	if o.file == nil {
		return nil
	}
	complete := o.file
	o.file = nil
	defer complete.Close() // after Sync nothing is left to write
	if err := complete.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", complete.Name(), err)
	}
	name, taken := o.target.name, o.target.Check()
	if taken != nil {
		name = strings.TrimSuffix(complete.Name(), ".part") + ".complete"
		taken = fmt.Errorf("%w; the complete file is %s", taken, name)
	}
	if err := os.Rename(complete.Name(), name); err != nil {
		return errors.Join(taken, fmt.Errorf("rename the complete file: %w", err))
	}
	return taken
}

// Discard removes a file that was not published.
func (o *Output) Discard() { _ = o.remove() } // the command has failed already

func (o *Output) remove() error {
	if o.file == nil {
		return nil
	}
	return errors.Join(o.file.Close(), os.Remove(o.file.Name()))
}
