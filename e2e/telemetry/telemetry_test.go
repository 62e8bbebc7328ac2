package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
)

const (
	traceOfMeta   = "0af7651916cd43dd8448eb211c80319c"
	spanOfMeta    = "b7ad6b7169203331"
	traceOfHeader = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanOfHeader  = "00f067aa0ba902b7"
)

// spansOf returns the spans of one call: its own and those of its reads.
func spansOf(t *testing.T, w *watched) (call tracetest.SpanStub, reads tracetest.SpanStubs) {
	t.Helper()
	for _, span := range w.spans.GetSpans() {
		if span.SpanKind == trace.SpanKindServer {
			call = span
			continue
		}
		reads = append(reads, span)
	}
	if len(reads) == 0 || call.Name == "" {
		t.Fatalf("spans: %+v", w.spans.GetSpans())
	}
	return call, reads
}

func attributes(span tracetest.SpanStub) map[string]string {
	all := make(map[string]string, len(span.Attributes))
	for _, each := range span.Attributes {
		all[string(each.Key)] = each.Value.String()
	}
	return all
}

// Covers R-OPS-1: one trace from the client over the adapter to the resource server, with the names of the conventions.
// The message's own parent comes first, and the header of its request is a link then.
func TestOneTrace(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%s"name":"query_records",` +
		`"arguments":{"stream":"messages","limit":1}}}`
	inMeta := fmt.Sprintf(`"_meta":{"traceparent":"00-%s-%s-01"},`, traceOfMeta, spanOfMeta)
	inHeader := []string{"Traceparent", "00-" + traceOfHeader + "-" + spanOfHeader + "-01"}
	for name, test := range map[string]struct {
		meta        string
		header      []string
		trace, span string
		links       int
	}{
		"in the message":          {inMeta, nil, traceOfMeta, spanOfMeta, 0},
		"in the header":           {"", inHeader, traceOfHeader, spanOfHeader, 0},
		"in both":                 {inMeta, inHeader, traceOfMeta, spanOfMeta, 1},
		"malformed in the header": {inMeta, []string{"Traceparent", "00-" + planted}, traceOfMeta, spanOfMeta, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			w.post(t, fmt.Sprintf(call, test.meta), append(slices.Clone(test.header), "Request-Id", "req_of_a_test")...)
			span, reads := spansOf(t, w)
			if span.SpanContext.TraceID().String() != test.trace || span.Parent.SpanID().String() != test.span ||
				len(span.Links) != test.links {
				t.Errorf("the call's span is %s of %s with %d links", span.Parent.SpanID(),
					span.SpanContext.TraceID(), len(span.Links))
			}
			got := attributes(span)
			for key, want := range map[string]string{
				"mcp.method.name": "tools/call", "gen_ai.tool.name": "query_records", "gen_ai.operation.name": "execute_tool",
				"network.transport": "tcp", "jsonrpc.request.id": "7", "pdpp.request_id": "req_of_a_test",
			} {
				if got[key] != want {
					t.Errorf("%s is %q, want %q", key, got[key], want)
				}
			}
			if span.Name != "tools/call query_records" {
				t.Errorf("the span is named %q", span.Name)
			}
			read := reads[0]
			if read.Parent.SpanID() != span.SpanContext.SpanID() || read.Name != "GET /v1/streams/{stream}/records" ||
				attributes(read)["http.response.status_code"] != "200" {
				t.Errorf("the read's span: %+v", read)
			}
			seen := w.taken()[0].Get("Traceparent")
			if want := "00-" + test.trace + "-" + read.SpanContext.SpanID().String() + "-01"; seen != want {
				t.Errorf("the resource server saw %q, want %q", seen, want)
			}
			if said := `"trace_id":"` + test.trace + `","request_id":"req_of_a_test"`; !strings.Contains(w.log.String(), said) {
				t.Errorf("the line of the slow call lacks %s: %s", said, w.log)
			}
		})
	}
}

// Covers R-OPS-1: a call that fails is an error of a tool, and the histogram counts it as one.
func TestFailedCall(t *testing.T) {
	w := watch(t)
	w.post(t, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"`+
		planted+`"}}}`)
	span, reads := spansOf(t, w)
	if got := attributes(span); got["error.type"] != "tool_error" || got["pdpp.outcome"] != "rs_404" ||
		attributes(reads[0])["error.type"] != "404" {
		t.Errorf("%v, %v", got, attributes(reads[0]))
	}
	var collected metricdata.ResourceMetrics
	if err := w.metrics.Collect(context.Background(), &collected); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, scope := range collected.ScopeMetrics {
		for _, metric := range scope.Metrics {
			for _, point := range metric.Data.(metricdata.Histogram[float64]).DataPoints {
				failed, _ := point.Attributes.Value(attribute.Key("error.type"))
				counts[metric.Name+" "+failed.String()] += point.Count
			}
		}
	}
	if counts["mcp.server.operation.duration tool_error"] != 1 || counts["http.client.request.duration 404"] == 0 {
		t.Errorf("%v", counts)
	}
}

