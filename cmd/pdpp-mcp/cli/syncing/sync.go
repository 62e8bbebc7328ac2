// Package syncing has the command sync. It keeps copies of granted streams in a directory, as JSON lines, and updates
// them from the change feed of the provider.
package syncing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

type sync struct {
	terminal             invocation.Terminal
	command              *cobra.Command
	directory            string
	streams, connections []string // to copy; empty for all

	root *os.Root
	lock *os.File
}

// NewSyncCommand returns the command that keeps copies of streams.
func NewSyncCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	sources := invocation.Sources{ReadsEvery: true}
	run := sync{terminal: terminal}
	format := display.Format{Terminal: terminal}
	command := &cobra.Command{
		Use:   "sync <directory>",
		Short: "Keep a copy of the granted streams up to date, as JSON lines",
		Long: `Keep a copy of the granted streams in a directory: one file for each stream of each connection, such as
cin_1/messages.jsonl, with one record per line. The first run reads every record. Later runs read only changes, and remove deleted
records. Files have mode 0600 and are replaced whole, so that a run can be stopped at any time. All grants of every provider are read,
each with its own token. After a grant has ended, its copies are kept.`,
		Example: `  pdpp-mcp sync mine
  pdpp-mcp sync mine --stream messages --connection-id cin_gmail_personal`,
		Args: invocation.OneArgument("directory"),
		RunE: func(command *cobra.Command, words []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			run.command, run.directory = command, words[0]
			result, failed := run.updateAll(command.Context(), &sources, log)
			if result == nil {
				return failed
			}
			return errors.Join(failed, format.PrintList(command.Context(), result, nil, nil))
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&run.streams, invocation.FlagName(tool.RecordsStream), nil, "copy only this `stream`; repeatable")
	flags.StringSliceVar(&run.connections, invocation.FlagName(tool.RecordsConnectionID), nil, "copy only the connection with this `id`; repeatable")
	format.AddFlags(flags)
	sources.AddFlags(flags)
	return command
}

type row struct {
	Connection string `json:"connection_id"`
	Stream     string `json:"stream"`
	Records    int    `json:"records"`
	change
	File string `json:"file"`
}

// updateAll updates every copy. The failure of one stream or one grant does not affect the others.
func (s *sync) updateAll(ctx context.Context, sources *invocation.Sources, log *invocation.Log) (*tool.Result, error) {
	defer s.close()
	if err := s.open(); err != nil {
		return nil, err
	}
	logger := log.Logger()
	providers, unusable := sources.Each(logger)
	if len(providers) == 0 {
		return nil, s.adviseEnded(unusable)
	}
	granted, problems, isComplete := granted(ctx, providers, logger)
	grants := len(providers) - len(problems)
	problems = append(problems, unusable)
	if grants == 0 {
		return nil, s.adviseEnded(errors.Join(problems...))
	}
	chosen, err := s.choose(granted)
	if err != nil {
		return nil, errors.Join(append(problems, err)...)
	}
	rows, failures := s.updateEach(ctx, chosen, grants)
	problems = append(problems, failures...)
	if isComplete {
		s.reportUngranted(granted, sources)
	}
	structured, err := json.Marshal(map[string]any{"data": append([]row{}, rows...)})
	return &tool.Result{Text: fmt.Sprintf("%d copies are up to date", len(rows)), Structured: structured}, errors.Join(append(problems, err)...)
}

// updateEach updates the copies of the sources. It skips the sources of a grant that has ended. It stops early only
// when the context ends.
func (s *sync) updateEach(ctx context.Context, sources []source, grants int) (rows []row, problems []error) {
	ended := map[*grant]bool{}
	for _, source := range sources {
		if ended[source.grant] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return rows, append(problems, err)
		}
		row, err := s.update(ctx, source)
		switch {
		case err == nil:
			rows = append(rows, row)
		case ctx.Err() != nil:
			return rows, append(problems, err)
		case invocation.ExitCode(err) == invocation.ExitConfiguration:
			ended[source.grant] = true
			if len(ended) == grants {
				err = s.adviseEnded(err)
			}
			problems = append(problems, err)
		default:
			problems = append(problems, fmt.Errorf("%s of %s: %w", invocation.OneLine(source.stream), invocation.OneLine(source.connection), err))
		}
	}
	return rows, problems
}

