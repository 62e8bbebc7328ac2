package calling

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sinceLast is the value for the changes since the last run of the same command line (R-TIME-5).
const sinceLast = "@last"

// lastRun keeps the position in a feed of changes between runs, in the cache.
type lastRun struct{ path string }

// resume replaces the value @last by the position that the last run kept, or by now. It returns nil for arguments without that value.
func (c *toolCommand) resume(arguments json.RawMessage) (json.RawMessage, *lastRun, error) {
	object, _ := rawjson.ParseObject(arguments)
	if c.definition.Changes == "" || object.Text(c.definition.Changes) != sinceLast {
		return arguments, nil, nil
	}
	cache, err := invocation.OpenCache(c.sources.CacheRoot, nil)
	if err != nil {
		return nil, nil, err
	}
	run := strings.Join(append(append([]string{c.definition.Name}, c.sources.URLs...), c.sources.Grants...), "\x00")
	sum := sha256.Sum256(append([]byte(run), object.Without(c.definition.Pages, tool.HitsLimit).Encode()...))
	last := &lastRun{filepath.Join(cache.Root, "changes", hex.EncodeToString(sum[:8]))}
	kept, err := os.ReadFile(last.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read the position of the last run: %w", err)
	}
	return object.With(c.definition.Changes, rawjson.Quote(cmp.Or(strings.TrimSpace(string(kept)), "now"))).Encode(), last, nil
}

// keep keeps the position after a result. A page that is not the last one continues with the next run.
func (l *lastRun) keep(result *tool.Result) error {
	if l == nil {
		return nil
	}
	structured, _ := rawjson.ParseObject(result.Structured)
	data, _ := rawjson.ParseObject(structured.Get("data"))
	position := data.FirstText("next_changes_since", "next_cursor")
	if position == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("keep the position for the next run: %w", err)
	}
	if err := ownfile.Replace(l.path, ".position-*", 0o600, []byte(position+"\n")); err != nil {
		return fmt.Errorf("keep the position for the next run: %w", err)
	}
	return nil
}
