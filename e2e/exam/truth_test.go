package exam_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	evaluation "github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// truth returns the answer by SQL: columns separated by semicolons, one row per line.
func (q question) truth(t *testing.T, provider *journey.Provider) string {
	t.Helper()
	_, rows, err := evaluation.Rows(t.Context(), provider.Box.Store().DB(), q.truths, nil)
	if err != nil {
		t.Fatalf("%s: %v", q.name, err)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "; "))
	}
	return strings.Join(lines, "\n")
}

// changeChat deletes a message of the team chat, and writes a new version of another.
func changeChat(ctx context.Context, records *store.Store) error {
	chat := slices.DeleteFunc(sample.Dataset(1).Records, func(r catalog.Record) bool {
		return r.ConnectionID != sample.TeamChat || r.Stream != "chat_messages" || !r.DeletedAt.IsZero()
	})
	deleted, changed := chat[3], chat[len(chat)/2]
	if err := records.Delete(ctx, deleted.ConnectionID, deleted.Stream, deleted.Key); err != nil {
		return err
	}
	return records.Put(ctx, changed)
}