// granted returns the sources of all grants, and an error for each grant that could not be read. The list is complete
// if every such grant has ended.
func granted(ctx context.Context, providers []*invocation.Provider, logger *slog.Logger) (sources []source, problems []error, isComplete bool) {
	isComplete = true
	for _, provider := range providers {
		found, err := grantedSources(ctx, provider, logger)
		if err != nil {
			isComplete = isComplete && invocation.ExitCode(err) == invocation.ExitConfiguration
			if name := provider.Grant(); name != "" && len(providers) > 1 {
				err = fmt.Errorf("grant %s: %w", invocation.OneLine(name), err)
			}
			problems = append(problems, err)
		}
		for _, one := range found {
			if !slices.ContainsFunc(sources, func(other source) bool {
				return other.file() == one.file() && other.grant.reader.ProviderURL() == one.grant.reader.ProviderURL()
			}) {
				sources = append(sources, one)
			}
		}
	}
	return sources, problems, isComplete
}

// open opens and locks the directory, and removes the partial files of a killed run.
func (s *sync) open() error {
	if err := os.MkdirAll(s.directory, 0o700); err != nil {
		return invocation.Usagef("the directory cannot be created: %v", err)
	}
	root, err := os.OpenRoot(s.directory)
	if err != nil {
		return invocation.Usagef("the directory cannot be opened: %v", err)
	}
	s.root = root
	if s.lock, err = root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	err = ownfile.TryLock(s.lock)
	switch {
	case errors.Is(err, ownfile.ErrLocked):
		return invocation.Failf("another pdpp-mcp sync is writing to %s; wait until it ends, or pass another directory", s.directory)
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	return removeParts(root)
}

// lockFile is locked by a run. It stays, because a run could lock a file that another one has removed.
const lockFile = ".pdpp-sync.lock"

func (s *sync) close() {
	if s.lock != nil {
		_ = s.lock.Close() // which unlocks it
	}
	if s.root != nil {
		_ = s.root.Close()
	}
}

func (s *sync) choose(granted []source) ([]source, error) {
	isExcluded := func(names []string, name string) bool { return len(names) > 0 && !slices.Contains(names, name) }
	chosen := slices.DeleteFunc(slices.Clone(granted), func(source source) bool {
		return isExcluded(s.streams, source.stream) || isExcluded(s.connections, source.connection)
	})
	if len(chosen) == 0 {
		return nil, invocation.Usagef("no granted stream matches; run pdpp-mcp streams to list them")
	}
	return chosen, s.refuseShared(chosen)
}

// refuseShared returns an error if two providers would share a file, with command lines for two directories.
func (s *sync) refuseShared(sources []source) error {
	providers := map[string]string{} // by file
	for _, source := range sources {
		other, provider := providers[source.file()], source.grant.reader.ProviderURL()
		if providers[source.file()] = provider; other == "" || other == provider {
			continue
		}
		var lines []string
		for _, url := range []string{other, provider} {
			_, host, _ := strings.Cut(url, "://")
			directory := s.directory + "-" + strings.ReplaceAll(host, ":", "_")
			lines = append(lines, invocation.Command+invocation.ForProvider(s.command, url, directory))
		}
		return invocation.Advised(invocation.Usagef("the providers %s and %s both have the connection %s; keep their copies in two directories",
			other, provider, invocation.OneLine(source.connection)), lines...)
	}
	return nil
}

// update updates one copy and logs what it reads.
func (s *sync) update(ctx context.Context, source source) (updated row, err error) {
	reader, end := source.grant.account(source.grant.reader)
	defer func() { end(updated.Written+updated.Deleted, err) }()
	kept := &streamCopy{root: s.root, source: source}
	if err := kept.open(); err != nil {
		return row{}, err
	}
	line := invocation.NewLine(s.terminal.Err)
	defer line.End()
	read, previous := 0, kept.state.Bookmark
	bookmark, counts, err := follow(ctx, reader, kept, func(rows int) {
		read += rows
		line.Show(fmt.Sprintf("%s: %d changes", invocation.OneLine(source.stream), read))
	})
	if err == nil && (previous != bookmark || counts != change{}) {
		err = kept.save(bookmark)
	}
	return row{source.connection, source.stream, len(kept.records), counts, filepath.Join(s.directory, filepath.FromSlash(kept.file()))}, err
}
