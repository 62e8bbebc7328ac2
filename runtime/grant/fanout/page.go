package fanout

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/merge"
)

// page is a page of a search with everything that was read for it.
type page struct {
	rs.HitsOfSources
	reader   *Reader
	request  rs.Request
	children []*child  // in the order of their hits
	ended    []absence // inactive sources of the streams
	count    *int64    // of all hits; nil if unknown
}

// order returns the child of each hit of a page, also of hits that were not read. Hits are merged round robin, because
// scores of different sources are not comparable (R-PKG-2). A smaller page is the beginning of a larger one.
func (p *page) order(limit int) []int {
	return merge.Order(len(p.children), limit,
		func(child, hit int) bool { return hit < len(p.children[child].hits) || p.children[child].hasMore() },
		func(a, b merge.Row) bool { return a.Number < b.Number })
}

// shares returns how many hits the page takes from each child.
func (p *page) shares() []int {
	shares := make([]int, len(p.children))
	for _, i := range p.order(p.request.Limit()) {
		shares[i]++
	}
	return shares
}

// Hits returns the first hits of the page, up to a limit. It sends no request. It ends before a hit that was not read.
func (p *page) Hits(ctx context.Context, limit int) *answer.Hits {
	found := &answer.Hits{Origin: answer.Origin{Status: http.StatusOK, URL: p.reader.url(p.request)}, Coverage: answer.Coverage{Missing: p.missing()}}
	shown, next := make([]int, len(p.children)), 0 // the child of the next hit
	for _, i := range p.order(limit) {
		child := p.children[i]
		if shown[i] == len(child.hits) {
			break
		}
		found.Hits = append(found.Hits, answer.Hit{Members: child.attributed(child.hits[shown[i]].members, p.reader.options.ProviderURL == "")})
		shown[i]++
		next = i + 1
	}
	for _, child := range p.children {
		found.RequestID = cmp.Or(found.RequestID, child.requestID) // of the first source that answered
		if child.isAsked && child.hasAnswered() {
			found.GrantIDs = child.source.addTo(found.GrantIDs)
		}
	}
	rest, counted := p.rest(shown, next)
	found.HasMore, found.Cursor = len(rest) > 0, p.cursor(rest, counted)
	found.Meta, found.Warnings = p.counts(), p.warnings(ctx, len(rest), found.Cursor)
	return found
}

// rest returns the places of the next page, beginning with the child of the next hit, and the same places with counted
// positions where those have shorter cursors. The next page asks a failed source again. If only failed sources are
// left, there is no next page, or paging would never end (R-PKG-6).
func (p *page) rest(shown []int, first int) (places, counted []place) {
	hasNext := false
	for n := range p.children {
		i := (first + n) % len(p.children)
		child := p.children[i]
		isUnread := shown[i] < len(child.hits)
		hasNext = hasNext || isUnread || child.hasMore()
		if !isUnread && child.isDone {
			continue
		}
		stop := child.after(shown[i])
		if stop.counted.Skip >= rs.MaxRows || len(stop.counted.Cursor) >= len(stop.at.Cursor) { // one page of the source must reach it
			stop.counted = stop.at
		}
		places = append(places, place{child.source.cursorKey(), stop.at})
		counted = append(counted, place{child.source.cursorKey(), stop.counted})
	}
	if !hasNext {
		return nil, nil
	}
	return places, counted
}

// missing returns the sources that were asked and did not answer.
func (p *page) missing() []answer.Missing {
	var missing []answer.Missing
	for _, child := range p.children {
		if child.err != nil {
			missing = append(missing, answer.Missing{Origin: child.source.Reader.ProviderURL(), Err: child.err})
		}
	}
	return missing
}

// absent returns the missing sources with what to do next, and the inactive ones.
func (p *page) absent(next string) []absence {
	var absent []absence
	for _, child := range p.children {
		if child.err != nil {
			absent = append(absent, absence{child.source, child.err, next})
		}
	}
	return append(absent, p.ended...)
}

