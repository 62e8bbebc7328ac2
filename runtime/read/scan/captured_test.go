package scan_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// refusing answers a first request for records with a capture and each later one with nothing found, and keeps what it
// was asked for. It has neither schema nor metadata.
type refusing struct {
	mu      sync.Mutex
	capture *http.Response
	body    string
	asked   []string
}

func (r *refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	isAboutRecords := request.URL.Path != "/v1/schema" && !strings.HasPrefix(request.URL.Path, "/.well-known/")
	if isAboutRecords {
		r.asked = append(r.asked, request.URL.Path+"?"+request.URL.RawQuery)
	}
	response := &http.Response{
		StatusCode: http.StatusNotFound, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(`{}`)), Request: request,
	}
	if isAboutRecords && len(r.asked) == 1 {
		response.StatusCode, response.Body = r.capture.StatusCode, io.NopCloser(strings.NewReader(r.body))
	}
	return response, nil
}

// captured reads the response of a capture.
func captured(t *testing.T, name string) *refusing {
	t.Helper()
	files, _ := filepath.Glob("../../../sandbox/testdata/captures/" + name + "-*.txt")
	if len(files) != 1 {
		t.Fatalf("%d captures are named %s", len(files), name)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, answered, _ := strings.Cut(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n---\n\n")
	head, body, _ := strings.Cut(answered, "\n\n")
	status, err := strconv.Atoi(strings.Fields(head)[1])
	if err != nil {
		t.Fatal(err)
	}
	return &refusing{capture: &http.Response{StatusCode: status}, body: body}
}

// R-SCAN-1, R-SCAN-3, R-SCAN-4, R-SCAN-5: which refusals of real servers lead to a reading, and which are the answer.
func TestRefusalsOfRealServers(t *testing.T) {
	const (
		filtered = `{"stream":"samples","filter":{"kind":"a"}}`
		counted  = `{"stream":"samples","metric":"count","filter":{"kind":"a"}}`
		searched = `{"q":"second","streams":["samples"],"filter":{"kind":"a"}}`
	)
	for capture, test := range map[string]struct {
		tool, arguments string
		reads           bool
	}{
		"042":  {"query_records", filtered, true},
		"800":  {"query_records", filtered, true},
		"800b": {"query_records", `{"stream":"samples","filter":{"at":{"gte":"2026-03-02"}}}`, true},
		"800c": {"query_records", `{"stream":"samples","filter":{"nope":1}}`, true},
		"800d": {"query_records", `{"stream":"samples","filter":{"kind":"a"},"cursor":"garbage"}`, false},
		"800i": {"query_records", `{"stream":"samples","filter":{"kind":"a"},"sort":"nope"}`, true},
		"800g": {"query_records", filtered, false},
		"800h": {"query_records", filtered, false},
		"800j": {"query_records", filtered, false},
		"803i": {"query_records", filtered, false},
		"045":  {"query_records", filtered, false},
		"046":  {"query_records", filtered, false},
		"755":  {"query_records", filtered, false},
		"803c": {"query_records", `{"stream":"samples","fields":["nope"],"sort":"qty"}`, false},
		"035b": {"query_records", `{"stream":"samples","sort":"-qty"}`, true},
		"804b": {"query_records", `{"stream":"samples","sort":"qty"}`, true},
		"810i": {"aggregate", counted, true},
		"810c": {"aggregate", `{"stream":"samples","metric":"sum","field":"plain_num"}`, true},
		"810f": {"aggregate", `{"stream":"samples","metric":"count","group_by":"code"}`, true},
		"810k": {"aggregate", `{"stream":"samples","metric":"count"}`, true},
		"783":  {"aggregate", `{"stream":"samples","metric":"sum","field":"qty","group_by":"kind"}`, true},
		"785": {
			"aggregate",
			`{"stream":"samples","metric":"count","group_by":"kind","group_by_time":"at","granularity":"day"}`, true,
		},
		"781g": {"aggregate", `{"stream":"samples","metric":"sum","field":"nope"}`, false},
		"142":  {"search", searched, true},
		"815":  {"search", searched, true},
		"789b": {"search", `{"q":"second","filter":{"kind":"a"}}`, false},
	} {
		t.Run(capture, func(t *testing.T) {
			server := captured(t, capture)
			client, err := rs.NewClient(rs.Options{
				BaseURL: provider, Bearer: rs.NewSecret("a-token-of-sixteen"),
				Transport: server,
			})
			if err != nil {
				t.Fatal(err)
			}
			env := tool.Env{RS: client, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
			if result, err := definition(test.tool).Run(t.Context(), env, json.RawMessage(test.arguments)); err == nil {
				t.Fatalf("it is answered: %s", result.Text)
			}
			reads := false
			for _, asked := range server.asked[1:] {
				path, query, _ := strings.Cut(asked, "?")
				isPage := strings.HasSuffix(path, "/records") || strings.HasSuffix(path, "/search")
				reads = reads || isPage && !strings.Contains(query, "filter")
			}
			if reads != test.reads {
				t.Errorf("after its refusal it asked for %q", server.asked[1:])
			}
		})
	}
}
