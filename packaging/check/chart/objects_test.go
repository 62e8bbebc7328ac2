package chart_test

import (
	"encoding/json"
	"strings"
	"testing"

	operator "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/prometheus/promql/parser"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// everyObject returns what the chart renders with every part on, by kind.
func everyObject(t *testing.T) map[string][]runtime.Object {
	t.Helper()
	rendered, err := render(chart, "production", []string{everything})
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := objects(rendered)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string][]runtime.Object)
	for _, object := range decoded {
		kind := object.GetObjectKind().GroupVersionKind().Kind
		kinds[kind] = append(kinds[kind], object)
	}
	return kinds
}

// Covers R-OPS-4: every object that the chart can render is one of its API, and a misspelt member would be seen.
func TestObjects(t *testing.T) {
	kinds := everyObject(t)
	for kind, count := range map[string]int{
		"Deployment": 1, "Service": 1, "HorizontalPodAutoscaler": 1, "PodDisruptionBudget": 1, "NetworkPolicy": 1, "Ingress": 1,
		"ConfigMap": 2, "PodMonitor": 1, "PrometheusRule": 1,
	} {
		if len(kinds[kind]) != count {
			t.Errorf("%d of kind %s, want %d", len(kinds[kind]), kind, count)
		}
		delete(kinds, kind)
	}
	for kind := range kinds { // a Secret would be one
		t.Errorf("the chart renders a %s", kind)
	}
	rendered, err := render(chart, "production", []string{everything})
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"readinessProbe", "maxReplicas", "readOnlyRootFilesystem", "podMetricsEndpoints", "runbook_url"} {
		if _, err := objects(strings.ReplaceAll(rendered, member, "x"+member)); (err == nil) != (member == "runbook_url") {
			t.Errorf("with x%s: %v", member, err)
		}
	}
}

// Covers R-OPS-4: the pod has no more rights than the server needs: no root, no writing, no token of the cluster. It
// has probes, time to drain, and a secret by reference.
func TestPod(t *testing.T) {
	kinds := everyObject(t)
	pod := kinds["Deployment"][0].(*apps.Deployment).Spec.Template.Spec
	container := pod.Containers[0]
	egress := kinds["NetworkPolicy"][0].(*networking.NetworkPolicy).Spec.Egress[0].Ports
	for promise, kept := range map[string]bool{
		"no root":             *pod.SecurityContext.RunAsNonRoot && *pod.SecurityContext.RunAsUser > 0,
		"no writing":          *container.SecurityContext.ReadOnlyRootFilesystem,
		"no more privileges":  !*container.SecurityContext.AllowPrivilegeEscalation && container.SecurityContext.Capabilities.Drop[0] == "ALL",
		"no token":            !*pod.AutomountServiceAccountToken,
		"system calls":        pod.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
		"up":                  container.LivenessProbe.HTTPGet.Path == "/healthz" && container.StartupProbe.HTTPGet.Path == "/healthz",
		"ready":               container.ReadinessProbe.HTTPGet.Path == "/readyz",
		"time to drain":       *pod.TerminationGracePeriodSeconds > 40,
		"bounds":              !container.Resources.Limits.Memory().IsZero() && !container.Resources.Requests.Cpu().IsZero(),
		"metrics":             container.Ports[1].Name == *kinds["PodMonitor"][0].(*operator.PodMonitor).Spec.PodMetricsEndpoints[0].Port,
		"traces":              strings.Contains(container.Image, "pdpp-mcp-otel@") && container.Env[1].Name == "OTEL_EXPORTER_OTLP_ENDPOINT",
		"a way for them":      egress[len(egress)-1].Port.IntValue() == 4318,
		"a place for PDFium":  container.Env[0].Name == "XDG_CACHE_HOME" && container.Env[0].Value == container.VolumeMounts[2].MountPath && pod.Volumes[2].EmptyDir != nil,
		"secret by reference": pod.Volumes[1].Secret.SecretName == "authorization" && pod.Volumes[1].Secret.Items[0].Key == "introspection",
	} {
		if !kept {
			t.Errorf("not kept: %s", promise)
		}
	}
}

// Covers R-OPS-4: Prometheus can read the expressions of the alerts and of the dashboard.
func TestExpressions(t *testing.T) {
	kinds := everyObject(t)
	var expressions []string
	for _, group := range kinds["PrometheusRule"][0].(*operator.PrometheusRule).Spec.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr.String())
		}
	}
	alerts := len(expressions)
	for _, object := range kinds["ConfigMap"] {
		for name, text := range object.(*core.ConfigMap).Data {
			if strings.HasSuffix(name, ".json") {
				expressions = append(expressions, panels(t, text)...)
			}
		}
	}
	if alerts == 0 || len(expressions) == alerts {
		t.Fatalf("%d alerts, %d expressions", alerts, len(expressions))
	}
	reader := parser.NewParser(parser.Options{})
	for _, expression := range expressions {
		if _, err := reader.ParseExpr(strings.ReplaceAll(expression, "$__rate_interval", "5m")); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func panels(t *testing.T, dashboard string) (expressions []string) {
	t.Helper()
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal([]byte(dashboard), &board); err != nil {
		t.Fatal(err)
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}
