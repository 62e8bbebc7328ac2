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
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// streamCopy is the copy of one stream of one connection: a file with a record on each line, in the order of their ids, and beside
// it a file that says up to where it was read. Both are replaced whole. A copy whose lines are not those that were written with its
// bookmark, since a run was killed between the two files or somebody edited one, is read anew.
type streamCopy struct {
	root               *os.Root
	Connection, Stream string

	records map[string]json.RawMessage // by id; a line each
	state   state
}

// state is what is kept beside the records.
type state struct {
	Bookmark string `json:"bookmark"` // empty: nothing was read
	Provider string `json:"provider_url"`
	Grant    string `json:"grant_id"`
	Records  int    `json:"records"`
	SHA256   string `json:"sha256"` // of the file of the records
}

// fileName makes a name of a provider's a name of a file, the same for the same name.
func fileName(name string) string {
	name = strings.ReplaceAll(url.PathEscape(name), ":", "%3A")
	if strings.HasPrefix(name, ".") {
		name = "%2E" + name[1:]
	}
	return name
}

// file is the path of the records below the directory.
func (c *streamCopy) file() string {
	return path.Join(fileName(c.Connection), fileName(c.Stream)+".jsonl")
}

func (c *streamCopy) stateFile() string {
	return path.Join(fileName(c.Connection), "."+fileName(c.Stream)+".json")
}

// open reads the copy of an earlier run. One that cannot be relied on is empty, and so is one of another grant, which may cover
// other fields.
func (c *streamCopy) open(provider, grant string) error {
	c.forget()
	kept, err := c.readState()
	if err != nil || kept.Bookmark == "" || kept.Provider != provider || kept.Grant != grant {
		return err
	}
	file, err := c.root.Open(c.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	digest := sha256.New()
	lines := bufio.NewReader(io.TeeReader(file, digest))
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", c.file(), err)
		}
		members, _ := rawjson.ParseObject(line)
		c.records[members.Text("id")] = bytes.TrimSuffix(line, []byte("\n"))
	}
	if hex.EncodeToString(digest.Sum(nil)) != kept.SHA256 {
		c.forget()
		return nil
	}
	c.state = kept
	return nil
}

// readState returns the zero state for a copy that has none.
func (c *streamCopy) readState() (kept state, err error) {
	content, err := c.root.ReadFile(c.stateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err == nil && json.Unmarshal(content, &kept) != nil {
		return state{}, nil
	}
	return kept, err
}

// forget empties the copy in memory, so that it is read from the beginning.
func (c *streamCopy) forget() { c.records, c.state = map[string]json.RawMessage{}, state{} }

// apply takes a record of the feed, a new version or the note that it was deleted, and counts it.
func (c *streamCopy) apply(row json.RawMessage, done *change) error {
	members, ok := rawjson.ParseObject(row)
	id := members.Text("id")
	line, err := rawjson.Compact(row)
	_, had := c.records[id]
	switch {
	case !ok || id == "" || err != nil:
		return errNoRecord
	case !members.True("deleted"):
		c.records[id] = line
		done.Written++
	case had:
		delete(c.records, id)
		done.Deleted++
	}
	return nil
}

var errNoRecord = errors.New("the provider sent a change that is no record with an id; the copy was left as it was")

// save writes the records, and then up to where they were read.
func (c *streamCopy) save(provider, grant, bookmark string) error {
	if err := c.root.MkdirAll(fileName(c.Connection), 0o700); err != nil {
		return err
	}
	digest := sha256.New()
	err := c.replace(c.file(), func(out io.Writer) error {
		buffered := bufio.NewWriter(io.MultiWriter(out, digest))
		for _, id := range slices.Sorted(maps.Keys(c.records)) {
			_, _ = buffered.Write(c.records[id]) // Flush gives the error
			_ = buffered.WriteByte('\n')
		}
		return buffered.Flush()
	})
	if err != nil {
		return err
	}
	c.state = state{bookmark, provider, grant, len(c.records), hex.EncodeToString(digest.Sum(nil))}
	return c.replace(c.stateFile(), func(out io.Writer) error { return json.NewEncoder(out).Encode(c.state) })
}

// replace writes a file of mode 0600 beside the one that is there, and gives it its name when it is whole and on the disk.
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
		_ = c.root.Remove(part) // a later run does, too
	}
	return err
}

// partSuffix ends the names of files that are not whole.
const partSuffix = ".part"

// ownPart matches the paths of the files that replace writes.
var ownPart = regexp.MustCompile(`^[^/]+/[^/]+\.jsonl?\.[A-Z2-7]{26}\` + partSuffix + `$`)

// tidy removes what a killed run left. Other files in the directory may be anybody's.
func tidy(root *os.Root) error {
	names, err := fs.Glob(root.FS(), "*/*"+partSuffix)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !ownPart.MatchString(name) {
			continue
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
