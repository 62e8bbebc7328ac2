package syncing

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// adviseEnded adds the number of kept copies to an error that only a new sign-in can fix. The owner decides whether to delete them.
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

// reportUngranted names the copies of streams that the grants no longer cover. Copies of grants that the flags exclude are not named.
func (s *sync) reportUngranted(granted []source, sources *invocation.Sources) {
	for _, kept := range s.copies() {
		isGranted := slices.ContainsFunc(granted, func(source source) bool { return source.file() == kept.file })
		if !isGranted && sources.IsEvery(kept.state.Provider) {
			fmt.Fprintf(s.terminal.Err, "no longer granted, and kept: %s (%d records)\n",
				filepath.Join(s.directory, filepath.FromSlash(kept.file)), kept.state.Records)
		}
	}
}
