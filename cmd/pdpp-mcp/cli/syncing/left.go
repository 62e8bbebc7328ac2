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

// ended adds what is kept to an error that only another credential can help. What was copied before stays with the owner, who
// decides about it.
func (s *sync) ended(err error) error {
	if invocation.ExitCode(err) != invocation.ExitConfiguration {
		return err
	}
	copies := s.copies()
	records := 0
	for _, each := range copies {
		records += each.state.Records
	}
	kept := fmt.Sprintf("Nothing more is read. Kept in %s: %d records in %d files.", s.directory, records, len(copies))
	return invocation.Advised(err, kept, "Remove the directory if the copies shall end with the grant.")
}

// keptCopy is a copy of an earlier run.
type keptCopy struct {
	file  string // below the directory
	state state
}

// copies returns all copies in the directory, by their states. A file that cannot be read, or is no state, is left out.
func (s *sync) copies() []keptCopy {
	var found []keptCopy
	names, _ := fs.Glob(s.root.FS(), "*/.*.json") // fails only for a wrong pattern
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

// tellLeft says which copies are of streams that the grants no longer cover. They are neither read nor removed. Copies of what was
// not asked are left out.
func (s *sync) tellLeft(granted []source, sources *invocation.Sources) {
	var files []string
	for _, each := range granted {
		files = append(files, each.file())
	}
	for _, kept := range s.copies() {
		if sources.IsEvery(kept.state.Provider) && !slices.Contains(files, kept.file) {
			fmt.Fprintf(s.terminal.Err, "no longer granted, and left as it was: %s (%d records)\n",
				filepath.Join(s.directory, filepath.FromSlash(kept.file)), kept.state.Records)
		}
	}
}
