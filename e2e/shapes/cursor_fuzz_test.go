package shapes_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// issued is a kind of cursor that the adapter issues.
type issued struct {
	tool      string
	arguments string // of the first page, without the last brace
	prefix    string
	isPackage bool
	pack      func(members string) string // spells the members of a cursor as the adapter does
	question  string                      // the beginning of its text
}

// canonical spells a cursor whose text is bound to its question.
func (i *issued) canonical(members string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(members), &object) != nil {
		return i.prefix + base64.RawURLEncoding.EncodeToString([]byte(members))
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, []byte(members)) // checked above
	return i.prefix + base64.RawURLEncoding.EncodeToString([]byte(i.question+strings.TrimPrefix(compact.String(), "{")))
}

// deflated spells a cursor of changes.
func (i *issued) deflated(members string) string {
	var packed bytes.Buffer
	writer, _ := flate.NewWriter(&packed, flate.BestCompression) // a known level
	_, _ = writer.Write([]byte(members))
	_ = writer.Close()
	return i.prefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// Bounds of the work for one cursor, whatever its content. The call with an issued cursor takes up to 9 requests, 1 MiB
// and 10 ms.
const (
	cursorRequests  = 30
	cursorMemory    = 8 << 20     // bytes allocated in this process, without 10 for each character of the cursor
	cursorProcessor = time.Second // of this process
)

// FuzzCursors changes the cursors of timelines, changes, readings, places and searches of a package. A changed cursor
// is refused before any request, or it continues the list. Either takes bounded work (R-SCAN-8).
func FuzzCursors(f *testing.F) {
	p := &provider{streams: 3, rows: 40, size: 20, snippet: "text"}
	client := p.client(f)
	var sources []fanout.Source
	for _, id := range []string{"cin_1", "cin_2"} {
		sources = append(sources, fanout.Source{GrantID: "grt_" + id, ConnectionID: id, Reader: client})
	}
	several := fanout.New(sources, fanout.Options{ProviderURL: client.ProviderURL(), ChildTimeout: time.Minute})
	kinds := []*issued{
		{tool: "query_records", arguments: `{"stream":"*","limit":3`, prefix: "timeline."},
		{tool: "query_records", arguments: `{"stream":"*","limit":3,"changes_since":"beginning"`, prefix: "changes."},
		{tool: "query_records", arguments: `{"stream":"s00000","limit":3,"filter":{"kind":"a"}`, prefix: "reading."},
		{tool: "search", arguments: `{"q":"x","limit":3,"filter":{"kind":"a"}`, prefix: "reading."},
		{tool: "search", arguments: `{"q":"x","limit":3`, isPackage: true},
		{tool: "search", arguments: `{"q":"x","limit":3`, prefix: "place."}, // it has the question of the kind before
	}
	call := func(kind *issued, cursor string) (*tool.Result, error) {
		arguments := kind.arguments + "}"
		if cursor != "" {
			arguments = kind.arguments + `,"cursor":` + string(quoted(cursor)) + "}"
		}
		env := tool.Env{RS: client, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 1_000})}
		if kind.isPackage {
			env.RS = several
		}
		ctx, end := rs.Bounded(context.Background())
		defer end()
		return definitionOf(kind.tool).Run(ctx, env, json.RawMessage(arguments))
	}
	for at, kind := range kinds {
		first, err := call(kind, "")
		if err != nil {
			f.Fatal(err)
		}
		sent := nextCursor(first)
		text, isOwn := strings.CutPrefix(sent, kind.prefix)
		decoded, err := base64.RawURLEncoding.DecodeString(text)
		members := `{"c":"3","k":2}`
		switch kind.prefix {
		case "changes.":
			kind.pack, members = kind.deflated, `{"s00000/cin_1":{"b":"beginning","k":2},"s00001/cin_1":{"c":"3"}}`
		case "place.":
			kind.pack, kind.question, isOwn, err = kind.canonical, kinds[at-1].question, true, nil
		default:
			kind.pack = kind.canonical
			end := bytes.Index(decoded, []byte(`",`)) + 2
			kind.question, members = string(decoded[:end]), "{"+string(decoded[end:])
		}
		if err != nil || !isOwn || sent == "" {
			f.Fatalf("%s: the cursor is %q: %v\n%s", kind.arguments, sent, err, first.Text)
		}
		for _, members := range []string{
			members, "{}",
			`{"p":{"t":1,"s":"s00000","k":"r1"},"n":"abcdef","b":{"abcdef":null}}`, many(200), many(20_000),
		} {
			f.Add(at, members, false)
		}
		f.Add(at, sent, true)
		f.Add(at, kind.prefix+strings.Repeat("A", 100_000), true)
	}
	f.Fuzz(func(t *testing.T, at int, text string, isCursor bool) {
		kind := kinds[(at%len(kinds)+len(kinds))%len(kinds)]
		cursor := text
		if !isCursor {
			cursor = kind.pack(text)
		}
		if !strings.HasPrefix(cursor, kind.prefix) || cursor == "" {
			return // a cursor of the resource server, or none
		}
		spent, memory := timetest.Spent(), allocated()
		p.requests.Store(0)
		_, err := call(kind, cursor)
		spent, memory = timetest.Spent()-spent, allocated()-memory
		var refused *tool.Error
		if err != nil && (!errors.As(err, &refused) || refused.Param != "cursor" || p.requests.Load() > 0) {
			t.Errorf("%s: after %d requests: %v", kind.prefix, p.requests.Load(), err)
		}
		if requests := p.requests.Load(); requests > cursorRequests || memory > cursorMemory+10*int64(len(cursor)) ||
			spent > cursorProcessor {
			t.Errorf("%s: a cursor of %d characters takes %d requests, %d kB and %s", kind.prefix, len(cursor), requests,
				memory>>10, spent)
		}
	})
}

// many returns the members of a cursor with a number of names.
func many(names int) string {
	var hashes strings.Builder
	positions := make([]string, names)
	for i := range positions {
		fmt.Fprintf(&hashes, "%06x", i)
		positions[i] = fmt.Sprintf(`"%06x":null`, i)
	}
	return `{"p":{"t":1,"s":"s00000","k":"r1"},"n":"` + hashes.String() + `","b":{` + strings.Join(positions, ",") + `}}`
}

func nextCursor(result *tool.Result) string {
	var page struct {
		Next []struct {
			Arguments struct{ Cursor string } `json:"arguments"`
		} `json:"next"`
	}
	_ = json.Unmarshal(result.Structured, &page) // an empty cursor fails the test
	for _, each := range page.Next {
		if each.Arguments.Cursor != "" {
			return each.Arguments.Cursor
		}
	}
	return ""
}

func quoted(text string) []byte {
	encoded, _ := json.Marshal(text) // a string
	return encoded
}
