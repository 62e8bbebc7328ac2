package fanout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	// maxRounds limits the requests to one source for one page. The first round asks each source for its share. The second asks sources
	// with more hits to fill the page. Servers with short pages need more rounds.
	maxRounds = 6

	// laterPart is a divisor. All later rounds together last the time of the first round divided by it: 0.25 s after 2.5 s.
	laterPart = 10
)

// search asks the sources that have the streams and merges their hits.
func (r *Reader) search(ctx context.Context, request rs.Request, wanted rs.HitsOfSources) (*rs.Response, error) {
	if len(wanted.Streams) > 0 && len(r.granting(wanted.Streams)) == 0 {
		return nil, r.ungranted(wanted.Streams)
	}
	page := &readPage{HitsOfSources: wanted, reader: r, request: request, limit: request.Limit()}
	if err := page.begin(); err != nil {
		return nil, err
	}
	if err := page.read(ctx); err != nil {
		return nil, err
	}
	shown, missing := page.merge(page.limit), page.missing()
	if len(shown) == 0 && len(missing) > 0 && len(missing) == len(page.children) {
		return nil, &rs.NoneAnswered{Cause: failed(append(missing, page.ended...), r.url(request)), Missing: missed(missing)}
	}
	miss(ctx, append(missing, page.ended...)...)
	return page.response(request, shown), nil
}

// url returns the URL of a merged answer, or nothing if there are several providers.
func (r *Reader) url(request rs.Request) string {
	if r.options.ProviderURL == "" {
		return ""
	}
	return r.options.ProviderURL + target(request)
}

// target returns path and query of a request.
func target(request rs.Request) string {
	if query := request.Query.Encoded(); query != "" {
		return string(request.Path) + "?" + query
	}
	return string(request.Path)
}

// sentCursor returns the caller's cursor, which is empty for the first page.
func sentCursor(request rs.Request) string {
	cursor, _ := request.Query.Get("cursor")
	return cursor
}

// readPage is a page of a search with everything that was read for it. It is the Sources of the response's Request. A request with these
// Sources for fewer hits returns the beginning of the page without reading again (R-BUD-3).
type readPage struct {
	rs.HitsOfSources
	reader   *Reader
	request  rs.Request
	limit    int
	children []*child  // in the order of their hits
	ended    []absence // inactive sources of the streams
	count    *int64    // of all hits, from the cursor
}

// shortened returns the beginning of the page if the request is the same with a smaller limit.
func (p *readPage) shortened(r *Reader, request rs.Request) (*rs.Response, bool) {
	limit := request.Limit()
	sameQuery := request.Query.Without("limit").Encoded() == p.request.Query.Without("limit").Encoded()
	if r != p.reader || request.Path != p.request.Path || !sameQuery || limit > p.limit {
		return nil, false
	}
	return p.response(request, p.merge(limit)), true
}

// begin sets the children and their positions: the start, or those of the cursor, in its order. A source that was added after the first
// page is not read. It refuses a cursor with a grant of another caller.
func (p *readPage) begin() error {
	p.children, p.ended = p.reader.assign(p.Streams), p.reader.ended(p.Streams)
	sent := sentCursor(p.request)
	if sent == "" {
		return nil
	}
	parsed, err := parseCursor(sent, p.request)
	if err != nil {
		return err
	}
	p.count = parsed.Count
	all := p.children
	p.children = nil
	for _, place := range parsed.Positions {
		at := slices.IndexFunc(all, func(c *child) bool { return place.belongsTo(c.source) })
		switch {
		case at >= 0:
			all[at].start, all[at].next = place.position, place.position
			p.children = append(p.children, all[at])
		case !slices.ContainsFunc(p.ended, func(a absence) bool { return place.belongsTo(a.source) }):
			return tool.CursorRefused("names a source that you cannot read", nil)
		}
	}
	return nil
}

