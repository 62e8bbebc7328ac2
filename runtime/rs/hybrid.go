package rs

import "strconv"

// hybridPath is the search that fuses two rankings.
const hybridPath Path = "/v1/search/hybrid"

// ranked is the request as it is sent, and how many rows of the answer were asked for; zero: all of them. A server
// fuses as many rows of its rankings as the limit says, so that another limit gives another order (920, 920b): a hybrid
// search is always asked for the most, and a smaller page is the beginning of a larger one.
func (r Request) ranked() (Request, int) {
	if r.Path != hybridPath {
		return r, 0
	}
	most := r.Limit()
	r.Query = r.Query.With("limit", strconv.Itoa(MostRows))
	return r, most
}
