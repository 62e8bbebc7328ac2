// Package syncing keeps copies of streams up to date in a directory, as JSON lines.
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
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sync is one run of the command.
type sync struct {
	terminal             invocation.Terminal
	command              *cobra.Command
	directory            string
	streams, connections []string // those that are wanted; empty: all

	root *os.Root
}

// NewSyncCommand makes the command that keeps copies of streams.
func NewSyncCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	sources := invocation.Sources{ReadsEvery: true}
	run := sync{terminal: terminal}
	format := display.Format{Terminal: terminal}
	command := &cobra.Command{
		Use:   "sync <directory>",
		Short: "Keep a copy of what is granted as JSON lines, up to date",
		Long: `Keep a copy of the granted streams in a directory: a file for each stream of each connection, such as
cin_1/messages.jsonl, with a record on each line as the provider sent it. The first run reads every record, later runs
only what changed; deleted records leave the copy. Files are 0600 and replaced whole, so that a run can be stopped at any
time. All grants of every provider are read, each with its own token. When one has ended, nothing is read with it any more, and the
command says what is kept where.`,
		Example: `  pdpp-mcp sync mine
  pdpp-mcp sync mine --stream messages --connection-id cin_1
  duckdb -c "SELECT data->>'subject' FROM 'mine/*/messages.jsonl'"`,
		Args: invocation.OneArgument("directory"),
		RunE: func(command *cobra.Command, words []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			run.command, run.directory = command, words[0]
			result, failed := run.all(command.Context(), &sources, log)
			if result == nil {
				return failed
			}
			return errors.Join(failed, format.PrintList(command.Context(), result, nil, nil))
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&run.streams, invocation.FlagName(tool.RecordsStream), nil, "only this `stream`; repeated for more")
	flags.StringSliceVar(&run.connections, invocation.FlagName(tool.RecordsConnectionID), nil, "only this connection, by its `id`; repeated for more")
	format.AddFlags(flags)
	sources.AddFlags(flags)
	return command
}

// row is what the command prints of one copy.
type row struct {
	Connection string `json:"connection_id"`
	Stream     string `json:"stream"`
	Records    int    `json:"records"`
	Written    int    `json:"written"`
	Deleted    int    `json:"deleted"`
	Anew       bool   `json:"read_anew"`
	File       string `json:"file"`
}

// all brings every wanted copy up to date. A stream that fails does not keep others from it, and neither does a grant that has
// ended or cannot be read keep other grants.
func (s *sync) all(ctx context.Context, sources *invocation.Sources, log *invocation.Log) (*tool.Result, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	defer s.root.Close()
	logger := log.Logger()
	providers, without := sources.Each(logger)
	if len(providers) == 0 {
		return nil, s.ended(without)
	}
	granted, problems, isWhole := s.granted(ctx, providers, logger)
	left := len(providers) - len(problems)
	problems = append(problems, without)
	if left == 0 {
		return nil, s.ended(errors.Join(problems...))
	}
	wanted, err := s.wanted(granted)
	if err != nil {
		return nil, errors.Join(append(problems, err)...)
	}
	rows, failures := s.copyEach(ctx, wanted, left)
	problems = append(problems, failures...)
	if isWhole {
		s.tellLeft(granted, sources)
	}
	structured, err := json.Marshal(map[string]any{"data": append([]row{}, rows...)})
	return &tool.Result{Text: fmt.Sprintf("%d copies are up to date", len(rows)), Structured: structured}, errors.Join(append(problems, err)...)
}

// copyEach brings each copy up to date with one of so many grants. It ends early, with an error, only with the context.
func (s *sync) copyEach(ctx context.Context, wanted []source, grants int) (rows []row, problems []error) {
	over := map[*grant]bool{}
	for _, each := range wanted {
		if over[each.by] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return rows, append(problems, err)
		}
		done, err := s.one(ctx, each)
		switch {
		case err == nil:
			rows = append(rows, done)
		case ctx.Err() != nil:
			return rows, append(problems, err)
		case invocation.ExitCode(err) == invocation.ExitConfiguration:
			over[each.by] = true
			if len(over) == grants {
				err = s.ended(err)
			}
			problems = append(problems, err)
		default:
			problems = append(problems, fmt.Errorf("%s of %s: %w", invocation.OneLine(each.stream), invocation.OneLine(each.connection), err))
		}
	}
	return rows, problems
}

