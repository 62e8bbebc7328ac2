package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func (r *RecordsPage) frame(shown int) frame {
	next := r.continuation(shown)
	note, try := r.notes(shown, next)
	resume := r.resume(next)
	before := r.about(shown).AppendMembers([]byte{'{'})
	before = pagedMembers(r.Envelope, r.Paging, next).AppendMembers(append(rawjson.AppendName(before, "data"), '{'))
	after := append(readingMembers(r.Reading, shown), smallerMembers(r.Smaller)...)
	after = withCalls(withText(after, "note", note), tryWord, try)
	after = finished(r.Origin, withCalls(after, resumeWord, resume), next.calls)
	return frame{
		linesBefore:      r.linesBefore(shown, next, note, try, resume),
		structuredBefore: append(rawjson.AppendName(before, "data"), '['), structuredAfter: append(after.AppendMembers([]byte("]}")), '}'),
	}
}

// knownOf returns the members that the rows of a connection do not repeat. The kind of the result decides which these
// are, not the values of the rows: a list of one stream has the stream once, and a timeline has it in each row.
func (r *RecordsPage) knownOf(source *source) rawjson.Object {
	var known rawjson.Object
	first := r.records[source.first]
	for _, member := range first.members {
		isLabel := slices.Contains(labelNames, member.Name) && first.isSent(member) && Length(member.Value) <= tool.LabelCharacters
		if isLabel && source.connectionID != "" {
			known = append(known, member)
		}
	}
	if r.isTimeline() {
		return known
	}
	return append(known, rawjson.String(wire.Stream, r.Stream), rawjson.Raw(wire.ConnectionID, nil))
}

// about returns what structured output writes once: the stream of a list, and the labels of each connection (R-BUD-7).
func (r *RecordsPage) about(shown int) rawjson.Object {
	var about, connections rawjson.Object
	if !r.isTimeline() {
		about = append(about, rawjson.String(wire.Stream, r.Stream))
	}
	for _, source := range r.sources {
		labels := source.known.Without(wire.Stream, wire.ConnectionID)
		if source.connectionID != "" && source.first < shown && (len(labels) > 0 || !r.isTimeline()) {
			connections = append(connections, rawjson.Raw(source.connectionID, labels.Encode()))
		}
	}
	if connections != nil {
		about = append(about, rawjson.Raw("connections", connections.Encode()))
	}
	return about
}

// pagedMembers returns the useful members of an envelope next to its rows (R-BUD-7), with the paging of a continuation.
func pagedMembers(envelope answer.Envelope, paging answer.Paging, next continuation) rawjson.Object {
	members := withText(append(envelopeMembers(envelope), rawjson.Bool("has_more", next.hasMore())), "next_cursor", next.cursor)
	if paging.Bookmark != nil && next.isWhole {
		members = append(members, rawjson.Raw("next_changes_since", paging.Bookmark))
	}
	return members
}
