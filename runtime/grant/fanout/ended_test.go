package fanout_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// endingContext ends after a number of checks.
type endingContext struct {
	context.Context
	checks atomic.Int64
}

const checksBeforeEnd = 50

func (c *endingContext) Err() error {
	if c.checks.Add(1) > checksBeforeEnd {
		return context.Canceled
	}
	return nil
}

// Covers R-ERR-9: a call that ends stops reading rows.
func TestReadingRowsEndsWithItsCall(t *testing.T) {
	list := func(row string) string { return `{"data":[` + strings.Repeat(row+",", 999) + row + `]}` }
	schema := `{"object":"schema","connectors":[` + strings.Repeat(`{"connector_key":"gmail","streams":[]},`, 999) +
		`{"connector_key":"x","streams":[]}]}`
	for name, test := range map[string]struct {
		body    string
		request rs.Request
	}{
		"records": {list(`{"id":"1"}`), records("messages", "cin_a")},
		"search":  {list(`{"record_key":"1"}`), searchFor(100, "")},
		"schema":  {schema, rs.Request{Path: "/v1/schema", Sources: rs.SchemaOfSources{}}},
		"streams": {list(`{"name":"messages"}`), rs.Request{Path: "/v1/streams", Sources: rs.StreamsOfSources{}}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := &endingContext{Context: t.Context()}
			server := &fakeRS{name: "a", body: test.body}
			response, err := ask(ctx,
				newReader(member(server), member(&fakeRS{name: "b", hits: 1, body: test.body})), test.request)
			if response != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v, want the end of the call", response, err)
			}
			if checks := ctx.checks.Load(); checks > checksBeforeEnd+10 {
				t.Errorf("the call went on for %d checks after its end", checks-checksBeforeEnd)
			}
		})
	}
}
