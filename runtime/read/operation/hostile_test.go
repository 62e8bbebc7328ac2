package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// survives calls schema in every way with a body, and checks that each answer is a bounded result or a typed error.
func survives(t *testing.T, body, stream, connection string) {
	t.Helper()
	for _, input := range []operation.SchemaInput{
		{},
		{ConnectionID: &connection},
		{Stream: &stream},
		{Stream: &stream, ConnectionID: &connection},
		{Stream: &stream, Detail: pointer("full")},
		{Stream: &stream, ConnectionID: &connection, Detail: pointer("full")},
	} {
		result, err := schemaResult(context.Background(), tool.Env{RS: serving(body)}, input)
		if err != nil {
			var unusable *rs.Failure
			var refused *tool.Error
			if !errors.As(err, &unusable) && !errors.As(err, &refused) {
				t.Fatalf("an untyped error: %v", err)
			}
			result = tool.Failed(err)
		}
		keepsBounds(t, result)
		if size := len(result.Text) + len(result.Structured); input.Stream == nil && size > indexBound {
			t.Fatalf("an index of %d bytes", size)
		}
	}
}

// mutations damage a body at one position.
var mutations = map[string]func(body string, at int) string{
	"truncated":       func(body string, at int) string { return body[:at] },
	"byte removed":    func(body string, at int) string { return body[:at] + body[at+1:] },
	"not UTF-8":       func(body string, at int) string { return body[:at] + "\xff" + body[at:] },
	"control":         func(body string, at int) string { return body[:at] + "\x00" + body[at:] },
	"half a pair":     func(body string, at int) string { return body[:at] + `\ud83d` + body[at:] },
	"array to object": func(body string, at int) string { return body[:at] + strings.Replace(body[at:], "[", "{", 1) },
	"array closed": func(body string, at int) string {
		return body[:at] +
			strings.Replace(body[at:], "[", "[[],{},0,", 1)
	},
	"object emptied": func(body string, at int) string {
		return body[:at] +
			strings.Replace(body[at:], "{", `{"":{},`, 1)
	},
	"string to number": func(body string, at int) string {
		return body[:at] + strings.Replace(body[at:], `: "`, `: 1e999, "x": "`, 1)
	},
	"name repeated": func(body string, at int) string {
		return body[:at] + strings.Replace(body[at:], `"name":`, `"name": null, "name":`, 1)
	},
	"value to null": func(body string, at int) string {
		return body[:at] + strings.Replace(body[at:], `: {`, `: null, "x": {`, 1)
	},
}

// R-ERR-4, R-BUD-2: damage anywhere in a captured body leads to a bounded result or a typed error.
func TestSchemaSurvivesDamage(t *testing.T) {
	timetest.WithoutRace(t)
	for _, name := range []string{"captured/010", "captured/011b", "captured/013b", "captured/015", "captured/016"} {
		body := fixture(t, name)
		for damage, mutate := range mutations {
			for at := 0; at < len(body); at += 97 {
				if survives(t, mutate(body, at), "messages", "cin_gmail_personal"); t.Failed() {
					t.Fatalf("%s %s at %d", name, damage, at)
				}
			}
		}
	}
}

// R-ERR-4: deeply nested values are read at every place of the document.
func TestSchemaSurvivesNesting(t *testing.T) {
	for _, depth := range []int{500, 100_000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		objects := strings.Repeat(`{"data":`, depth) + "1" + strings.Repeat("}", depth)
		for _, value := range []string{deep, objects} {
			for _, body := range []string{
				value,
				`{"data":` + value + `}`,
				`{"x":` + value + `,"connectors":[]}`,
				`{"connectors":[{"x":` + value + `,"streams":[{"name":"messages"}]}]}`,
				`{"connectors":[{"streams":[{"name":"messages","x":` + value + `}]}]}`,
				`{"connectors":[{"streams":[{"name":"messages","field_capabilities":{"f":` + value + `}}]}]}`,
				`{"connectors":[{"streams":[{"name":"messages","schema":{"properties":{"f":` + value + `}}}]}]}`,
				`{"connectors":[{"streams":[{"name":"messages","granted_connections":[` + value + `]}]}]}`,
			} {
				survives(t, body, "messages", "cin_1")
			}
		}
	}
}

