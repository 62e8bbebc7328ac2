package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/lab"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// recorder is a reader that records the requests.
type recorder struct {
	rs.Reader

	mu    sync.Mutex
	asked []string
}

func (w *recorder) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	w.mu.Lock()
	w.asked = append(w.asked, request.Query.Encoded())
	w.mu.Unlock()
	return w.Reader.Get(ctx, request)
}

// manyKinds returns two connections with 130 different kinds each, and one kind that both have. Neither shows the
// shared kind among its hundred largest groups unless it is large there or the connection is read alone.
func manyKinds(t *testing.T, shared int) *catalog.Dataset {
	set := lab.Dataset(t)
	set.Records = nil
	add := func(connection, kind string, count int) {
		for i := range count {
			id := fmt.Sprintf("%s-%s-%d", connection, kind, i)
			set.Records = append(set.Records, catalog.Record{
				ConnectionID: connection, Stream: "samples", Key: id, EmittedAt: time.Unix(0, 0),
				Data: fmt.Appendf(nil, `{"id":%q,"kind":%q,"at":"2026-03-%02dT00:00:00Z"}`, id, kind, i%28+1),
			})
		}
	}
	for _, connection := range []string{"cin_lab_a", "cin_lab_b"} {
		for i := range 130 {
			add(connection, fmt.Sprintf("%s%03d", connection[len("cin_lab_"):], i), 2)
		}
		add(connection, "both", shared)
	}
	return set
}

// R-AGG-4: groups over several connections are those of all records, although the RS adds up the largest of each (787c,
// 787i), and both channels say that they are counted together.
func TestGroupsOverSeveralConnections(t *testing.T) {
	const together = "2 connections are counted together."
	lost := together + " A count may be too low, and a group may be missing"
	for name, test := range map[string]struct {
		set       *catalog.Dataset
		arguments string
		groups    string
		said      string
		further   string
		asked     int
	}{
		"the largest of both": { // 787c lacks a, which occurs five times
			lab.Dataset(t), `{"stream":"samples","metric":"count","group_by":"kind","limit":3}`,
			`["a",5] ["k01",4] ["k02",4] other_count=51`, together, "17", 3,
		},
		"all of both": {
			lab.Dataset(t), `{"stream":"samples","metric":"count","group_by":"flag"}`,
			`[true,35] [false,29] other_count=0`, together, "0", 2,
		},
		"by time": {
			lab.Dataset(t), `{"stream":"samples","metric":"count","group_by_time":"at","granularity":"day","limit":3}`,
			`["2026-03-01",3] ["2026-03-02",4] ["2026-03-03",2] other_count=55`, together, "unknown", 2,
		},
		"by time without a limit": {
			lab.Dataset(t), `{"stream":"samples","metric":"count","group_by_time":"at","granularity":"month"}`,
			`["2026-03-01",14] ["2026-04-01",50] other_count=0`, together, "0", 2,
		},
		"more than a hundred": {
			manyKinds(t, 3), `{"stream":"samples","metric":"count","group_by":"kind","limit":1}`,
			`["both",6] other_count=520`, lost, "unknown", 5,
		},
		"more than a hundred of one size": {
			manyKinds(t, 2), `{"stream":"samples","metric":"count","group_by":"kind","limit":2}`,
			`["a000",2] ["a001",2] other_count=520`, lost, "unknown", 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			reader := &recorder{Reader: lab.Serve(t, test.set).Client()}
			result := aggregated(t, reader, test.arguments)
			text := strings.ReplaceAll(result.Text, "\n", " ")
			for group := range strings.SplitSeq(test.groups, " ") {
				if !strings.Contains(text, group) {
					t.Errorf("the text lacks %s: %s", group, result.Text)
				}
			}
			var read struct {
				Note string `json:"note"`
				Data struct {
					Groups []struct {
						Key   json.RawMessage `json:"key"`
						Count int64           `json:"count"`
					} `json:"groups"`
					OtherCount int64 `json:"other_count"`
				} `json:"data"`
			}
			if err := json.Unmarshal(result.Structured, &read); err != nil {
				t.Fatal(err)
			}
			var groups []string
			for _, group := range read.Data.Groups {
				groups = append(groups, fmt.Sprintf("[%s,%d]", group.Key, group.Count))
			}
			if got := strings.Join(groups, " ") + fmt.Sprintf(" other_count=%d", read.Data.OtherCount); got != test.groups {
				t.Errorf("got %s, want %s", got, test.groups)
			}
			if !strings.Contains(result.Text, "\n"+test.said) || !strings.HasPrefix(read.Note, test.said) ||
				test.said == together && strings.Contains(text, "too low") {
				t.Errorf("the note is wrong: %s\n%s", result.Text, read.Note)
			}
			if !strings.Contains(text, " further_groups="+test.further+" ") {
				t.Errorf("not %s further groups: %s", test.further, result.Text)
			}
			if len(reader.asked) != test.asked {
				t.Errorf("the RS saw %q", reader.asked)
			}
		})
	}
}

