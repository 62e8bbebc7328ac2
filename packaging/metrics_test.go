package packaging_test

import (
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
)

// Covers R-OPS-4: the alerts and the dashboard ask for metrics and labels that the server shows, and the dashboard for
// all counters and histograms of its calls.
func TestMonitoringAsksForWhatIsServed(t *testing.T) {
	served := servedMetrics()
	asked := make(map[string]bool)
	use := regexp.MustCompile(`(pdpp_mcp_\w+)(?:\{([^}]*)\})?`)
	grouped := regexp.MustCompile(`by \(([^)]*)\)`)
	for _, file := range []string{"chart/files/alerts.yaml", "chart/files/dashboard.json"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(string(content), `\"`, `"`)) {
			for _, found := range use.FindAllStringSubmatch(line, -1) {
				name := found[1]
				asked[name] = true
				labels := served[name]
				if labels == "" {
					t.Errorf("%s asks for %s, which is not served", file, name)
				}
				named := labelNames(found[2])
				if by := grouped.FindStringSubmatch(line); by != nil {
					named = append(named, strings.Split(by[1], ", ")...)
				}
				for _, label := range named {
					if !strings.Contains(labels, " "+label+" ") {
						t.Errorf("%s asks for %s by %s, which has%s", file, name, label, labels)
					}
				}
			}
		}
	}
	for name := range served {
		if (strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_bucket")) && !asked[name] {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// servedMetrics returns the label names, each between spaces, of every metric of the server that has counted
// everything.
func servedMetrics() map[string]string {
	counted := prometheus.New()
	counted.Request("/mcp", 200, time.Millisecond)
	counted.Call("a_tool", "ok", time.Millisecond)
	counted.Read(200, time.Millisecond)
	counted.Reading("rows", true, 1)
	counted.Child("answered", time.Millisecond)
	counted.Authorization(auth.CacheHit)
	counted.Version("1.2.3")
	counted.AuditLineLost()
	answer := httptest.NewRecorder()
	counted.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	served := make(map[string]string)
	for _, line := range regexp.MustCompile(`(?m)^(pdpp_mcp_\w+)(?:\{(.*)\})? `).FindAllStringSubmatch(
		answer.Body.String(), -1) {
		served[line[1]] = " " + strings.Join(labelNames(line[2]), " ") + " "
	}
	return served
}

func labelNames(pairs string) (names []string) {
	for _, pair := range regexp.MustCompile(`(\w+)[=!]`).FindAllStringSubmatch(pairs, -1) {
		names = append(names, pair[1])
	}
	return names
}