// Covers R-OPS-1 and R-OPS-2: after thousands of calls of every tool, right and wrong ones, whose arguments, records
// and token hold a planted secret, it is in no span, metric, audit line or log line.
func TestPlantedSecrets(t *testing.T) {
	w := watch(t)
	arguments := map[string][]string{
		"schema": {`{}`, `{"stream":"messages"}`, `{"stream":"%s"}`, `{"connection_id":"%s"}`},
		"query_records": {
			`{"stream":"messages"}`, `{"stream":"messages","fields":["body","%s"]}`,
			`{"stream":"messages","cursor":"%s"}`, `{"stream":"%s"}`, `{"stream":"messages","connection_id":"%s"}`,
			`{"stream":"messages","filter":{"%s":"x"}}`, `{"stream":"messages","filter":{"body":"%s"}}`,
			`{"stream":"messages","sort":"%s"}`,
		},
		"aggregate": {
			`{"stream":"messages","metric":"count","group_by":"body"}`,
			`{"stream":"messages","metric":"count","group_by":"%s"}`, `{"stream":"messages","metric":"%s"}`,
		},
		"search": {`{"q":"%s"}`, `{"q":"%s","streams":["%s"]}`, `{"q":"%s","connection_id":"%s"}`},
		"fetch":  {`{"id":"cin_1/messages:%s"}`, `{"id":"%s"}`, `{"id":"cin_1/%s:x"}`},
		"read_record_field": {
			`{"id":"cin_1/messages:%s","field_path":"body"}`,
			`{"id":"cin_1/messages:%s","field_path":"%s"}`, `{"id":"cin_1/messages:x","field_path":"body","q":"%s"}`,
		},
	}
	calls := timetest.Draws(10_000)
	right := 0
	for i := range calls {
		definition := gen.Surface().Tools[i%len(gen.Surface().Tools)]
		forms := arguments[definition.Name]
		passed := strings.ReplaceAll(forms[i/len(gen.Surface().Tools)%len(forms)], "%s", planted)
		id := json.RawMessage(fmt.Sprint(i))
		if i%3 == 0 {
			id = json.RawMessage(`"` + planted + fmt.Sprint(i) + `"`)
		}
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"_meta":{"traceparent":"%s",`+
			`"baggage":"a=%s","note":"%s"},"name":%q,"arguments":%s}}`,
			id, planted, planted, planted, definition.Name, passed)
		if !strings.Contains(w.post(t, message, "Traceparent", planted), `"isError":true`) {
			right++
		}
	}
	if right < calls/4 || right > calls*9/10 {
		t.Errorf("%d of %d calls were right", right, calls)
	}
	var collected metricdata.ResourceMetrics
	if err := w.metrics.Collect(context.Background(), &collected); err != nil {
		t.Fatal(err)
	}
	metrics, errMetrics := json.Marshal(collected)
	audited, errAudit := os.ReadFile(w.audit)
	if errMetrics != nil || errAudit != nil || strings.Count(string(audited), "\n") != calls {
		t.Fatalf("%v %v, %d lines", errMetrics, errAudit, strings.Count(string(audited), "\n"))
	}
	spans := w.spans.GetSpans()
	if len(spans) < calls {
		t.Fatalf("%d spans of %d calls", len(spans), calls)
	}
	for place, text := range map[string]string{
		"spans": fmt.Sprintf("%+v", spans), "metrics": string(metrics),
		"audit": string(audited), "log": w.log.String(),
	} {
		if at := strings.Index(text, planted); at >= 0 {
			t.Errorf("the %s hold it: …%s…", place, text[max(0, at-200):at+60])
		}
	}
}
