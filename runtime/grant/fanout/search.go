package fanout

import (
	"context"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	// maxRounds limits the requests to one source for one page. The first round asks each source for its share. The second
	// asks sources with more hits to fill the page. Servers with short pages need more rounds.
	maxRounds = 6

	// laterPart is a divisor. All later rounds together last the time of the first round divided by it: 0.25 s after 2.5
	// s.
	laterPart = 10
)

// Search asks the sources that have the streams of the request, and merges their hits. Its errors are those of Get.
func (r *Reader) Search(ctx context.Context, request rs.Request) (tool.FoundHits, error) {
	wanted, isSearch := request.Sources.(rs.HitsOfSources)
	switch {
	case len(r.active) == 0:
		return nil, r.revoked()
	case !isSearch || wanted.ConnectionID != nil:
		return nil, unanswerable(request)
	case len(wanted.Streams) > 0 && len(r.granting(wanted.Streams)) == 0:
		return nil, r.ungranted(wanted.Streams)
	}
	p := &page{
		HitsOfSources: wanted, reader: r, request: request, children: r.assign(wanted.Streams), ended: r.ended(wanted.Streams),
	}
	sent, _ := request.Query.Get(wire.Cursor)
	if sent != "" {
		if err := p.resume(sent); err != nil {
			return nil, err
		}
	}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	if sent == "" {
		p.count = p.total()
	}
	if len(p.children) > 0 && !slices.ContainsFunc(p.children, (*child).hasAnswered) {
		return nil, &answer.NoneAnsweredError{Cause: failed(p.absent(""), r.url(request)), Missing: p.missing()}
	}
	return p, nil
}

// assign assigns each stream of a connection to one child. Of members that share a connection, the one whose grant has
// most of a stream is asked for it (R-PKG-3, R-PKG-5, R-LOCAL-1). Sources without published streams or connection are
// always asked.
func (r *Reader) assign(streams []string) []*child {
	var children []*child
	for _, source := range r.active {
		names := streams
		if source.Streams != nil {
			wanted := source.Streams
			if len(streams) > 0 {
				wanted = keep(streams, source.grants)
			}
			names = keep(wanted, func(name string) bool {
				others := keep(r.shared[source.ConnectionID], func(s *Source) bool { return s.Streams != nil && s.grants(name) })
				return others == nil || source == best(others, granted.Need{Stream: name, IsWhole: true})
			})
			if len(names) == 0 {
				continue
			}
			if len(streams) == 0 && len(names) == len(wanted) {
				names = nil
			}
		}
		children = append(children, newChild(source, names))
	}
	return children
}

// read asks until the page is full, no source has more hits, or the time is over. All later rounds share a part of the
// first one's time, so that slow sources do not add up. If the time is over, the page is short, and its cursor
// continues.
func (p *page) read(ctx context.Context) error {
	timeout := p.reader.options.ChildTimeout
	deadline := time.Now().Add(timeout)
	last := deadline.Add(timeout / laterPart)
	rounds := maxRounds
	if p.OneRound {
		rounds = 1
	}
	for range rounds {
		var asked []*child
		var questions []*question
		shares := p.shares()
		for i, child := range p.children {
			if child.hasMore() && !child.isLate && shares[i] > len(child.hits) {
				child.request = child.requestFor(p.request, shares[i])
				asked, questions = append(asked, child), append(questions, &child.question)
			}
		}
		if len(questions) == 0 || !time.Now().Before(deadline) {
			return nil
		}
		if err := p.reader.ask(ctx, questions, deadline); err != nil {
			return err
		}
		for _, child := range asked {
			if err := child.add(ctx, p.reader); err != nil {
				return err
			}
			if refused := child.cursorRefusal(p.reader.url(p.request)); refused != nil {
				return refused
			}
		}
		deadline = last
	}
	return nil
}
