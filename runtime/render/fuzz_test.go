package render_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-4, R-BUD-2: every body and status leads to a bounded result in UTF-8 or a typed failure, and the failure
// becomes a bounded result too.
func FuzzRenderers(f *testing.F) {
	timetest.WithoutRace(f)
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
	for _, capture := range captures(f) {
		_, query, _ := strings.Cut(capture.target, "?")
		f.Add(capture.body, query, "id")
	}
	f.Add(`{"data":[{"id":"\ud800","data":{"":"","\u0000":[[]]}}],"meta":{"count":1e999,"warnings":[1,"x",{}]}}`, "",
		"a.b")
	f.Fuzz(func(t *testing.T, body, query, field string) {
		for _, fields := range [][]string{nil, {field}} {
			for i := range renderers {
				result, err := renderers[i].run(responded("/v1/streams/s/records?"+query, body), fields)
				checkAny(t, &renderers[i], result, err)
			}
		}
		// Not a status that makes the client wait and try again.
		for _, status := range []string{"200 OK", "400 Bad Request", "500 Internal Server Error"} {
			refused := capture{target: "/v1/streams/s/records?" + query, answer: "HTTP/1.1 " + status + "\n\n" + body}
			if _, err := refused.read(t); err != nil {
				checkFailed(t, tool.Failed(err))
			}
		}
	})
}

// checkAny checks what holds for every outcome of a renderer.
func checkAny(t *testing.T, renderer *rendered, result *tool.Result, err error) {
	t.Helper()
	if err == nil {
		checkBounds(t, result, renderer.bound)
		checkServedSchema(t, renderer.tool, result.Structured)
		return
	}
	var failure *rs.Failure
	isTooLarge := errors.As(err, new(*answer.TooLargeError))
	if !isTooLarge && (!errors.As(err, &failure) || failure.Reason != rs.InvalidResponse) {
		t.Errorf("untyped error: %v", err)
	}
	checkFailed(t, tool.Failed(err))
}

// checkFailed checks the form of a failed result on which clients rely.
func checkFailed(t *testing.T, result *tool.Result) {
	t.Helper()
	checkBounds(t, result, render.TextCharacters)
	checkServedSchema(t, "fetch", result.Structured)
	var structured struct {
		Error json.RawMessage `json:"error"`
	}
	var object struct{ Type, Code, Message string }
	if err := errors.Join(json.Unmarshal(result.Structured, &structured),
		json.Unmarshal(structured.Error, &object)); err != nil {
		t.Fatal(err)
	}
	if result.Text != string(structured.Error) || !result.IsError || object.Message == "" {
		t.Errorf("error %t, text %s", result.IsError, result.Text)
	}
}