// R-AGG-4: both channels say if a number is of several connections. A single connection is read alone if the caller
// names it.
func TestNumberOverSeveralConnections(t *testing.T) {
	const together = "2 connections are counted together."
	for arguments, test := range map[string]struct {
		said  bool
		asked int
	}{
		`{"stream":"samples","metric":"count"}`:                                {true, 2},
		`{"stream":"samples","metric":"sum","field":"amount"}`:                 {true, 2},
		`{"stream":"samples","metric":"count","connection_id":"cin_lab_b"}`:    {false, 1},
		`{"stream":"samples","metric":"count","filter":{"kind":"none there"}}`: {true, 2},
	} {
		reader := &recorder{Reader: lab.Serve(t, lab.Dataset(t)).Client()}
		result := aggregated(t, reader, arguments)
		if said := strings.Contains(result.Text, "\n"+together); said != test.said ||
			said != strings.Contains(string(result.Structured), together) {
			t.Errorf("%s: %s\n%s", arguments, result.Text, result.Structured)
		}
		if len(reader.asked) != test.asked {
			t.Errorf("%s: the RS saw %q", arguments, reader.asked)
		}
	}
}

// Groups of one connection are the RS's.
func TestGroupsOfOneConnection(t *testing.T) {
	reader := &recorder{Reader: lab.Serve(t, lab.Dataset(t)).Client()}
	result := aggregated(t, reader,
		`{"stream":"samples","metric":"count","group_by":"kind","limit":3,"connection_id":"cin_lab_b"}`)
	if len(reader.asked) != 1 || strings.Contains(result.Text, "together") || !strings.Contains(result.Text, `["a",3]`) {
		t.Errorf("%q gave %s", reader.asked, result.Text)
	}
}

// limitless is a reader of a server that does not report its limit of groups.
type limitless struct{ rs.Reader }

func (l limitless) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	response, err := l.Reader.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	return response.WithBody(body.Without("limit").Encode())
}

// R-AGG-4: without a limit all groups over several connections are shown.
func TestGroupsWithoutALimit(t *testing.T) {
	result := aggregated(t, limitless{lab.Serve(t, lab.Dataset(t)).Client()},
		`{"stream":"samples","metric":"count","group_by":"flag"}`)
	for _, said := range []string{"[true,35]", "[false,29]", "other_count=0"} {
		if !strings.Contains(result.Text, said) {
			t.Errorf("%s is missing: %s", said, result.Text)
		}
	}
	if strings.Contains(result.Text, "limit=") {
		t.Errorf("a limit is shown that the server does not send: %s", result.Text)
	}
}

// aggregated calls the tool.
func aggregated(t *testing.T, reader rs.Reader, arguments string) *tool.Result {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name == "aggregate" {
			result, err := definition.Run(t.Context(), tool.Env{RS: reader}, json.RawMessage(arguments))
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
	}
	t.Fatal("no such tool")
	return nil
}
