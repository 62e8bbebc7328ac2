package activity

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
)

// group is what one client read from one source on one day.
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

// source returns the host and the connections.
func (g *group) source() string {
	host := g.Provider
	if parsed, err := url.Parse(g.Provider); err == nil && parsed.Host != "" {
		host = parsed.Host
	}
	return strings.TrimSpace(host + " " + strings.Join(g.Connections, ", "))
}

// fields returns the field names, or "all".
func (g *group) fields() string {
	if slices.Contains(g.Fields, audit.AllFields) {
		return "all"
	}
	return strings.Join(g.Fields, ", ")
}

// summary groups calls by day, client and source.
type summary struct {
	first  time.Time // earlier calls are ignored
	groups map[string]*group
}

func newSummary(first time.Time) *summary { return &summary{first, make(map[string]*group)} }

func (s *summary) add(entry *audit.Entry) {
	if entry.Time.Before(s.first) {
		return
	}
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
	if known, isKnown := s.groups[key]; isKnown {
		sum = known
	}
	s.groups[key] = sum
	sum.Calls++
	sum.Tools[entry.Tool]++
	sum.Rows += entry.Rows
	sum.RecordsRead += entry.RecordsRead
	if entry.Code != "ok" {
		sum.Failed++
	}
	sum.Streams, sum.Fields = union(sum.Streams, entry.Streams), union(sum.Fields, entry.Fields)
}

// union adds names to sorted names.
func union(sorted, names []string) []string {
	for _, name := range names {
		if i, isKnown := slices.BinarySearch(sorted, name); !isKnown {
			sorted = slices.Insert(sorted, i, name)
		}
	}
	return sorted
}

// sorted returns the groups by day, the newest first, then by client and source. It is never nil.
func (s *summary) sorted() []*group {
	groups := slices.AppendSeq(make([]*group, 0, len(s.groups)), maps.Values(s.groups))
	slices.SortFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Client, b.Client), cmp.Compare(a.source(), b.source()), slices.Compare(a.GrantIDs, b.GrantIDs))
	})
	return groups
}
