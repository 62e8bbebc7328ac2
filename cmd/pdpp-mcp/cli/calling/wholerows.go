package calling

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// wholeRows keeps the rows of the answers that one call reads. A tool may cut long rows to fit a result, but an export must not.
// It is not safe for concurrent calls.
type wholeRows struct {
	mu sync.Mutex
	of map[string]json.RawMessage // the last row read, as it was sent, by its identity
}

func newWholeRows() *wholeRows {
	kept := &wholeRows{}
	kept.forget()
	return kept
}

// forget drops all rows before another call.
func (w *wholeRows) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = map[string]json.RawMessage{}
}

// reading is a reader whose lists it keeps the rows of.
func (w *wholeRows) reading(inner rs.Reader) rs.Reader {
	get := func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		response, err := inner.Get(ctx, request)
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
	return rs.Wrap(inner, get, nil)
}

// incompleteError ends --all where the same call would end again, such as at a row that cannot be read uncut.
type incompleteError struct{ error }

// Unwrap returns what is incomplete.
func (e *incompleteError) Unwrap() error { return e.error }

// whole returns the rows that a tool showed as they were sent, uncut and with all members. Shared has the members that the tool
// showed once for all rows. Before is the number of rows that precede them, for the error.
func (w *wholeRows) whole(shown []json.RawMessage, shared json.RawMessage, before int) ([]json.RawMessage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := make([]json.RawMessage, 0, len(shown))
	for i, row := range shown {
		identity := render.RowIdentity(row, shared)
		kept, found := w.of[identity]
		if !found {
			return rows, &incompleteError{invocation.Failf("row %d (%s) was cut to fit into a result and cannot be printed whole; the output lacks it "+
				"and all rows after it; read it by itself, or name fewer fields", before+i+1, invocation.Printable(strings.ReplaceAll(identity, "\x00", " ")))}
		}
		rows = append(rows, kept)
	}
	return rows, nil
}
