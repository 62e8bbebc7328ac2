package fanout_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// R-PKG-2, R-PKG-4: a source that is asked by its connection may not answer with records of another member's, whose handles
// would lead there. A connection that no member has is its own affair.
func TestNamedSourceMayNotClaimAnother(t *testing.T) {
	byName := searchFor(3, "")
	id := "cin_a"
	byName.Sources = rs.HitsOfSources{ConnectionID: &id}
	one := records("messages", id)
	one.Path = rs.JoinPath("v1", "streams", "messages", "records", "1")
	for name, test := range map[string]struct {
		request   rs.Request
		body      string
		isRefused bool
	}{
		"a record of its own":         {one, `{"object":"record","id":"1","connection_id":"cin_a"}`, false},
		"a record without a name":     {one, `{"object":"record","id":"1","data":{"connection_id":"cin_b"}}`, false},
		"a record of another":         {one, `{"object":"record","id":"1","connection_id":"cin_b"}`, true},
		"of another, escaped":         {one, `{"object":"record","id":"1","connection_id":"cin_\u0062"}`, true},
		"of one that has ended":       {one, `{"object":"record","id":"1","connection_id":"cin_gone"}`, true},
		"of nobody in the package":    {one, `{"object":"record","id":"1","connection_id":"cin_x"}`, false},
		"a row of another":            {records("messages", id), `{"data":[{"id":"1"},{"id":"2","connector_instance_id":"cin_b"}]}`, true},
		"rows of its own":             {records("messages", id), `{"data":[{"id":"1"},{"id":"2","connection_id":"cin_a"}]}`, false},
		"a hit of another":            {byName, `{"data":[{"record_key":"1","connection_id":"cin_b"}]}`, true},
		"a hit of its own":            {byName, `{"data":[{"record_key":"1","connection_id":"cin_a"}]}`, false},
		"a row of a stream, unnamed":  {records("tracks", ""), `{"data":[{"id":"1","connection_id":"cin_b"}]}`, false},
		"a total, which has no owner": {records("messages", id), `{"object":"aggregate","value":4}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			other := &fakeRS{name: "b", hits: 1}
			reader := newReader(member(&fakeRS{name: "a", body: test.body}, "messages", "tracks"), member(other, "messages"), ended("gone", "messages"))
			response, err := reader.Get(t.Context(), test.request)
			untouched(t, other)
			var failure *rs.Failure
			switch {
			case !test.isRefused && (err != nil || string(response.Body()) != test.body):
				t.Errorf("got %v, want the answer as it came", err)
			case test.isRefused && (!errors.As(err, &failure) || failure.Reason != rs.InvalidResponse || !strings.Contains(err.Error(), `"The a"`)):
				t.Errorf("got %v, want a failure that names the source", err)
			}
		})
	}
}
