package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Output is the output of a command: standard output, or a partial file that is published when it is whole.
type Output struct {
	io.Writer
	part *part // nil: standard output, or published or kept already
	goes bool  // on with what an earlier run left
}

// Open opens the output of a command line. A partial file that an earlier run kept for this very line is gone on with; the
// caller writes behind it. For an empty line nothing is ever kept.
func (t *Target) Open(line string) (*Output, error) {
	if !t.toFile() {
		return &Output{Writer: t.Terminal.Out}, nil
	}
	fresh, err := t.newPart()
	if err != nil || line == "" {
		return &Output{Writer: fresh, part: fresh}, err
	}
	kept, err := t.keptPart(keyOf(line))
	if errors.Is(err, fs.ErrNotExist) {
		return &Output{Writer: fresh, part: fresh}, nil
	}
	if err != nil {
		return nil, errors.Join(err, fresh.remove())
	}
	// Under the new name a run that is killed leaves nothing that another one would take for the rows up to its cursor.
	if !kept.claim() {
		inUse := invocation.Usagef("another run goes on with %s; let it end, or name another file with -o", kept.path)
		return nil, errors.Join(inUse, kept.Close(), fresh.remove())
	}
	if err := errors.Join(kept.moveTo(fresh.path), fresh.Close()); err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return &Output{Writer: kept, part: kept, goes: true}, nil
}

// Earlier returns what an earlier run left, or nil. The caller reads all of it or seeks to its end before it writes.
func (o *Output) Earlier() io.ReadSeeker {
	if !o.goes {
		return nil
	}
	return o.part
}

// Publish gives a file its name, or where that is taken another one, which the error names. Later calls do nothing.
func (o *Output) Publish() error {
	if o.part == nil {
		return nil
	}
	whole := o.part
	o.part = nil
	return whole.publish()
}

// Keep leaves a partial file, if there is one, for the command line that goes on, and returns its path.
func (o *Output) Keep(line string) (path string, err error) {
	if o.part == nil {
		return "", nil
	}
	kept := o.part
	o.part = nil
	path = kept.target.partPath(keyOf(line))
	if err := errors.Join(kept.moveTo(path), kept.Close()); err != nil {
		return "", fmt.Errorf("keep the partial file: %w", err)
	}
	return path, nil
}

// Discard removes a partial file that was neither published nor kept.
func (o *Output) Discard() {
	if o.part != nil {
		_ = o.part.remove() // the command has failed already
	}
}

func keyOf(line string) string {
	digest := sha256.Sum256([]byte(line))
	return hex.EncodeToString(digest[:])
}
