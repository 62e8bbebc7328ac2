package mcphost

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Change is a planned change of a host's file. Apply writes it.
type Change struct {
	Host Host
	Path string // of the file, as the host knows it

	file  *file
	after []byte
}

// Plan reads the host's file and plans the change. It returns a *credential.Error of class Configuration if the file
// cannot be read, parsed or changed without touching other content, and one of class Usage if the host cannot use the
// server.
func (h Host) Plan(machine Machine, server Server) (*Change, error) {
	if err := h.check(server); err != nil {
		return nil, err
	}
	change := &Change{Host: h, Path: h.Path(machine)}
	var err error
	if change.file, err = readFile(change.Path); err != nil {
		return nil, err
	}
	wanted := h.settings(server)
	change.after, err = h.format.change(change.file.content, h.section, server.Name, wanted)
	if err == nil && !changesOnlyEntry(h.format, change.file.content, change.after, h.section, server.Name, wanted) {
		err = problem("the change would touch more than its own entry")
	}
	if err != nil {
		return nil, credential.Misconfigured(fmt.Sprintf("%s was left as it is: %v", change.Path, err), fixOrPrint, err)
	}
	return change, nil
}

// PlanSkill plans to write a SKILL.md into the folder of a skill. It returns a *credential.Error of class Configuration
// if the file cannot be read, and one of class Usage if the host has no skills.
func (h Host) PlanSkill(machine Machine, name, text string) (*Change, error) {
	if !h.HasSkills() {
		return nil, credential.Misused(h.Title+" has no folder for skills", "add what --print --skill prints in its settings", nil)
	}
	above := machine.Home
	if h.installFolder != nil {
		above = h.installFolder(machine)
	}
	change := &Change{Host: h, Path: filepath.Join(above, h.skills, name, "SKILL.md"), after: []byte(text)}
	var err error
	change.file, err = readFile(change.Path)
	return change, err
}

// Empty reports whether nothing changes.
func (c *Change) Empty() bool { return c.file.exists && bytes.Equal(c.file.content, c.after) }

// Exists reports whether the file exists before the change.
func (c *Change) Exists() bool { return c.file.exists }

// Diff returns the removed and the added lines. Other lines may hold secrets.
func (c *Change) Diff() string {
	name := c.Path
	if !c.file.exists {
		name = "/dev/null"
	}
	if c.Empty() || !c.file.exists && len(c.after) == 0 {
		return ""
	}
	return "--- " + name + "\n+++ " + c.Path + "\n" + changedLines(c.Host.format.readable(c.file.content), c.Host.format.readable(c.after))
}

// Apply writes the change atomically and returns the path of the backup, if any. It fails if the file has changed since
// Plan.
func (c *Change) Apply() (backup string, err error) {
	if c.Empty() {
		return "", nil
	}
	err = os.MkdirAll(filepath.Dir(c.file.target), 0o700)
	if err == nil && c.file.exists {
		backup, err = c.file.backUp()
	}
	if err == nil {
		if changed := c.file.checkUnchanged(); changed != nil {
			return backup, changed
		}
		err = ownfile.Replace(c.file.target, "."+filepath.Base(c.file.target)+".pdpp-writing-*", c.file.mode, c.after)
	}
	if err != nil {
		return backup, credential.Misconfigured(c.file.path+" cannot be written: "+credential.Cause(err).Error(), fixOrPrint, err)
	}
	return backup, nil
}

// Snippet returns a configuration with only the server, for pasting.
func (h Host) Snippet(server Server) (string, error) {
	if err := h.check(server); err != nil {
		return "", err
	}
	content, err := h.format.change(nil, h.section, server.Name, h.settings(server))
	return string(content), err
}

// changedLines returns the removed and the added lines, each after a minus or a plus. It leaves out lines that differ
// only in commas and white space.
func changedLines(before, after []byte) string {
	var body []string
	marks := map[string]string{} // minus and plus signs by content of the line
	for i, line := range strings.SplitAfter(string(diff.Diff("before", before, "after", after)), "\n") {
		if i >= 3 && (strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")) { // the first lines name the files
			body = append(body, line)
			marks[lineContent(line)] += line[:1]
		}
	}
	var shown strings.Builder
	for _, line := range body {
		if mark := marks[lineContent(line)]; !strings.Contains(mark, "-") || !strings.Contains(mark, "+") {
			shown.WriteString(line)
		}
	}
	return shown.String()
}

func lineContent(line string) string {
	return strings.Join(strings.FieldsFunc(line[1:], func(r rune) bool { return r == ',' || unicode.IsSpace(r) }), "")
}

const maxFileBytes = 64 << 20 // Claude Code keeps its history in the same file

type file struct {
	path    string // as the host knows it
	target  string // path with symbolic links resolved; the links are kept
	exists  bool
	mode    fs.FileMode
	content []byte
}

func readFile(path string) (*file, error) {
	read := &file{path: path, target: path, mode: 0o600}
	if err := read.load(); err != nil {
		return nil, credential.Misconfigured(path+" cannot be read: "+credential.Cause(err).Error(), fixOrPrint, err)
	}
	return read, nil
}

func (f *file) load() error {
	target, err := filepath.EvalSymlinks(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(f.path); linkErr == nil {
			return problem("it is a symbolic link to nothing")
		}
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return problem("it is not a regular file")
	case info.Size() > maxFileBytes:
		return problem(fmt.Sprintf("it is larger than %d bytes", maxFileBytes))
	}
	f.target, f.exists, f.mode = target, true, info.Mode().Perm()
	f.content, err = os.ReadFile(target)
	return err
}

// backUp copies the file and returns the path of the copy.
func (f *file) backUp() (string, error) {
	backup := f.target + ".before-pdpp-" + time.Now().UTC().Format("20060102T150405.000000000Z")
	copied, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
	if err != nil {
		return "", err
	}
	_, err = copied.Write(f.content)
	return backup, errors.Join(err, copied.Chmod(f.mode), copied.Sync(), copied.Close())
}

// checkUnchanged returns an error if the host has written its file since it was read.
func (f *file) checkUnchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.exists != f.exists || now.target != f.target || !bytes.Equal(now.content, f.content) {
		return credential.Misconfigured(f.path+" was changed by another program meanwhile and was left as it is", "close the host and run setup again", nil)
	}
	return nil
}

const fixOrPrint = "fix that, or add the configuration by hand; --print shows it"
