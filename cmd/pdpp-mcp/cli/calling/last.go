package calling

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sinceLast is the value for the changes since the last run of the same command line (R-TIME-5).
const sinceLast = "@last"

// lastRun is a file in the cache with the position of the last run in a feed of changes.
type lastRun struct{ path string }

// keptPosition is the content of that file.
type keptPosition struct {
	Cursor   string `json:"cursor,omitempty"`
	Bookmark string `json:"bookmark,omitempty"`
}

// resume replaces the value @last with the position of the last run, or with now on the first run. It returns a nil
// lastRun for arguments without that value.
func (c *toolCommand) resume(object rawjson.Object) (rawjson.Object, *lastRun, error) {
	if c.definition.Changes == "" || object.Text(c.definition.Changes) != sinceLast {
		return object, nil, nil
	}
	cache, err := invocation.OpenCache(c.sources.CacheRoot, nil)
	if err != nil {
		return nil, nil, err
	}
	run := strings.Join(slices.Concat([]string{c.definition.Name}, c.sources.URLs, c.sources.Grants), "\x00")
	sum := sha256.Sum256(append([]byte(run), object.Without(c.definition.Pages, tool.HitsLimit).Encode()...))
	last := &lastRun{filepath.Join(cache.Root, "changes", hex.EncodeToString(sum[:8]))}
	kept := keptPosition{Bookmark: "now"}
	file, err := os.ReadFile(last.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.terminal.Note("first run: the next one lists the changes from now on")
	case err != nil:
		return nil, nil, fmt.Errorf("read the position of the last run: %w", err)
	case json.Unmarshal(file, &kept) != nil:
		return nil, nil, invocation.Failf("the position of the last run cannot be read; remove %s", last.path)
	}
	if kept.Cursor != "" { // a cursor identifies the page without changes_since
		return object.Without(c.definition.Changes).With(c.definition.Pages, rawjson.Quote(kept.Cursor)), last, nil
	}
	return object.With(c.definition.Changes, rawjson.Quote(kept.Bookmark)), last, nil
}

// keep writes the position for the next run: the next page, or after the last page the bookmark for later changes.
func (l *lastRun) keep(kept keptPosition) error {
	if l == nil || kept == (keptPosition{}) {
		return nil
	}
	content, _ := json.Marshal(kept) // strings
	err := os.MkdirAll(filepath.Dir(l.path), 0o700)
	if err == nil {
		err = ownfile.Replace(l.path, ".position-*", 0o600, content)
	}
	if err != nil {
		return fmt.Errorf("keep the position for the next run: %w", err)
	}
	return nil
}
