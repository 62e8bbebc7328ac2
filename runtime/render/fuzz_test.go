package render_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-4, R-BUD-2: whatever the body, a renderer gives a bounded result in UTF-8 or a typed failure.
func FuzzRenderers(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, seed := range seeds {
		body, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), "q=overdraft&limit=2&filter[a][gte]=1&expand=x", "subject")
	}
	f.Add(`{"data":[{"id":"\ud800","data":{"":"","\u0000":[[]]}}],"meta":{"count":1e999,"warnings":[1,"x",{}]}}`, "", "a.b")
	f.Fuzz(func(t *testing.T, body, query, field string) {
		ctx, env := context.Background(), tool.Env{RS: &silent{}}
		target := recordid.Target{Handle: "s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
		for _, fields := range [][]string{nil, {field}} {
			result, err := render.Records(ctx, env, answer("/r?"+query, body), render.RecordsInput{Stream: "s", Fields: fields})
			checkAny(t, result, err, render.TextCharacters)
			result, err = render.Document(ctx, env, answer("/r?"+query, body), render.DocumentInput{Target: target, Fields: fields})
			checkAny(t, result, err, render.ChannelCharacters)
		}
		result, err := render.Aggregate(ctx, env, answer("/a?"+query, body), render.AggregateInput{Stream: "s"})
		checkAny(t, result, err, render.TextCharacters)
		result, err = render.Search(ctx, env, answer("/v1/search?"+query, body), render.SearchInput{})
		checkAny(t, result, err, render.TextCharacters)
		result, err = render.FieldWindow(ctx, env, answer("/w?"+query, body), render.FieldWindowInput{Target: target, FieldPath: "f"})
		checkAny(t, result, err, render.ChannelCharacters)
	})
}

func checkAny(t *testing.T, result *tool.Result, err error, textBound int) {
	t.Helper()
	if err == nil {
		checkBounds(t, result, textBound)
		return
	}
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
		t.Errorf("untyped error: %v", err)
	}
}
