package fanout

// shares are how many hits of each child the page takes when every open child has enough: their hits are merged round
// robin, because the scores of different sources are not comparable (R-PKG-2). A child that has no more is passed over.
func (p *readPage) shares() []int {
	shares := make([]int, len(p.children))
	for _, i := range p.order(p.limit) {
		shares[i]++
	}
	return shares
}

// merge is the child of each hit of the page. It ends where a hit comes next that was not read, since what follows would
// come before it.
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

// order is the child of each hit, hit by hit. It does not depend on the limit but for its length, so a
// smaller page is the beginning of a larger one, and every page size leads to the same order in all.
func (p *readPage) order(limit int) []int {
	order := make([]int, 0, limit)
	for round, before := 0, -1; len(order) > before; round++ {
		before = len(order)
		for i, child := range p.children {
			if len(order) < limit && (round < len(child.hits) || child.open()) {
				order = append(order, i)
			}
		}
	}
	return order
}

// rest are the places of the children that may have more hits after those shown, beginning with the one
// whose hit comes next. A source that failed keeps its place, so that the next page asks it again; when only
// such sources are left there is no next page, or paging would never end (R-PKG-6).
func (p *readPage) rest(shown, given []int) []waiting {
	first := 0
	if len(shown) > 0 {
		first = shown[len(shown)-1] + 1
	}
	var rest []waiting
	isSure := false
	for n := range p.children {
		i := (first + n) % len(p.children)
		child := p.children[i]
		isUnread := given[i] < len(child.hits)
		if isUnread || !child.done {
			rest = append(rest, waiting{child: child, shown: given[i]})
		}
		isSure = isSure || isUnread || child.open()
	}
	if !isSure {
		return nil
	}
	return rest
}

// waiting is a child that goes on in the next page, and how many of its hits this page has shown.
type waiting struct {
	child *child
	shown int
}
