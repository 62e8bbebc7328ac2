package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// part is FILE.….part, of mode 0600, which becomes FILE when it is complete.
type part struct {
	*os.File
	target *Target
	path   string // where it is now
}

func (t *Target) newPart() (*part, error) {
	file, err := os.CreateTemp(filepath.Dir(t.name), filepath.Base(t.name)+".*.part") // 0600
	if err != nil {
		return nil, t.cannotWrite(err)
	}
	return &part{file, t, file.Name()}, nil
}

// digestDigits is how many hexadecimal digits of a digest are part of the name FILE.….part.
const digestDigits = 16

// resumablePart creates the partial file of a blob with a known digest, or opens the one of an earlier run. It refuses a file that
// another user may have put there: a link, a pipe, a file that others can write, and one with a second hard link.
func (t *Target) resumablePart(digest string) (*part, error) {
	path := t.name + "." + digest[:digestDigits] + ".part"
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	if errors.Is(err, fs.ErrExist) {
		file, _, err = ownfile.OpenPrivate(path, os.O_RDWR)
	}
	if foreign, isForeign := errors.AsType[*ownfile.Fault](err); isForeign {
		return nil, invocation.Usagef("%v, so an earlier run did not leave it; remove it, or name another file with -o", foreign)
	}
	if err != nil {
		return nil, t.cannotWrite(err)
	}
	return &part{file, t, path}, nil
}

// cannotWrite names the file of -o and not the partial file.
func (t *Target) cannotWrite(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return invocation.Usagef("-o %s cannot be written: %v", t.name, err)
}

// publish closes the complete file and gives it the name of the target. If another file has that name by now, the error names
// the one that was written instead.
func (p *part) publish() error {
	defer p.Close() // after Sync nothing is left to write
	if err := p.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	name, taken := p.target.name, p.target.Check()
	if taken != nil {
		name = strings.TrimSuffix(p.path, ".part") + ".complete"
		taken = fmt.Errorf("%w; the complete file is %s", taken, name)
	}
	if err := os.Rename(p.path, name); err != nil {
		return errors.Join(taken, fmt.Errorf("rename the complete file: %w", err))
	}
	return taken
}

func (p *part) remove() error { return errors.Join(p.Close(), os.Remove(p.path)) }
