package fanout

import "github.com/pdppmcp/pdpp-mcp/runtime/merge"

// shares returns how many hits the page takes from each child. Hits are merged round robin, because scores of different sources are not
// comparable (R-PKG-2). A child without more hits is skipped.
func (p *readPage) shares() []int {
	shares := make([]int, len(p.children))
	for _, i := range p.order(p.limit) {
		shares[i]++
	}
	return shares
}

// merge returns the child of each hit of the page. It ends before a hit that was not read.
func (p *readPage) merge(limit int) []int {
	order := p.order(limit)
	given := make([]int, len(p.children))
	for n, i := range order {
		if given[i] == len(p.children[i].hits) {
			return order[:n]
		}
		given[i]++
	}
	return order
}

// order returns the child of each hit. A smaller page is the beginning of a larger one, so the total order does not depend on page sizes.
func (p *readPage) order(limit int) []int {
	return merge.Order(len(p.children), limit,
		func(child, hit int) bool { return hit < len(p.children[child].hits) || p.children[child].hasMore() },
		func(a, b merge.Row) bool { return a.Number < b.Number })
}

// rest returns the children that may have more hits than those shown, beginning with the child of the next hit. The next page asks a
// failed source again; if only failed sources are left, there is no next page, or paging would never end (R-PKG-6).
func (p *readPage) rest(shown, given []int) []waiting {
	first := 0
	if len(shown) > 0 {
		first = shown[len(shown)-1] + 1
	}
	var rest []waiting
	hasNext := false
	for n := range p.children {
		i := (first + n) % len(p.children)
		child := p.children[i]
		isUnread := given[i] < len(child.hits)
		if isUnread || !child.isDone {
			rest = append(rest, waiting{child: child, shown: given[i]})
		}
		hasNext = hasNext || isUnread || child.hasMore()
	}
	if !hasNext {
		return nil
	}
	return rest
}

// waiting is a child that continues on the next page, with the number of its hits on this page.
type waiting struct {
	child *child
	shown int
}
