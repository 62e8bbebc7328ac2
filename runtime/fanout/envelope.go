package fanout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Codes of the warnings of a merged answer.
const (
	WarnSourceTruncated = "source_truncated"
	WarnStreamUngranted = "stream_not_granted"
	WarnCursorTooLarge  = "cursor_too_large"
	WarnHitsDropped     = "hits_dropped"
)

// envelope returns a list in the form that one source sends (rs-contract.md, Envelopes).
func (p *readPage) envelope(hits []rawjson.Value, rest []waiting) rawjson.Object {
	body := rawjson.Object{
		rawjson.String("object", "list"),
		rawjson.String("url", string(p.request.Path)),
		rawjson.Bool("has_more", len(rest) > 0),
	}
	next, ok := p.nextCursor(rest)
	if next != "" {
		body = append(body, rawjson.String("next_cursor", next))
	}
	return append(body, rawjson.Raw("data", rawjson.Array(hits)), rawjson.Raw("meta", p.meta(rest, ok).Encode()))
}

// nextCursor returns the cursor of the next page, or nothing on the last page. It returns false if the cursor would be too large. If it
// would be too large with the latest cursors of the sources, it counts positions from their earlier cursors.
func (p *readPage) nextCursor(rest []waiting) (string, bool) {
	if len(rest) == 0 {
		return "", true
	}
	next := cursor{Count: p.total()}
	for _, each := range rest {
		next.Positions = append(next.Positions, placeOf(each.child.source, each.child.after(each.shown)))
	}
	encoded := tool.EncodeCursor("", p.request, next)
	if len(encoded) <= maxCursor {
		return encoded, true
	}
	for i, each := range rest {
		if counted, ok := each.child.afterFromStart(each.shown); ok && len(counted.Cursor) < len(next.Positions[i].Cursor) {
			next.Positions[i].position = counted
		}
	}
	if encoded = tool.EncodeCursor("", p.request, next); len(encoded) <= maxCursor {
		return encoded, true
	}
	return "", false
}

func (p *readPage) meta(rest []waiting, cursorFits bool) rawjson.Object {
	meta := rawjson.Object{}
	if total := p.total(); total != nil {
		meta = append(meta, rawjson.Int("count", *total), rawjson.String("count_accuracy", "exact"))
	} else {
		meta = append(meta, rawjson.Raw("count", rawjson.Object{rawjson.String("kind", "none")}.Encode()))
	}
	if recall := p.recall(); recall != nil {
		meta = append(meta, rawjson.Raw("recall", recall.Encode()))
	}
	return append(meta, rawjson.Raw("warnings", rawjson.Array(p.warnings(rest, cursorFits))))
}

// total returns the number of hits of all sources if each gave an exact count, or nil. Later pages repeat the total of the first one.
func (p *readPage) total() *int64 {
	if sentCursor(p.request) != "" {
		return p.count
	}
	sum := int64(0)
	for _, child := range p.children {
		count, ok := exactCount(child.meta)
		if !ok || child.err != nil || child.dropped != nil {
			return nil
		}
		sum += count
	}
	return &sum
}

// exactCount reads an exact count in either form: an integer with count_accuracy, or an object.
func exactCount(meta rawjson.Object) (int64, bool) {
	if object, ok := rawjson.ParseObject(meta.Get("count")); ok {
		count, ok := object.Int("value")
		return count, ok && count >= 0 && object.Text("kind") == "exact"
	}
	count, ok := meta.Int("count")
	return count, ok && count >= 0 && meta.Text("count_accuracy") == "exact"
}

// recall returns the recall of all sources, with the incomplete ones (R-SEARCH-9). It is complete only if no source is missing, no hit was
// dropped, and each source reports a complete recall. It is nil if no source reports any.
func (p *readPage) recall() rawjson.Object {
	var partial []rawjson.Value
	isKnown, complete, truncated, answered := false, true, false, 0
	for _, child := range p.children {
		if !child.isAsked {
			continue
		}
		recall, ok := rawjson.ParseObject(child.meta.Get("recall"))
		complete = complete && child.err == nil && child.dropped == nil && recall.True("complete")
		truncated = truncated || recall.True("truncated")
		if child.err == nil {
			answered++
		}
		isKnown = isKnown || ok
		if ok && (!recall.True("complete") || recall.True("truncated")) {
			identity := child.source.identity()
			partial = append(partial, append(identity, recall.Without(identity.Names()...)...).Encode())
		}
	}
	if !isKnown {
		return nil
	}
	recall := rawjson.Object{
		rawjson.Bool("complete", complete && len(p.ended) == 0),
		rawjson.Bool("truncated", truncated),
		rawjson.Int("sources_searched_count", int64(answered)),
		rawjson.Int("sources_missing_count", int64(len(p.missing())+len(p.ended))),
	}
	if partial != nil {
		recall = append(recall, rawjson.Raw("sources", rawjson.Array(partial)))
	}
	return recall
}

// warnings returns the warnings of the page. Missing sources are first, because a result shows only the first warnings.
func (p *readPage) warnings(rest []waiting, cursorFits bool) []rawjson.Value {
	next := ""
	if len(rest) > 0 {
		next = "the next page asks it again"
	}
	warnings := warningsOf(p.missing(), p.ended, next)
	if !cursorFits {
		warnings = append(warnings, warning(WarnCursorTooLarge, fmt.Sprintf(
			"%d sources have more hits, which is too many for one cursor; search fewer streams, or one source by connection_id", len(rest))).Encode())
	}
	for _, stream := range p.Streams {
		if len(p.reader.granting([]string{stream})) == 0 {
			warnings = append(warnings, warning(WarnStreamUngranted, fmt.Sprintf("no active source grants the stream %q", stream)).Encode())
		}
	}
	for _, child := range p.children {
		if child.dropped != nil {
			warnings = append(warnings, child.droppedWarning())
		}
		if child.isTruncated {
			warnings = append(warnings, child.source.warning(WarnSourceTruncated, "has more hits than it returns; narrow the search"))
		}
	}
	return append(warnings, p.sourceWarnings()...)
}

// sourceWarnings returns the warnings of the sources, each once.
func (p *readPage) sourceWarnings() []rawjson.Value {
	var sent []rawjson.Value
	for _, child := range p.children {
		warnings, _ := rawjson.Elements(child.meta.Get("warnings"))
		for _, each := range warnings {
			if !slices.ContainsFunc(sent, func(other json.RawMessage) bool { return bytes.Equal(other, each) }) {
				sent = append(sent, each)
			}
		}
	}
	return sent
}

// warning returns a warning about the source.
func (s *Source) warning(code, what string) rawjson.Value {
	return append(warning(code, "the source "+s.name()+" "+what), s.identity()...).Encode()
}

func warning(code, message string) rawjson.Object {
	return rawjson.Object{rawjson.String("code", code), rawjson.String("message", message)}
}
