package credential

import (
	"slices"
	"strings"
)

// Overlap is a pair of grants that allow streams of the same connections. Each read uses the grant that covers it
// (R-LOCAL-1).
type Overlap struct {
	Grants      [2]*Entry
	Connections []string
	Streams     []string
}

func (o Overlap) String() string {
	return o.Grants[0].Credential.Name() + " and " + o.Grants[1].Credential.Name() + " both have " + strings.Join(o.Streams, ", ") + " of " +
		strings.Join(o.Connections, ", ") + "; each read uses the grant that covers it"
}

// Overlaps returns the overlaps of a provider's grants, as far as the approvals show them.
func Overlaps(grants []*Entry) (found []Overlap) {
	for i, a := range grants {
		for _, b := range grants[i+1:] {
			for _, one := range a.Credential.Approved() {
				for _, other := range b.Credential.Approved() {
					stream := one.Stream
					if stream == EveryStream {
						stream = other.Stream
					}
					if other.Stream != stream && other.Stream != EveryStream {
						continue
					}
					for _, connection := range one.Connections {
						if slices.Contains(other.Connections, connection) {
							found = addOverlap(found, a, b, connection, stream)
						}
					}
				}
			}
		}
	}
	return found
}

func addOverlap(found []Overlap, a, b *Entry, connection, stream string) []Overlap {
	pair := [2]*Entry{a, b}
	if len(found) == 0 || found[len(found)-1].Grants != pair {
		found = append(found, Overlap{Grants: pair})
	}
	last := &found[len(found)-1]
	last.Connections, last.Streams = union(last.Connections, []string{connection}), union(last.Streams, []string{stream})
	return found
}