// R-ERR-4: a cut-off or damaged document is a typed failure, not a shorter one.
func TestSchemaRefusesInvalidJSON(t *testing.T) {
	for _, body := range []string{
		``, ` `, `{`, `{"connectors":[`, `{"connectors":[]`, `{"connectors":[]}}`, `{"connectors":[],}`,
		`{"connectors":[{},]}`,
		`{"connectors":[] "x":1}`, `{"connectors":[],"x":01}`, `{"connectors":[],"x":.5}`, `{"connectors":[],"x":1.}`,
		`{"connectors":[],"x":1e}`,
		`{"connectors":[],"x":-}`, `{"connectors":[],"x":nul}`, `{"connectors":[],"x":"\q"}`,
		`{"connectors":[],"x":"\u12g4"}`,
		"{\"connectors\":[],\"x\":\"\n\"}", `{"connectors":[],"x":"`, `{"connectors":[],"x":"\`, `{"connectors":[],x:1}`,
		`{"connectors":[],"x":}`,
		`{"connectors":[{"streams":[{"name":"a"}]`, "{\"connectors\":[],\"x\":\"\xff\"}", `{"connectors":[]} {}`,
		`{"connectors":[],"x":+1}`,
	} {
		_, err := schemaResult(context.Background(), tool.Env{RS: serving(body)}, operation.SchemaInput{})
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
			t.Errorf("%q: %v", body, err)
		}
		if json.Valid([]byte(body)) && utf8.ValidString(body) {
			t.Errorf("%q is JSON", body)
		}
	}
}

// R-ERR-4: every document leads to a bounded result or a typed error, and is refused as invalid JSON only if it is
// invalid.
func FuzzSchema(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "captured", "*.json"))
	if err != nil || len(paths) == 0 {
		f.Fatal(err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), "messages", "cin_gmail_personal")
	}
	for _, value := range []string{`1`, `-0.5e+3`, `"\u00e9\n"`, `[true,null,[],{}]`, `{"a":{"b":[1,2]}}`, ` { } `} {
		f.Add(`{"connectors":[],"x":`+value+`}`, "s", "c")
	}
	f.Fuzz(func(t *testing.T, body, stream, connection string) {
		survives(t, body, stream, connection)
		if len(body) > 900 { // the depth is limited
			return
		}
		document := `{"connectors":[],"x":` + body + `}`
		_, err := schemaResult(context.Background(), tool.Env{RS: serving(document)}, operation.SchemaInput{})
		if valid := json.Valid([]byte(document)) && utf8.ValidString(document); valid != (err == nil) {
			t.Errorf("%q: valid is %t: %v", document, valid, err)
		}
	})
}

// R-SCH-2: the time for a document grows linearly with its members.
func TestSchemaOfVeryManyMembers(t *testing.T) {
	var body strings.Builder
	body.WriteString(`{"connectors":[]`)
	for i := range 200_000 {
		fmt.Fprintf(&body, `,"m%d":0`, i)
	}
	body.WriteString(`}`)
	began := timetest.Spent()
	survives(t, body.String(), "messages", "cin_gmail_personal")
	if took := timetest.Spent() - began; took > 20*time.Second {
		t.Errorf("six calls took %v", took)
	}
}

// panicking is a reader in which the list of streams panics.
type panicking struct{ *server }

func (p panicking) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if _, ok := request.Sources.(rs.StreamsOfSources); ok {
		panic("a fault of the listing")
	}
	return p.server.Get(ctx, request)
}

// A panic while the list of streams is read reaches the caller, so that the host recovers it.
func TestPanicOfTheListingReachesTheCaller(t *testing.T) {
	defer func() {
		if panicked := recover(); panicked != "a fault of the listing" {
			t.Errorf("recovered %v", panicked)
		}
	}()
	_, err := schemaResult(t.Context(), tool.Env{RS: panicking{serving(fixture(t, "full_index"))}},
		operation.SchemaInput{})
	t.Errorf("no panic reached the caller: %v", err)
}
