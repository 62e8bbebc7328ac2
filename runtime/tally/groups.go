package tally

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of the groups that are kept, so that memory does not grow with the records.
const (
	groupsKept = 10_000
	keysKept   = 4 << 20 // bytes of their keys
)

// group is the records with one key and one time.
type group struct {
	figure
	number int // by which it came
	start  bucket
	key    rawjson.Value
}

// groups are the groups of an aggregation. Records beyond the limits are counted together.
type groups struct {
	kept   map[string]*group
	bytes  int   // of the keys
	others int64 // records in groups that are not kept
}

// of returns the group of a name, which is the bytes of its bucket and its key, or nil if it is not kept.
func (g *groups) of(name []byte) *group {
	if known := g.kept[string(name)]; known != nil {
		return known
	}
	if len(g.kept) == groupsKept || g.bytes+len(name) > keysKept {
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

// appendName appends the name of a group.
func appendName(out []byte, start bucket, key []byte) []byte {
	return append(binary.BigEndian.AppendUint64(out, uint64(start)), key...)
}

// ordered returns the groups in the order of the result. Groups by time alone start with the earliest. Others start with the key of the
// greatest value, ties by key, and under each key with the earliest.
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