// assign gives each stream of a connection to one child. Members that share a connection have the same records, so only the first member
// with a stream is asked for it (R-PKG-3, R-PKG-5). Sources without published streams or connection are always asked.
func (r *Reader) assign(streams []string) []*child {
	var children []*child
	covered := map[string]bool{}
	for _, source := range r.active {
		names := streams
		if source.Streams != nil {
			granted := source.Streams
			if len(streams) > 0 {
				granted = keep(streams, source.grants)
			}
			fresh := keep(granted, func(name string) bool { return !covered[fmt.Sprintf("%q %q", source.ConnectionID, name)] })
			if len(fresh) == 0 {
				continue
			}
			if len(streams) > 0 || len(fresh) < len(granted) {
				names = fresh
			}
			for _, name := range fresh {
				covered[fmt.Sprintf("%q %q", source.ConnectionID, name)] = source.ConnectionID != ""
			}
		}
		children = append(children, &child{source: source, connections: r.connections, streams: names})
	}
	return children
}

// read asks until the page is full, no source has more hits, or the time is over. All later rounds share a part of the first one's time, so
// that slow sources do not add up. If the time is over, the page is short, and its cursor continues.
func (p *readPage) read(ctx context.Context) error {
	timeout := p.reader.options.ChildTimeout
	first := time.Now().Add(timeout)
	last := first.Add(timeout / laterPart)
	rounds := maxRounds
	if p.OneRound {
		rounds = 1
	}
	for round := range rounds {
		deadline := first
		if round > 0 {
			deadline = last
		}
		var asked []*child
		var questions []question
		hits := p.shares()
		for i, child := range p.children {
			if child.hasMore() && !child.isLate && hits[i] > len(child.hits) {
				asked = append(asked, child)
				questions = append(questions, question{child.source, child.request(p.request, hits[i])})
			}
		}
		if len(questions) == 0 || !time.Now().Before(deadline) {
			return nil
		}
		answers, err := p.reader.ask(ctx, questions, deadline)
		if err != nil {
			return err
		}
		for i, child := range asked {
			child.add(ctx, questions[i].request, answers[i])
			if err := callEnded(ctx); err != nil {
				return err
			}
			if lost := child.expired(p.reader.url(p.request)); lost != nil {
				return lost
			}
		}
	}
	return nil
}

// missing returns the sources that were asked and did not answer.
func (p *readPage) missing() []absence {
	var missing []absence
	for _, child := range p.children {
		if child.err != nil {
			missing = append(missing, absence{source: child.source, err: child.err})
		}
	}
	return missing
}

// missed converts missing sources.
func missed(missing []absence) []rs.Missing {
	var all []rs.Missing
	for _, each := range missing {
		all = append(all, rs.Missing{Origin: each.source.Reader.ProviderURL(), Err: each.err})
	}
	return all
}

// response returns the page. Shown has the index of the child of each hit.
func (p *readPage) response(request rs.Request, shown []int) *rs.Response {
	hits := make([]rawjson.Value, 0, len(shown))
	given := make([]int, len(p.children))
	for _, i := range shown {
		child := p.children[i]
		value := child.hits[given[i]].value
		members, _ := rawjson.ParseObject(value)
		hits = append(hits, child.source.attributed(value, members, p.reader.options.ProviderURL == ""))
		given[i]++
	}
	var grants []string
	requestID := "" // of the first source that answered; warnings have those of the sources that did not
	for _, child := range p.children {
		requestID = cmp.Or(requestID, child.requestID)
		if child.isAsked && (child.err == nil || len(child.hits) > 0) {
			grants = child.source.addTo(grants)
		}
	}
	body := p.envelope(hits, p.rest(shown, given))
	request.Sources = p
	return rs.Response{
		Status: 200, RequestID: requestID, URL: p.reader.url(request), GrantIDs: grants, Request: request, Missing: missed(p.missing()),
	}.WithMembers(body)
}
