package fanout

// shares are how many hits of each child the page takes when every open child has enough: the children take
// turns, one hit each, because the scores of different sources are not comparable (R-PKG-2). A child that
// has no more is passed over.
func (p *readPage) shares() []int {
	shares := make([]int, len(p.children))
	for _, i := range p.turns(p.limit) {
		shares[i]++
	}
	return shares
}

// deal is whose hit comes when, for as many hits as are at hand. It ends where the turn is at a child whose
// next hit was not read, since what follows would come before it.
func (p *readPage) deal(limit int) []int {
	turns := p.turns(limit)
	given := make([]int, len(p.children))
	for n, i := range turns {
		if given[i] == len(p.children[i].hits) {
			return turns[:n]
		}
		given[i]++
	}
	return turns
}

// turns is the order of the hits, as children. It does not depend on the limit but for its length, so a
// smaller page is the beginning of a larger one, and every page size leads to the same order in all.
func (p *readPage) turns(limit int) []int {
	turns := make([]int, 0, limit)
	given := make([]int, len(p.children))
	for {
		before := len(turns)
		for i, child := range p.children {
			if len(turns) == limit {
				return turns
			}
			if given[i] < len(child.hits) || child.open() {
				turns = append(turns, i)
				given[i]++
			}
		}
		if len(turns) == before {
			return turns
		}
	}
}

// rest are the places of the children that may have more hits after those shown, beginning with the one
// whose turn is next. A source that failed keeps its place, so that the next page asks it again; when only
// such sources are left there is no next page, or paging would never end (R-PKG-6).
func (p *readPage) rest(shown, given []int) []waiting {
	first := 0
	if len(shown) > 0 {
		first = shown[len(shown)-1] + 1
	}
	var rest []waiting
	sure := false
	for n := range p.children {
		i := (first + n) % len(p.children)
		child := p.children[i]
		unread := given[i] < len(child.hits)
		if unread || !child.done {
			rest = append(rest, waiting{child: child, shown: given[i]})
		}
		sure = sure || unread || child.open()
	}
	if !sure {
		return nil
	}
	return rest
}

// waiting is a child that goes on in the next page, and how many of its hits this page has shown.
type waiting struct {
	child *child
	shown int
}