// granted returns what all grants cover, each stream of a connection by the first that does, and an error for each grant of which
// that is not known. It reports whether every grant that has not ended was asked.
func (s *sync) granted(ctx context.Context, providers []*invocation.Provider, logger *slog.Logger) (granted []source, problems []error, isWhole bool) {
	isWhole = true
	for _, provider := range providers {
		found, err := grantedSources(ctx, provider, logger)
		if err != nil {
			isWhole = isWhole && invocation.ExitCode(err) == invocation.ExitConfiguration
			if name := provider.Grant(); name != "" && len(providers) > 1 {
				err = fmt.Errorf("grant %s: %w", invocation.OneLine(name), err)
			}
			problems = append(problems, err)
		}
		for _, each := range found {
			if !slices.ContainsFunc(granted, func(other source) bool { return other.file() == each.file() && other.by.provider == each.by.provider }) {
				granted = append(granted, each)
			}
		}
	}
	return granted, problems, isWhole
}

// open opens the directory and removes what a killed run left in it.
func (s *sync) open() error {
	if err := os.MkdirAll(s.directory, 0o700); err != nil {
		return invocation.Usagef("the directory cannot be made: %v", err)
	}
	root, err := os.OpenRoot(s.directory)
	if err != nil {
		return invocation.Usagef("the directory cannot be opened: %v", err)
	}
	s.root = root
	return tidy(root)
}

// wanted returns those of the granted sources that the flags name.
func (s *sync) wanted(granted []source) ([]source, error) {
	named := func(names []string, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	var found []source
	for _, each := range granted {
		if named(s.streams, each.stream) && named(s.connections, each.connection) {
			found = append(found, each)
		}
	}
	if len(found) == 0 {
		return nil, invocation.Usagef("no granted stream is named so; streams lists those that are")
	}
	return found, s.refuseShared(found)
}

// refuseShared refuses copies of several providers in one file, with the command lines that keep them apart.
func (s *sync) refuseShared(wanted []source) error {
	providers := map[string]string{} // by file
	for _, each := range wanted {
		other, isKnown := providers[each.file()]
		if providers[each.file()] = each.by.provider; !isKnown || other == each.by.provider {
			continue
		}
		var lines []string
		for _, url := range []string{other, each.by.provider} {
			_, host, _ := strings.Cut(url, "://")
			directory := s.directory + "-" + strings.ReplaceAll(host, ":", "_")
			lines = append(lines, invocation.Command+invocation.ForProvider(s.command, url, directory))
		}
		return invocation.Advised(invocation.Usagef("the providers %s and %s both have the connection %s; keep their copies in two directories",
			other, each.by.provider, invocation.OneLine(each.connection)), lines...)
	}
	return nil
}

// one brings one copy up to date, and keeps account of what it reads.
func (s *sync) one(ctx context.Context, of source) (row, error) {
	reader, end := of.by.begin()
	done, err := s.follow(ctx, reader, of)
	end(done.Written+done.Deleted, err)
	return done, err
}

// follow brings one copy up to date with a reader.
func (s *sync) follow(ctx context.Context, reader rs.Reader, of source) (row, error) {
	kept := &streamCopy{root: s.root, Connection: of.connection, Stream: of.stream}
	if err := kept.open(reader.ProviderURL(), of.by.id); err != nil {
		return row{}, err
	}
	line := invocation.NewLine(s.terminal.Err)
	defer line.End()
	read, before := 0, kept.state
	bookmark, done, err := follow(ctx, reader, kept, func(rows int) {
		read += rows
		line.Show(fmt.Sprintf("%s: %d changes", invocation.OneLine(of.stream), read))
	})
	if err == nil && (before.Bookmark != bookmark || done != change{}) {
		err = kept.save(reader.ProviderURL(), of.by.id, bookmark)
	}
	return row{
		Connection: of.connection, Stream: of.stream, Records: len(kept.records),
		Written: done.Written, Deleted: done.Deleted, Anew: done.Anew, File: filepath.Join(s.directory, filepath.FromSlash(kept.file())),
	}, err
}
