package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// part is FILE.….part, of mode 0600, which becomes FILE when it is whole.
type part struct {
	*os.File
	target *Target
	path   string // where it is now
}

// keyShown is how many hexadecimal digits of a key are part of the name FILE.….part.
const keyShown = 16

// partPath returns the path of the partial file that a run with the same key goes on with. A key is hexadecimal.
func (t *Target) partPath(key string) string { return t.name + "." + key[:keyShown] + ".part" }

// newPart creates a partial file that no other run goes on with, and removes what killed runs left of such.
func (t *Target) newPart() (*part, error) {
	t.tidy()
	for {
		file, err := os.CreateTemp(filepath.Dir(t.name), filepath.Base(t.name)+".*.part") // 0600
		if err != nil {
			return nil, cannotWrite(err)
		}
		if made := (&part{file, t, file.Name()}); made.claim() {
			return made, nil
		}
		_ = file.Close() // another run took it for what a killed one left, between the two calls
	}
}

// claim locks a partial file as long as it is open, and reports whether no other run has it or has removed it. Where files cannot be
// locked it is this run's too, and nobody removes any.
func (p *part) claim() bool {
	err := ownfile.TryLock(p.File)
	return err == nil && p.isThere() || err != nil && !errors.Is(err, ownfile.ErrLocked)
}

// isThere reports whether the open file is the one that its path names.
func (p *part) isThere() bool {
	named, err := os.Lstat(p.path)
	opened, failed := p.Stat()
	return errors.Join(err, failed) == nil && os.SameFile(named, opened)
}

// ofKilledRun are the names of newPart behind that of the file. Those of a key have more digits.
var ofKilledRun = regexp.MustCompile(`^\.[0-9]{1,10}\.part$`)

// tidy removes partial files that no run has open: it was killed, since all others remove or rename theirs. What cannot be removed
// stays, as does what somebody else may have put there.
func (t *Target) tidy() {
	entries, _ := os.ReadDir(filepath.Dir(t.name)) // newPart fails where this does
	for _, entry := range entries {
		behind, isOurs := strings.CutPrefix(entry.Name(), filepath.Base(t.name))
		if !isOurs || !ofKilledRun.MatchString(behind) {
			continue
		}
		left := &part{target: t, path: t.name + behind}
		var err error
		if left.File, _, err = ownfile.OpenPrivate(left.path, os.O_RDWR); err != nil {
			continue
		}
		if isOpen := ownfile.TryLock(left.File) != nil; isOpen || !left.isThere() {
			_ = left.Close() // nothing was written
		} else if left.remove() == nil {
			fmt.Fprintf(t.Terminal.Err, "removed %s, which a killed run left\n", invocation.OneLine(left.path))
		}
	}
}

// keptPart opens the partial file that an earlier run left. It refuses what another user may have put there: a link, a pipe, a
// file that others can write, and one with a second hard link. The error is fs.ErrNotExist if there is none.
func (t *Target) keptPart(key string) (*part, error) {
	path := t.partPath(key)
	file, _, err := ownfile.OpenPrivate(path, os.O_RDWR)
	foreign, isForeign := errors.AsType[*ownfile.Fault](err)
	switch {
	case isForeign:
		return nil, invocation.Usagef("%v, so it is not what an earlier run left; remove it, or name another file with -o", foreign)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, cannotWrite(err)
	}
	return &part{file, t, path}, nil
}

func cannotWrite(err error) error { return invocation.Usagef("-o cannot be written: %v", err) }

// moveTo renames the partial file.
func (p *part) moveTo(path string) error {
	if err := os.Rename(p.path, path); err != nil {
		return fmt.Errorf("give the file its name: %w", err)
	}
	p.path = path
	return nil
}

// publish gives the partial file the name of the target and closes it. Where that name is taken meanwhile, the file gets another one,
// which the error names and no later run removes.
func (p *part) publish() error {
	defer p.Close() // after Sync nothing is left to write
	if err := p.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	if refused := p.target.Check(); refused != nil {
		err := p.moveTo(strings.TrimSuffix(p.path, ".part") + ".whole")
		return errors.Join(fmt.Errorf("%w; all of it is in %s", refused, p.path), err)
	}
	return p.moveTo(p.target.name)
}

// remove deletes the partial file.
func (p *part) remove() error { return errors.Join(p.Close(), os.Remove(p.path)) }
