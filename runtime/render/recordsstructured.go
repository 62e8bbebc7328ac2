package render

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

func (r *RecordsPage) frame(shown int) frame {
	next := r.continuation(shown)
	note, try := r.notes(shown, next)
	resume := r.resume(next)
	before := []byte{'{'}
	if shared := r.sharedOutside(); len(shared) > 0 {
		before = shared.Append(rawjson.AppendName(before, "shared"))
	}
	before = pagedMembers(r.Envelope, r.Paging, next).AppendMembers(append(rawjson.AppendName(before, "data"), '{'))
	after := append(readingMembers(r.Reading, shown), smallerMembers(r.Smaller)...)
	after = withCalls(withText(after, "note", note), tryWord, try)
	after = finished(r.Origin, withCalls(after, resumeWord, resume), next.calls)
	return frame{
		linesBefore:      r.linesBefore(shown, next, note, try, resume),
		structuredBefore: append(rawjson.AppendName(before, "data"), '['), structuredAfter: append(after.AppendMembers([]byte("]}")), '}'),
	}
}

// pagedMembers returns the useful members of an envelope next to its rows (R-BUD-7), with the paging of a continuation.
func pagedMembers(envelope answer.Envelope, paging answer.Paging, next continuation) rawjson.Object {
	members := withText(append(envelopeMembers(envelope), rawjson.Bool("has_more", next.hasMore())), "next_cursor", next.cursor)
	if paging.Bookmark != nil && next.isWhole {
		members = append(members, rawjson.Raw("next_changes_since", paging.Bookmark))
	}
	return members
}
