package syncing

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// streamCopy is a file with one record per line, ordered by id, and a state file. If the records do not match the
// digest in the state, because a run was killed or the file was edited, the copy is read from the beginning.
type streamCopy struct {
	source
	root *os.Root

	records map[string]json.RawMessage // lines by id
	state   state
}

type state struct {
	Bookmark string `json:"bookmark"` // of the last run; empty if nothing was read
	Provider string `json:"provider_url"`
	Grant    string `json:"grant_id"`
	Records  int    `json:"records"`
	SHA256   string `json:"sha256"` // of the record file
}

// fileName turns a name from the provider into a file name.
func fileName(name string) string {
	name = strings.ReplaceAll(url.PathEscape(name), ":", "%3A")
	if strings.HasPrefix(name, ".") {
		name = "%2E" + name[1:]
	}
	return name
}

func (s source) file() string { return path.Join(fileName(s.connection), fileName(s.stream)+".jsonl") }

func (s source) stateFile() string {
	return path.Join(fileName(s.connection), "."+fileName(s.stream)+".json")
}

// open reads the copy of an earlier run. A missing or damaged copy is empty. So is a copy of another grant, because
// that grant may cover other fields.
func (c *streamCopy) open() error {
	c.clear()
	content, err := c.root.ReadFile(c.stateFile())
	var kept state
	isOurs := err == nil && json.Unmarshal(content, &kept) == nil &&
		kept.Bookmark != "" && kept.Provider == c.grant.reader.ProviderURL() && kept.Grant == c.grant.id
	var records []byte
	if isOurs {
		records, err = c.root.ReadFile(c.file())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if digest := sha256.Sum256(records); err != nil || !isOurs || hex.EncodeToString(digest[:]) != kept.SHA256 {
		return nil
	}
	for line := range bytes.Lines(records) {
		members, _ := rawjson.ParseObject(line)
		c.records[members.Text(wire.ID)] = bytes.TrimSuffix(line, []byte("\n"))
	}
	c.state = kept
	return nil
}

func (c *streamCopy) clear() { c.records, c.state = map[string]json.RawMessage{}, state{} }

// apply applies one row of the change feed: a new version of a record, or its deletion.
func (c *streamCopy) apply(row json.RawMessage, counts *change) error {
	members, ok := rawjson.ParseObject(row)
	id := members.Text(wire.ID)
	line, err := rawjson.Compact(row)
	_, isKnown := c.records[id]
	switch {
	case !ok || id == "" || err != nil:
		return errNotRecord
	case !members.True("deleted"):
		c.records[id] = line
		counts.Written++
	case isKnown:
		delete(c.records, id)
		counts.Deleted++
	}
	return nil
}

var errNotRecord = errors.New("the provider sent a change without a record id; the copy was not changed")

// save writes the records and then the state.
func (c *streamCopy) save(bookmark string) error {
	if err := c.root.MkdirAll(fileName(c.connection), 0o700); err != nil {
		return err
	}
	digest := sha256.New()
	err := c.replace(c.file(), func(out io.Writer) error {
		buffered := bufio.NewWriter(io.MultiWriter(out, digest))
		for _, id := range slices.Sorted(maps.Keys(c.records)) {
			_, _ = buffered.Write(c.records[id]) // Flush returns the error
			_ = buffered.WriteByte('\n')
		}
		return buffered.Flush()
	})
	if err != nil {
		return err
	}
	c.state = state{bookmark, c.grant.reader.ProviderURL(), c.grant.id, len(c.records), hex.EncodeToString(digest.Sum(nil))}
	return c.replace(c.stateFile(), func(out io.Writer) error { return json.NewEncoder(out).Encode(c.state) })
}

// replace writes a partial file of mode 0600 and renames it when it is complete and synced.
func (c *streamCopy) replace(name string, write func(io.Writer) error) (err error) {
	part := name + "." + rand.Text() + partSuffix
	file, err := c.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = c.root.Rename(part, name)
	}
	if err != nil {
		_ = c.root.Remove(part) // otherwise the next run removes it
	}
	return err
}

const partSuffix = ".part"

// ownPart matches the partial files of replace.
var ownPart = regexp.MustCompile(`^[^/]+/[^/]+\.jsonl?\.[A-Z2-7]{26}\` + partSuffix + `$`)

// removeParts removes the partial files of a killed run. Other files in the directory are not ours.
func removeParts(root *os.Root) error {
	names, err := fs.Glob(root.FS(), "*/*"+partSuffix)
	for _, name := range names {
		if !ownPart.MatchString(name) {
			continue
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// adviseEnded adds the number of kept copies to an error that only a new sign-in can fix. The owner decides whether to
// delete them.
func (s *sync) adviseEnded(err error) error {
	if invocation.ExitCode(err) != invocation.ExitConfiguration {
		return err
	}
	copies := s.copies()
	records := 0
	for _, kept := range copies {
		records += kept.state.Records
	}
	return invocation.Advised(err,
		fmt.Sprintf("Nothing more is read. Kept in %s: %d records in %d files.", s.directory, records, len(copies)),
		"To delete the copies, remove the directory.")
}

// keptCopy is a copy of an earlier run.
type keptCopy struct {
	file  string // below the directory
	state state
}

// copies returns the copies in the directory that have a readable state.
func (s *sync) copies() []keptCopy {
	var found []keptCopy
	names, _ := fs.Glob(s.root.FS(), "*/.*.json") // fails only for a malformed pattern
	for _, name := range names {
		folder, base := path.Split(name)
		kept := keptCopy{file: folder + strings.TrimSuffix(base[1:], ".json") + ".jsonl"}
		content, err := s.root.ReadFile(name)
		if err == nil && json.Unmarshal(content, &kept.state) == nil && kept.state.Bookmark != "" {
			found = append(found, kept)
		}
	}
	return found
}

// reportUngranted names the copies of streams that the grants no longer cover. Copies of grants that the flags exclude
// are not named.
func (s *sync) reportUngranted(granted []source, sources *invocation.Sources) {
	for _, kept := range s.copies() {
		isGranted := slices.ContainsFunc(granted, func(source source) bool { return source.file() == kept.file })
		if !isGranted && sources.IsEvery(kept.state.Provider) {
			s.terminal.Note("no longer granted, and kept: %s (%d records)",
				filepath.Join(s.directory, filepath.FromSlash(kept.file)), kept.state.Records)
		}
	}
}
