package readon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-8: pages that were asked for by guess are read in their order and each once; a wrong guess is the last one.
func TestPagesAreGuessed(t *testing.T) {
	for name, guess := range map[string]func(string) string{
		"right": func(cursor string) string { return cursor },
		"wrong": func(cursor string) string { return cursor + "x" },
	} {
		t.Run(name, func(t *testing.T) {
			told := atomic.Int32{}
			server := &standIn{guess: func(cursor string) string { told.Add(1); return guess(cursor) }}
			want := 0
			for n := range 1_000 {
				server.records = append(server.records, number(n, fmt.Sprintf("2026-%02d-%02dT10:00:00Z", 1+n%12, 1+n%28), "a", 0))
				want += n
			}
			env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{Most: 1_000})}
			result, err := definition("aggregate").Run(t.Context(), env,
				json.RawMessage(`{"stream":"notes","connection_id":"cin_1","metric":"sum","field":"n"}`))
			if err != nil {
				t.Fatal(err)
			}
			if value := fmt.Sprintf(`"value":%d`, want); !strings.Contains(string(result.Structured), value) || !strings.Contains(result.Text, "complete=true") {
				t.Errorf("not %s: %s", value, result.Text)
			}
			if told.Load() == 0 {
				t.Error("nobody listens to the body of a page")
			}
			cursors, guessed := map[string]int{}, 0
			for _, request := range server.asked {
				if limit, _ := request.Query.Get("limit"); limit == "1" { // asks for the order of the list
					continue
				}
				cursor, _ := request.Query.Get("cursor")
				if cursors[cursor]++; cursors[cursor] > 1 && cursor != "" {
					t.Errorf("%s is read twice", request.Query.Encoded())
				}
				if strings.HasSuffix(cursor, "x") {
					guessed++
				}
			}
			if guessed > 2 {
				t.Errorf("%d wrong guesses", guessed)
			}
		})
	}
}

// longConnections are two connections with the same records, which are not paged together. What is asked of the second one behind its
// first page ends a minute after it was cancelled.
type longConnections struct {
	*standIn

	isStuck bool   // the first page of the second connection seems to have a cursor, and has none
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
		request.Ahead("seeming")
		return sent(ctx, []byte(`{"data":[{"id":"r1","connection_id":"cin_2","data":{"n":1}}],"has_more":true}`), request)
	case connection == "" && strings.HasSuffix(string(request.Path), "/records"):
		return sent(ctx, []byte(`{"data":[{"id":"r1","connection_id":"cin_1"},{"id":"r1","connection_id":"cin_2"}],"has_more":true}`), request)
	}
	return elsewhere{l.standIn, provider, connection}.Get(ctx, request)
}

// R-SCAN-8: no request of a call is under way once that is answered, whichever connection it was asked of and whatever ended the reading.
func TestNoReadOutlivesItsCall(t *testing.T) {
	for name, test := range map[string]struct {
		most                 int
		isStuck, isCancelled bool
	}{
		"the bound":        {most: 400},
		"no way on":        {most: 20_000, isStuck: true},
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
				env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{Most: test.most})}
				result, err := definition("aggregate").Run(ctx, env, json.RawMessage(`{"stream":"notes","metric":"sum","field":"n"}`))
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
