package packaging_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Covers R-OPS-4: the server starts with what the chart renders, answers the chart's probes and a call, and shows its
// metrics at the port that the chart declares for Prometheus. With a collector, the program of the other image sends it
// traces.
func TestTheChartIsServed(t *testing.T) {
	for _, manifests := range []string{plainManifests, tracingManifests} {
		t.Run(manifests, func(t *testing.T) {
			collector := newCollector(t)
			provider, pod := newProvider(t), readPod(t, manifests)
			server := startReplica(t, "served", pod, provider, "https://mcp.pdpp.example", collector.URL, "--drain-delay", "0s")
			at := map[string]*url.URL{"http": server.url, "metrics": server.metrics}
			for _, probe := range []probe{pod.Startup, pod.Liveness, pod.Readiness} {
				if status, body := got(t, at[probe.Get.Port], probe.Get.Path); status != http.StatusOK {
					t.Errorf("the probe %s gets %d %s", probe.Get.Path, status, body)
				}
			}
			session := dial(t, server.url.String(), provider.Tokens()["package"], new(atomic.Int64))
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "schema"})
			if err != nil || result.IsError {
				t.Fatalf("%v %+v", err, result)
			}
			if port := pod.annotations["prometheus.io/port"]; pod.annotations["prometheus.io/scrape"] != "true" ||
				port != pod.port(t, "metrics") {
				t.Errorf("Prometheus reads port %q", port)
			}
			if status, body := got(t, server.metrics, "/metrics"); status != http.StatusOK ||
				!strings.Contains(body, `pdpp_mcp_calls_total{tool="schema",code="ok"} 1`) {
				t.Errorf("the metrics are %d\n%s", status, body)
			}
			if err := server.command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			<-server.ended
			if traced := manifests == tracingManifests; collector.cameAt("/v1/traces") != traced {
				t.Errorf("traces came: %t, want %t", !traced, traced)
			}
		})
	}
}

func got(t *testing.T, origin *url.URL, path string) (status int, body string) {
	t.Helper()
	response, err := http.Get(origin.JoinPath(path).String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// collector takes all that is sent over OTLP, and remembers where it came.
type collector struct {
	*httptest.Server
	paths sync.Map
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { c.paths.Store(r.URL.Path, true) }))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) cameAt(path string) bool {
	_, came := c.paths.Load(path)
	return came
}
