package scan_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

const provider = "http://sandbox.test"

// watched is a reader that keeps what it was asked for.
type watched struct {
	rs.Reader

	mu    sync.Mutex
	asked []string // paths and queries
}

func (w *watched) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	w.mu.Lock()
	w.asked = append(w.asked, string(request.Path)+"?"+request.Query.Encoded())
	w.mu.Unlock()
	return w.Reader.Get(ctx, request)
}

// taken returns the requests since its last call.
func (w *watched) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// sandboxOf serves the sample data to a token of a client.
func sandboxOf(t *testing.T, reads resource.Reads, token string) *watched {
	t.Helper()
	box, url := sandboxtest.Serve(t, sandbox.Options{PublicURL: provider, Seed: 1, Reads: reads})
	client, err := rs.NewClient(rs.Options{BaseURL: url, ProviderURL: provider, Bearer: rs.NewSecret(box.Tokens()[token])})
	if err != nil {
		t.Fatal(err)
	}
	return &watched{Reader: client}
}

// caller calls the tools of the surface.
type caller struct {
	*watched
	readings *tool.Readings
	granted  []granted.Stream // nil: everything
}

func newCaller(reader *watched, most int) caller {
	return caller{watched: reader, readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: most})}
}

func (c caller) try(t testing.TB, name, arguments string) (*tool.Result, error) {
	t.Helper()
	var reader rs.Reader = c.watched
	if several, ok := c.watched.Reader.(tool.Merger); ok {
		reader = several
	}
	for _, definition := range gen.Surface().Tools {
		if definition.Name == name {
			env := tool.Env{RS: reader, Readings: c.readings, Granted: c.granted}
			return definition.Run(t.Context(), env, json.RawMessage(arguments))
		}
	}
	t.Fatalf("no tool %s", name)
	return nil, nil
}

// page has the members of an answer that a test reads.
type page struct {
	text string
	Data struct {
		Data       []json.RawMessage `json:"data"`
		HasMore    bool              `json:"has_more"`
		NextCursor string            `json:"next_cursor"`

		FieldsLeftOut map[string][]string `json:"fields_left_out"` // by stream
		Groups        []json.RawMessage   `json:"groups"`
		Value         json.RawMessage     `json:"value"`
		OtherCount    int64               `json:"other_count"`
		Filtered      int64               `json:"filtered_record_count"`
		Meta          struct {
			Count json.RawMessage `json:"count"`
		} `json:"meta"`
	} `json:"data"`
	Note    string `json:"note"`
	Results []struct {
		ID string `json:"id"`
	} `json:"results"`
	Reading *struct {
		By       string `json:"read_by"`
		Read     int64  `json:"records_read"`
		Matched  int64  `json:"matched"`
		Complete bool   `json:"complete"`
		Note     string `json:"note"`
	} `json:"reading"`
	UpTo *struct {
		ID   string `json:"id"`
		Time string `json:"time"`
	} `json:"up_to"`
	Next []struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"next"`
}

func (c caller) call(t *testing.T, name, arguments string) page {
	t.Helper()
	result, err := c.try(t, name, arguments)
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return pageOf(t, result)
}

func pageOf(t *testing.T, result *tool.Result) page {
	t.Helper()
	read := page{text: result.Text}
	if err := json.Unmarshal(result.Structured, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// handles returns the handles of the rows.
func (p page) handles(t *testing.T) []string {
	t.Helper()
	var handles []string
	for _, row := range p.Data.Data {
		var members struct{ Handle string }
		if err := json.Unmarshal(row, &members); err != nil {
			t.Fatal(err)
		}
		handles = append(handles, members.Handle)
	}
	return handles
}

// all follows the calls that lead from page to page, and joins the handles.
func (c caller) all(t *testing.T, arguments string) []string {
	t.Helper()
	var handles []string
	for range 1_000 {
		read := c.call(t, "query_records", arguments)
		handles = append(handles, read.handles(t)...)
		next := ""
		for _, call := range read.Next {
			if strings.Contains(string(call.Arguments), `"cursor"`) && call.Tool == "query_records" {
				next = string(call.Arguments)
			}
		}
		if next == "" {
			if read.Data.HasMore {
				t.Fatalf("more rows, and no call that gets them:\n%s", read.text)
			}
			return handles
		}
		arguments = next
	}
	t.Fatal("the pages do not end")
	return nil
}
