// Package activity has the command activity. It shows what agents read through this machine, from the audit log: calls
// and names, never contents.
package activity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
)

// NewCommand returns the command that shows what agents read through this machine, from the audit log in the cache
// (R-OPS-2).
func NewCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	var cacheRoot, file, since string
	var form invocation.Form
	command := &cobra.Command{
		Use:   "activity",
		Short: "Show what agents read through this machine: calls and rows, never contents",
		Long: `Show the calls and rows of each client, by day and source, newest first, with the streams and fields that it read. stdio, call and
sync log their calls in the credential cache for up to 96 days: names and numbers, never contents.`,
		Example: `  pdpp-mcp activity
  pdpp-mcp activity --since 7d --json`,
		Args: invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			first, err := parseSince(since, time.Now())
			if err != nil {
				return err
			}
			logger := log.Logger()
			if file == "" {
				cache, err := invocation.OpenCache(cacheRoot, logger)
				if err != nil {
					return err
				}
				file = cache.ActivityPath()
			}
			groups := map[string]*group{}
			for entry, err := range audit.Entries(file) {
				switch {
				case err != nil:
					logger.Warn("part of the audit log cannot be read", "error", err)
				case !entry.Time.Before(first):
					add(groups, entry)
				}
			}
			if form.IsJSON() {
				return terminal.PrintJSON(map[string][]*group{"groups": sorted(groups)})
			}
			return printGroups(terminal, sorted(groups))
		},
	}
	invocation.AddCacheRoot(command.Flags(), &cacheRoot)
	command.Flags().StringVar(&file, "audit-file", "", "read this audit `file` of pdpp-mcp serve instead of this machine's log")
	command.Flags().StringVar(&since, "since", "", "first `day` to show: 2026-11-01, or 7d for the last seven days (default all)")
	form.AddFlags(command.Flags(), "table")
	return command
}

// parseSince returns the start of the first day to show, in local time. It is zero for all days.
func parseSince(passed string, now time.Time) (time.Time, error) {
	if passed == "" {
		return time.Time{}, nil
	}
	if count, isDays := strings.CutSuffix(passed, "d"); isDays {
		if days, err := strconv.ParseUint(count, 10, 16); err == nil && days > 0 {
			return scalar.Shift(scalar.StartOf(now, "day"), "day", 1-int(days)), nil
		}
	}
	first, err := time.Parse(time.DateOnly, passed)
	if err != nil {
		return time.Time{}, invocation.Usagef("invalid --since %q: use a date such as 2026-11-01, or 7d for the last seven days", passed)
	}
	return scalar.FirstInstant(first, now.Location()), nil
}

func printGroups(terminal invocation.Terminal, groups []*group) error {
	if len(groups) == 0 {
		_, err := fmt.Fprintln(terminal.Out, "No calls in this period.")
		return err
	}
	table := func(limit int) [][]string {
		rows := [][]string{{"day", "client", "source", "calls", "failed", "rows", "streams", "fields"}}
		for _, shown := range groups {
			rows = append(rows, []string{
				shown.Day, shown.Client, shown.source(limit), strconv.Itoa(shown.Calls), strconv.Itoa(shown.Failed), strconv.Itoa(shown.Rows),
				invocation.NameList(shown.Streams, limit), shown.fields(limit),
			})
		}
		return rows
	}
	return terminal.PrintTable(table(math.MaxInt), table(1))
}

// group has the calls of one client to one source on one day.
type group struct {
	Day         string         `json:"day"`       // local time
	Client      string         `json:"client"`    // its name or id, or - if unknown
	GrantIDs    []string       `json:"grant_ids"` // of each call, as far as known
	Provider    string         `json:"provider"`
	Connections []string       `json:"connections"` // of each call; empty for refused calls
	Streams     []string       `json:"streams"`
	Fields      []string       `json:"fields"` // returned or used; * means whole records
	Tools       map[string]int `json:"tools"`  // calls by tool
	Calls       int            `json:"calls"`
	Failed      int            `json:"failed"`
	Rows        int            `json:"rows"`
	RecordsRead int            `json:"records_read"`
}

func (g *group) source(limit int) string {
	host := g.Provider
	if parsed, err := url.Parse(g.Provider); err == nil && parsed.Host != "" {
		host = parsed.Host
	}
	if len(g.Connections) == 0 {
		return host
	}
	return host + " " + invocation.NameList(g.Connections, limit)
}

func (g *group) fields(limit int) string {
	if slices.Contains(g.Fields, audit.AllFields) {
		return "all"
	}
	return invocation.NameList(g.Fields, limit)
}

// add counts a call in the group of its day, client and source.
func add(groups map[string]*group, entry *audit.Entry) {
	connections := union([]string{}, entry.Connections) // JSON has lists, not null
	grants := union([]string{}, entry.GrantIDs)
	if entry.GrantID != "" {
		grants = []string{entry.GrantID}
	}
	sum := &group{
		Day: entry.Time.Local().Format(time.DateOnly), Client: cmp.Or(entry.ClientName, entry.ClientID, "-"), GrantIDs: grants,
		Provider: entry.Provider, Connections: connections, Streams: []string{}, Fields: []string{}, Tools: make(map[string]int),
	}
	key := strings.Join(slices.Concat([]string{sum.Day, sum.Client, sum.Provider}, grants, []string{""}, connections), "\x00")
	if known, isKnown := groups[key]; isKnown {
		sum = known
	}
	groups[key] = sum
	sum.Calls++
	sum.Tools[entry.Tool]++
	sum.Rows += entry.Rows
	sum.RecordsRead += entry.RecordsRead
	if entry.Code != "ok" {
		sum.Failed++
	}
	sum.Streams, sum.Fields = union(sum.Streams, entry.Streams), union(sum.Fields, entry.Fields)
}

func union(sorted, names []string) []string {
	for _, name := range names {
		if i, isKnown := slices.BinarySearch(sorted, name); !isKnown {
			sorted = slices.Insert(sorted, i, name)
		}
	}
	return sorted
}

// sorted returns the groups by day, the newest first, then by client and source. It is never nil.
func sorted(groups map[string]*group) []*group {
	list := slices.AppendSeq(make([]*group, 0, len(groups)), maps.Values(groups))
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Client, b.Client), cmp.Compare(a.source(math.MaxInt), b.source(math.MaxInt)), slices.Compare(a.GrantIDs, b.GrantIDs))
	})
	return list
}