// warnings returns the warnings of the page. Missing sources are first, because a result shows only the first warnings.
// Those of the sources are last, each once.
func (p *page) warnings(ctx context.Context, rest int, cursor string) []rawjson.Value {
	next := ""
	if rest > 0 {
		next = "the next page asks it again"
	}
	warnings := report(ctx, p.absent(next))
	if rest > 0 && cursor == "" {
		warnings = append(warnings, warning(WarnCursorTooLarge, fmt.Sprintf(
			"%d sources have more hits, which is too many for one cursor; search fewer streams, or one source by connection_id", rest)).Encode())
	}
	for _, stream := range p.Streams {
		if len(p.reader.granting([]string{stream})) == 0 {
			warnings = append(warnings, warning(WarnStreamUngranted, fmt.Sprintf("no active source grants the stream %q", stream)).Encode())
		}
	}
	for _, child := range p.children {
		warnings = append(warnings, child.warnings()...)
		streams := child.streams
		if streams == nil {
			streams = child.source.Streams
		}
		for _, stream := range streams {
			warnings = append(warnings, p.reader.overlaps(child.source, granted.Need{Stream: stream, IsWhole: true})...)
		}
	}
	own := len(warnings)
	for _, child := range p.children {
		sent, _ := rawjson.Elements(child.meta.Get("warnings"))
		for _, each := range sent {
			if !slices.ContainsFunc(warnings[own:], func(other rawjson.Value) bool { return bytes.Equal(other, each) }) {
				warnings = append(warnings, each)
			}
		}
	}
	return warnings
}

// total returns the number of hits of all sources if each gave an exact count, or nil.
func (p *page) total() *int64 {
	sum := int64(0)
	for _, child := range p.children {
		own, _ := rawjson.ParseObject(child.meta.Get(wire.Count))
		count, isNumber := own.Int("value")
		if !isNumber || count < 0 || own.Text("kind") != "exact" || child.err != nil || len(child.dropped) > 0 {
			return nil
		}
		sum += count
	}
	return &sum
}

// counts returns the members about the number of hits: the total, and the recall of all sources with the incomplete
// ones (R-SEARCH-9). The recall is complete only if no source is missing, no hit was dropped, and each source reports a
// complete recall.
func (p *page) counts() rawjson.Object {
	total := rawjson.Object{rawjson.String("kind", "none")}
	if p.count != nil {
		total = rawjson.Object{rawjson.String("kind", "exact"), rawjson.Int("value", *p.count)}
	}
	counts := rawjson.Object{rawjson.Raw(wire.Count, total.Encode())}
	var partial []rawjson.Value
	isKnown, isComplete, isTruncated, searched := false, len(p.ended) == 0, false, 0
	for _, child := range p.children {
		if !child.isAsked {
			continue
		}
		recall, ok := rawjson.ParseObject(child.meta.Get("recall"))
		isKnown = isKnown || ok
		isComplete = isComplete && child.err == nil && len(child.dropped) == 0 && recall.True("complete")
		isTruncated = isTruncated || recall.True("truncated")
		if child.err == nil {
			searched++
		}
		if ok && (!recall.True("complete") || recall.True("truncated")) {
			identity := child.source.identity()
			partial = append(partial, append(identity, recall.Without(identity.Names()...)...).Encode())
		}
	}
	if !isKnown {
		return counts
	}
	recall := rawjson.Object{
		rawjson.Bool("complete", isComplete),
		rawjson.Bool("truncated", isTruncated),
		rawjson.Int("sources_searched_count", int64(searched)),
		rawjson.Int("sources_missing_count", int64(len(p.missing())+len(p.ended))),
	}
	if partial != nil {
		recall = append(recall, rawjson.Raw("sources", rawjson.Array(partial)))
	}
	return append(counts, rawjson.Raw("recall", recall.Encode()))
}
