package calling

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// wholeRows keeps the rows that the resource server sends while one call runs. A result has bounds, so a tool may cut a
// row that is long; the file of an export must not hold a part of one. It is for one call after the other.
type wholeRows struct {
	rs.Reader

	mu sync.Mutex
	of map[string]json.RawMessage // the rows as they were sent, by their identity; the one that was read last
}

func newWholeRows(reader rs.Reader) *wholeRows {
	kept := &wholeRows{Reader: reader}
	kept.forget()
	return kept
}

// forget begins another call.
func (w *wholeRows) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = map[string]json.RawMessage{}
}

// Get keeps the rows of what it reads, if it is a list.
func (w *wholeRows) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	response, err := w.Reader.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range render.WholeRows(response) {
		w.of[render.RowIdentity(row, nil)] = row
	}
	return response, nil
}

// incompleteError ends a reading at rows that cannot be had whole: the same call would end there again.
type incompleteError struct{ message string }

func (e *incompleteError) Error() string { return e.message }

// ExitCode is that of an answer that is not all of it.
func (e *incompleteError) ExitCode() int { return invocation.ExitToolError }

// whole gives the rows that a tool showed as they were sent: each with all of its members, and without cuts. Shared are the
// members that the tool showed once for all rows; before is how many rows came before these.
func (w *wholeRows) whole(shown []json.RawMessage, shared json.RawMessage, before int) ([]json.RawMessage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := make([]json.RawMessage, 0, len(shown))
	for i, row := range shown {
		identity := render.RowIdentity(row, shared)
		kept, found := w.of[identity]
		if !found {
			return rows, &incompleteError{fmt.Sprintf("row %d (%s) was cut to fit into a result, and is not to be had whole in this way: it is not in the output, "+
				"nor is what stands behind it; read it by itself, or name fewer fields", before+i+1, invocation.Printable(strings.ReplaceAll(identity, "\x00", " ")))}
		}
		rows = append(rows, kept)
	}
	return rows, nil
}
