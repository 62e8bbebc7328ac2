// Package shapes_test measures what one answer of a resource server costs, whatever its shape.
package shapes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// shape is an answer to a call that can be of any size. Repeat, with %d for its number, fills the size between before
// and after.
type shape struct {
	name, tool, arguments string
	before, repeat, after string
	separator             string
	isRefused             bool // with rs_invalid_response, at a size of a megabyte
}

const (
	recordsCall = `{"stream":"s","limit":100}`
	searchCall  = `{"q":"x","limit":100}`
	groupsCall  = `{"stream":"s","metric":"count","group_by":"k","limit":100}`
	fetchCall   = `{"id":"cin_1/s:1"}`
	schemaCall  = `{"stream":"s"}`
)

var shapes = []shape{
	{"empty rows", "query_records", recordsCall, `{"data":[`, `{}`, `]}`, ",", true},
	{"rows", "query_records", recordsCall, `{"data":[`, `{"id":"%d","data":{"a":1}}`, `]}`, ",", true},
	{"rows of many connections", "query_records", recordsCall, `{"data":[`, `{"connection_id":"c%d"}`, `]}`, ",", true},
	{"wrapped rows", "query_records", recordsCall, `{"data":{"data":[`, `{}`, `]}}`, ",", true},
	{"keys of a row", "query_records", recordsCall, `{"data":[{"id":"1","data":{`, `"k%d":0`, `}}]}`, ",", true},
	{"keys of the envelope", "query_records", recordsCall, `{"data":[],`, `"k%d":0`, `}`, ",", true},
	{"numbers in a row", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":[`, `1`, `]}}]}`, ",", false},
	{
		"objects in a row", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":[`, `{"b":{"c":{}}}`,
		`]}}]}`, ",", false,
	},
	{
		"children of a row", "query_records", recordsCall, `{"data":[{"id":"1","data":{},"expanded":{"r":{"data":[`,
		`{"id":"%d"}`, `]}}}]}`, ",", false,
	},
	{"long string", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":"`, `word %d `, `"}}]}`, "", false},
	{
		"escaped string", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":"`, `\u0001\n\ud83d\ude00`,
		`"}}]}`, "", false,
	},
	{"long number", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":`, `1`, `}}]}`, "", false},
	{"long name", "query_records", recordsCall, `{"data":[{"id":"1","data":{"`, `n`, `":1}}]}`, "", false},
	{"depth", "query_records", recordsCall, `{"data":[{"id":"1","data":{"a":`, `[`, ``, "", true},
	{"warnings", "query_records", recordsCall, `{"data":[],"meta":{"warnings":[`, `{"code":"w%d"}`, `]}}`, ",", true},
	{"white space", "query_records", recordsCall, `{"data":[ `, "\n", `]}`, "", false},
	{"empty hits", "search", searchCall, `{"data":[`, `{}`, `]}`, ",", true},
	{"hits", "search", searchCall, `{"data":[`, `{"stream":"s","id":"%d"}`, `]}`, ",", true},
	{
		"fields of a hit", "search", searchCall, `{"data":[{"stream":"s","record_key":"1","matched_fields":[`, `"f%d"`,
		`]}]}`, ",", false,
	},
	{"keys of a hit", "search", searchCall, `{"data":[{"stream":"s","record_key":"1",`, `"k%d":{}`, `}]}`, ",", true},
	{"groups", "aggregate", groupsCall, `{"metric":"count","groups":[`, `{"key":"%d","count":1}`, `]}`, ",", true},
	{"empty groups", "aggregate", groupsCall, `{"metric":"count","groups":[`, `{}`, `]}`, ",", true},
	{"fields of a record", "fetch", fetchCall, `{"id":"1","stream":"s","data":{`, `"k%d":0`, `}}`, ",", true},
	{"text of a record", "fetch", fetchCall, `{"id":"1","stream":"s","data":{"body":"`, `word %d `, `"}}`, "", false},
	{"connectors", "schema", `{}`, `{"connectors":[`, `{}`, `]}`, ",", true},
	{"streams", "schema", `{}`, `{"connectors":[{"connector_key":"c","streams":[`, `{"name":"s%d"}`, `]}]}`, ",", true},
	{"names of streams", "schema", `{}`, `{"streams":[`, `"s%d"`, `]}`, ",", true},
	{
		"connections", "schema", `{}`, `{"connectors":[{"connector_key":"c","granted_connections":[`,
		`{"connection_id":"c%d"}`, `],"streams":[{"name":"s"}]}]}`, ",", true,
	},
	{
		"fields of a stream", "schema", schemaCall,
		`{"connectors":[{"connector_key":"c","streams":[{"name":"s","field_capabilities":{`, `"f%d":{}`, `}}]}]}`, ",", true,
	},
	{
		"relations of a stream", "schema", schemaCall,
		`{"connectors":[{"connector_key":"c","streams":[{"name":"s","expand_capabilities":[`, `{"name":"r%d"}`,
		`]}]}]}`, ",", false,
	},
}

// body returns the shape in about so many bytes.
func (s shape) body(size int) []byte {
	var out bytes.Buffer
	out.WriteString(s.before)
	for i := 0; out.Len()+len(s.after) < size; i++ {
		if i > 0 {
			out.WriteString(s.separator)
		}
		if strings.Contains(s.repeat, "%d") {
			fmt.Fprintf(&out, s.repeat, i)
		} else {
			out.WriteString(s.repeat)
		}
	}
	out.WriteString(s.after)
	return out.Bytes()
}

// answering is a transport that answers every request with a body. It calls arrived, which may be nil, at the end of
// each body.
type answering struct {
	body    []byte
	arrived func()
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.MultiReader(bytes.NewReader(a.body), end(a.arrived))
	return &http.Response{StatusCode: http.StatusOK, ContentLength: int64(len(a.body)), Body: io.NopCloser(body)}, nil
}

// end is the end of a body.
type end func()

func (e end) Read([]byte) (int, error) {
	if e != nil {
		e()
	}
	return 0, io.EOF
}

// reader returns one grant, or a package of two.
func reader(t testing.TB, transport answering, isPackage bool) rs.Reader {
	t.Helper()
	client, err := rs.NewClient(rs.Options{
		BaseURL: "https://rs.test", Bearer: rs.NewSecret("bearer-of-a-shape-test"),
		Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !isPackage {
		return client
	}
	var sources []fanout.Source
	for _, id := range []string{"cin_1", "cin_2"} {
		sources = append(sources, fanout.Source{GrantID: "grt_" + id, ConnectionID: id, Reader: client})
	}
	return fanout.New(sources, fanout.Options{ProviderURL: "https://rs.test"})
}

func (s shape) call(ctx context.Context, with rs.Reader) error {
	_, err := definitionOf(s.tool).Run(ctx, tool.Env{RS: with}, json.RawMessage(s.arguments))
	return err
}

func definitionOf(name string) tool.Definition {
	tools := gen.Surface().Tools
	return tools[slices.IndexFunc(tools, func(d tool.Definition) bool { return d.Name == name })]
}

// heap returns the bytes of the objects in the heap.
func heap() int64 { return read("/memory/classes/heap/objects:bytes") }

// allocated returns the bytes of all objects that the process has allocated so far.
func allocated() int64 { return read("/gc/heap/allocs:bytes") }

func read(metric string) int64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// cost is the cost of calls: time, processor time of the process, and the largest growth of the heap in bytes.
type cost struct {
	time, processor time.Duration
	peak            int64
}

// measured runs calls at once and returns their cost and the error of the first one.
func measured(calls int, call func() error) (used cost, err error) {
	runtime.GC()
	before := heap()
	done, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			used.peak = max(used.peak, heap()-before)
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	errs := make([]error, calls)
	started, spent := time.Now(), timetest.Spent()
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() { errs[i] = call() })
	}
	all.Wait()
	took, processor := time.Since(started), timetest.Spent()-spent
	close(done)
	<-sampled
	return cost{took, processor, used.peak}, errs[0]
}

// most returns the number of bytes of memory that an answer may take (R-ERR-9).
func most(size int64) int64 { return 8*size + 8<<20 }

func codeOf(err error) string {
	var failure *rs.Failure
	if errors.As(err, &failure) {
		return string(failure.Reason)
	}
	return tool.Outcome(err)
}

// R-ERR-9: whatever its shape, an answer of a megabyte takes at most 8 times its bytes and 8 MiB, and too many rows or
// members are refused. The same holds for a package, which reads two such answers.
func TestShapesAreBounded(t *testing.T) {
	timetest.WithoutRace(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // garbage counts as little as possible
	const size = 1 << 20
	for _, each := range shapes {
		body := each.body(size)
		used, err := measured(1, func() error { return each.call(t.Context(), reader(t, answering{body: body}, false)) })
		if each.isRefused != (codeOf(err) == string(rs.InvalidResponse)) {
			t.Errorf("%s: %v", each.name, err)
		}
		if used.peak > most(size) || used.processor > 5*time.Second {
			t.Errorf("%s: %d kB in %s", each.name, used.peak>>10, used.processor)
		}
		t.Logf("%s: %d kB in %s, %s", each.name, used.peak>>10, used.processor, codeOf(err))
		if each.tool != "search" && each.tool != "schema" {
			continue
		}
		used, _ = measured(1, func() error { return each.call(t.Context(), reader(t, answering{body: body}, true)) })
		if used.peak > 2*most(size) || used.processor > 10*time.Second {
			t.Errorf("%s of a package: %d kB in %s", each.name, used.peak>>10, used.processor)
		}
	}
}

// R-ERR-9: a call whose context ends when its answer has arrived ends without more work. It allocates little more than
// the answer has bytes, and uses a second of processor time at most, however long it waits for the processor.
func TestShapesEndWithTheirCall(t *testing.T) {
	timetest.WithoutRace(t)
	const size = 1 << 20
	for _, each := range shapes {
		ctx, cancel := context.WithCancel(t.Context())
		var before, spent atomic.Int64
		arrived := func() {
			cancel()
			before.Store(allocated())
			spent.Store(int64(timetest.Spent()))
		}
		_ = each.call(ctx, reader(t, answering{each.body(size), arrived}, false))
		more, processor := allocated()-before.Load(), timetest.Spent()-time.Duration(spent.Load())
		if spent.Load() == 0 || more > size+64<<10 || processor > time.Second {
			t.Errorf("%s: after its end the call allocated %d kB and used %s of processor time", each.name, more>>10, processor)
		}
	}
}

// BenchmarkShapes measures every shape by size, for one call and for eight at once:
//
//	go test -run '^$' -bench Shapes -benchtime 1x ./e2e/shapes
func BenchmarkShapes(b *testing.B) {
	for _, each := range shapes {
		for _, size := range []int{300_000, 3_000_000, 15_000_000} {
			body := each.body(size)
			for _, calls := range []int{1, 8} {
				b.Run(fmt.Sprintf("%s/%dkB/%d", strings.ReplaceAll(each.name, " ", "_"), size/1000, calls), func(b *testing.B) {
					var used cost
					for b.Loop() {
						used, _ = measured(calls, func() error {
							ctx, cancel := context.WithTimeout(b.Context(), 25*time.Second)
							defer cancel()
							return each.call(ctx, reader(b, answering{body: body}, false))
						})
					}
					b.ReportMetric(float64(used.time.Milliseconds()), "ms")
					b.ReportMetric(float64(used.peak)/1e6, "MB")
				})
			}
		}
	}
}
