package render

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func (s *HitsPage) frame(shown int) frame {
	next := s.continuation(shown)
	note, try := s.notes(shown, next)
	conversation := s.conversation(shown)
	after := append(rawjson.AppendName([]byte(`{"results":[]`), "content_ladder"), `{"records":[`...)
	for i, hit := range s.hits[:shown] {
		if i > 0 {
			after = append(after, ',')
		}
		after = hit.appendLadder(after)
	}
	data := pagedMembers(s.envelope, s.Paging, next)
	data = append(data, rawjson.String("results_ref", "structuredContent.results"), rawjson.Int("result_count", int64(shown)))
	after = data.Append(rawjson.AppendName(append(after, "]}"...), "data"))
	members := withCalls(nil, conversationName, conversation)
	members = append(append(members, searchedMembers(s.Searched)...), readingMembers(s.Reading, shown)...)
	members = append(members, smallerMembers(s.Smaller)...)
	members = finished(s.Origin, withCalls(withText(members, "note", note), tryWord, try), next.calls)
	const opening = `{"results":[`
	return frame{
		linesBefore: s.linesBefore(shown, note), linesAfter: s.linesAfter(shown, next, note, try, conversation),
		structuredBefore: []byte(opening), structuredAfter: append(members.AppendMembers(after), '}')[len(opening):],
	}
}

// appendLadder appends the hit for structured.content_ladder: its id and the first words of its evidence, from the
// match on.
func (h *hit) appendLadder(out []byte) []byte {
	out = appendText(append(out, '{'), wire.ID, h.handle)
	if len(h.excerpts) > 0 {
		text := h.excerpts[0].preview
		if match := strings.Index(text, openMark); match > 0 && len(plain(text)) > ladderCharacters {
			text = text[match:]
		}
		out = appendText(out, "preview", strings.TrimSpace(tool.Clip(plain(text), ladderCharacters)))
	}
	return append(out, '}')
}
