package saved

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// part is the partial file FILE.….part of mode 0600.
type part struct {
	*os.File
	target *Target
	path   string
}

func (t *Target) newPart() (*part, error) {
	file, err := os.CreateTemp(filepath.Dir(t.name), filepath.Base(t.name)+".*.part") // 0600
	if err != nil {
		return nil, t.cannotWrite(err)
	}
	return &part{file, t, file.Name()}, nil
}

// resumablePart creates the partial file of a blob with a digest, or opens the one of an earlier run. It refuses a file that another user
// may have created.
func (t *Target) resumablePart(digest string) (*part, error) {
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
	return &part{file, t, path}, nil
}

// cannotWrite names the file of -o and not the partial file.
func (t *Target) cannotWrite(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return invocation.Usagef("-o %s cannot be written: %v", t.name, err)
}

// publish renames the complete file to the target. If that name is taken by now, the file gets another name, which the error includes.
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

// Output is standard output, or a partial file until it is published.
type Output struct {
	io.Writer
	part *part // nil for standard output, and after publishing
}

// Open opens the output. The caller must Discard it after use, which has no effect after Publish.
func (t *Target) Open() (*Output, error) {
	if !t.IsFile() {
		return &Output{Writer: t.Terminal.Out}, nil
	}
	part, err := t.newPart()
	return &Output{part, part}, err
}

// Publish gives the file its name.
func (o *Output) Publish() error {
	if o.part == nil {
		return nil
	}
	complete := o.part
	o.part = nil
	return complete.publish()
}

// Discard removes a file that was not published.
func (o *Output) Discard() {
	if o.part != nil {
		_ = o.part.remove() // the command has failed already
	}
}
