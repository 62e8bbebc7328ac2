package scan_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// longConnections are two connections with the same records, which are not paged together. What is asked of the second
// one behind its first page ends a minute after it was cancelled.
type longConnections struct {
	*standIn

	isStuck bool   // the first page of the second connection has no cursor
	cancel  func() // called with the third page of the first connection; nil: never

	firsts, running atomic.Int32 // pages of the first connection; requests under way
}

func (l *longConnections) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	l.running.Add(1)
	defer l.running.Add(-1)
	connection, _ := request.Query.Get("connection_id")
	_, isBehind := request.Query.Get("cursor")
	switch {
	case connection == "cin_1" && l.firsts.Add(1) == 3 && l.cancel != nil:
		l.cancel()
	case connection == "cin_2" && isBehind:
		<-ctx.Done()
		time.Sleep(time.Minute)
		return nil, &rs.Failure{Reason: rs.Timeout, Message: "cancelled", Cause: ctx.Err()}
	case connection == "cin_2" && l.isStuck:
		return sent(ctx, []byte(`{"data":[{"id":"r1","connection_id":"cin_2","data":{"n":1}}],"has_more":true}`), request)
	case connection == "" && strings.HasSuffix(string(request.Path), "/records"):
		return sent(ctx,
			[]byte(`{"data":[{"id":"r1","connection_id":"cin_1"},{"id":"r1","connection_id":"cin_2"}],"has_more":true}`),
			request)
	}
	return elsewhere{l.standIn, provider, connection}.Get(ctx, request)
}

// R-SCAN-8: no request of a call is under way once that is answered, whichever connection it was asked of and whatever
// ended the reading.
func TestNoReadOutlivesItsCall(t *testing.T) {
	for name, test := range map[string]struct {
		most                 int
		isStuck, isCancelled bool
	}{
		"the bound":        {most: 400},
		"no continuation":  {most: 20_000, isStuck: true},
		"a cancelled call": {most: 20_000, isCancelled: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				server := &longConnections{standIn: many(1_000), isStuck: test.isStuck}
				if test.isCancelled {
					server.cancel = cancel
				}
				env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: test.most})}
				result, err := definition("aggregate").Run(ctx, env,
					json.RawMessage(`{"stream":"notes","metric":"sum","field":"n"}`))
				synctest.Wait()
				if running := server.running.Load(); running > 0 {
					t.Errorf("%d requests are under way", running)
				}
				switch {
				case test.isCancelled:
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				case err != nil:
					t.Error(err)
				case !strings.Contains(result.Text, "Connections that were not read to their ends: "):
					t.Error(result.Text)
				}
			})
		})
	}
}
