package tally

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Bounds of the groups that are kept, so that memory does not grow with the records.
const (
	maxGroupsKept = 10_000
	maxKeyBytes   = 4 << 20 // bytes of their keys
)

// group is the figure of the records with one key and one time.
type group struct {
	figure
	number int // order of arrival
	start  bucket
	key    rawjson.Value
}

// groups are the groups of an aggregation. Records beyond the limits are counted together.
type groups struct {
	kept   map[string]*group
	bytes  int   // of the keys
	others int64 // records in groups that are not kept
}

// findOrAdd returns the group with a name from appendName, and adds it if it is new. It returns nil for a new group
// beyond the bounds.
func (g *groups) findOrAdd(name []byte) *group {
	if known := g.kept[string(name)]; known != nil {
		return known
	}
	if len(g.kept) == maxGroupsKept || g.bytes+len(name) > maxKeyBytes {
		g.others++
		return nil
	}
	kept := bytes.Clone(name)
	added := &group{number: len(g.kept), start: bucket(binary.BigEndian.Uint64(kept)), key: kept[8:]}
	if g.kept == nil {
		g.kept = map[string]*group{}
	}
	g.kept[string(kept)] = added
	g.bytes += len(name)
	return added
}

// appendName appends the name of a group: its bucket, then its key.
func appendName(out []byte, start bucket, key []byte) []byte {
	return append(binary.BigEndian.AppendUint64(out, uint64(start)), key...)
}

// ordered returns the groups in the order of the result. Groups by time alone are in the order of time. Other groups
// are ordered by the figure of their key, then by key, then by time.
func (g *groups) ordered(metric string, byKey bool) []*group {
	total := map[string]*figure{}
	all := make([]*group, 0, len(g.kept))
	for _, each := range g.kept {
		all = append(all, each)
		if total[string(each.key)] == nil {
			total[string(each.key)] = &figure{}
		}
		total[string(each.key)].merge(metric, &each.figure)
	}
	slices.SortFunc(all, func(a, b *group) int {
		if byKey && !bytes.Equal(a.key, b.key) {
			return cmp.Or(total[string(a.key)].rank(metric, total[string(b.key)]), compareKeys(a.key, b.key))
		}
		return cmp.Compare(a.start, b.start)
	})
	return all
}
