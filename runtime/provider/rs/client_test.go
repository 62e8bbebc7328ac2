package rs_test

import (
	"compress/gzip"
	"net/http"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func TestGetSendsTheRequestAsItWasBuilt(t *testing.T) {
	client, requests := serve(t, body(`{"object":"list"}`))
	var query rs.Query
	query.Set("view", "compact")
	query.BracketFilter("filter", rs.Filter{{Field: "size", Operator: "gte", Value: "1.10"}})
	path := rs.JoinPath("v1", "streams", "a b", "records", `["user_123","2026-04-01"]`)
	response, err := client.Get(t.Context(), rs.Request{Path: path, Query: query})
	if err != nil {
		t.Fatal(err)
	}
	const target = "/v1/streams/a%20b/records/%5B%22user_123%22%2C%222026-04-01%22%5D?view=compact&filter%5Bsize%5D%5Bgte%5D=1.10"
	request := requests.all()[0]
	if request.RequestURI != target {
		t.Errorf("the RS saw %s, want %s", request.RequestURI, target)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + bearer,
		"Accept":        "application/json",
		"User-Agent":    "pdpp-mcp",
		"PDPP-Version":  "", // an RS refuses unknown versions
	} {
		if got := request.Header.Get(name); got != want {
			t.Errorf("the RS saw %s: %q, want %q", name, got, want)
		}
	}
	if want := "http://" + request.Host + target; response.URL != want {
		t.Errorf("URL = %s, want %s", response.URL, want)
	}
}

func TestGetWithoutQuery(t *testing.T) {
	client, requests := serve(t, body(`{}`))
	if _, err := client.Get(t.Context(), rs.Request{Path: rs.JoinPath("v1", "schema")}); err != nil {
		t.Fatal(err)
	}
	if got := requests.all()[0].RequestURI; got != "/v1/schema" {
		t.Errorf("the RS saw %s", got)
	}
}

func TestGetKeepsTheBodyByteForByte(t *testing.T) {
	const sent = "\n {\"n\": 12345678901234567890, \"f\":1.10,\"é\":\"\\u00e9 <b>\"} "
	client, _ := serve(t, body(sent))
	response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	if err != nil {
		t.Fatal(err)
	}
	if string(response.Body()) != sent {
		t.Errorf("body = %q", response.Body())
	}
}

func TestGetReadsGzip(t *testing.T) {
	client, requests := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Encoding", "gzip")
		compressor := gzip.NewWriter(writer)
		_, _ = compressor.Write([]byte(`{"object":"list"}`))
		_ = compressor.Close()
	})
	for range 2 { // the second one may reuse a decompressor
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
		if err != nil {
			t.Fatal(err)
		}
		if string(response.Body()) != `{"object":"list"}` {
			t.Errorf("body = %s", response.Body())
		}
	}
	if got := requests.all()[0].Header.Get("Accept-Encoding"); got != "gzip" {
		t.Errorf("Accept-Encoding = %q", got)
	}
}

func TestGetReadsTheRequestID(t *testing.T) {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
			writer.Header().Set(name, "req_1")
			_, _ = writer.Write([]byte(`{}`))
		})
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
		if err != nil {
			t.Fatal(err)
		}
		if response.RequestID != "req_1" {
			t.Errorf("%s: request id = %q", name, response.RequestID)
		}
	}
}

func TestBaseURLWithPath(t *testing.T) {
	client, requests := serve(t, body(`{}`), func(options *rs.Options) { options.BaseURL += "/pdpp/" })
	if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil {
		t.Fatal(err)
	}
	if got := requests.all()[0].RequestURI; got != "/pdpp/v1/schema" {
		t.Errorf("the RS saw %s", got)
	}
}

// R-HOST-5: clients of one transport keep their bearers apart.
func TestClientsOnOneTransportAreConcurrentlyUsable(t *testing.T) {
	client, _ := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		_, _ = writer.Write([]byte(`{"stream":"` + request.URL.Query().Get("stream") + `"}`))
	})
	var group sync.WaitGroup
	for _, stream := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		group.Go(func() {
			var query rs.Query
			query.Set("stream", stream)
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema", Query: query})
			if err != nil {
				t.Error(err)
				return
			}
			if want := `{"stream":"` + stream + `"}`; string(response.Body()) != want {
				t.Errorf("body = %s, want %s", response.Body(), want)
			}
		})
	}
	group.Wait()
}

// Options.Header is sent, and does not replace the client's own headers.
func TestGetSendsTheHeaderOfItsOptions(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	header := http.Header{"traceparent": {trace}, "Authorization": {"Bearer another"}, "Accept": {"text/html"}}
	client, requests := serve(t, body(`{}`), func(options *rs.Options) { options.Header = header })
	header.Set("Traceparent", "changed later")
	if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil {
		t.Fatal(err)
	}
	seen := requests.all()[0].Header
	for name, want := range map[string]string{
		"Traceparent": trace, "Authorization": "Bearer " + bearer,
		"Accept": "application/json",
	} {
		if got := seen.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("the RS saw %s: %q, want %q", name, got, want)
		}
	}
}
