// Package chart_test checks the Helm chart with the code of the programs that use it. Helm's packages lint and render it, the types
// of the Kubernetes API and of the Prometheus operator decode the result, and Prometheus' parser reads its expressions. The
// package is a separate module, which keeps their dependencies out of the server's. `make chart` runs it.
package chart_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	operator "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	chart      = "../../chart"
	plain      = "../../kubernetes/values.yaml"
	telemetry  = "../../kubernetes/telemetry.yaml"
	everything = "testdata/everything.yaml"
)

var update = flag.Bool("update", false, "write the plain manifests as the chart renders them")

// Covers R-OPS-4: helm finds nothing to say about the chart, with the least that it needs and with everything.
func TestLint(t *testing.T) {
	for _, values := range []string{plain, everything} {
		if err := lintChart(chart, values); err != nil {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// The plain manifests are the chart, rendered. The tests of packaging start the server as they say.
func TestPlainManifests(t *testing.T) {
	for file, values := range map[string][]string{
		"../../kubernetes/pdpp-mcp.yaml":      {plain},
		"../../kubernetes/pdpp-mcp-otel.yaml": {plain, telemetry},
	} {
		rendered, err := render(chart, "pdpp-mcp", values)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, []byte(rendered), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if rendered != string(written) {
			t.Errorf("%s is not what the chart renders; run the test with -update when this is meant", file)
		}
	}
}

// Covers R-OPS-4: what cannot work is refused before it reaches a cluster, by the name of what is wrong.
func TestRefusedValues(t *testing.T) {
	for _, test := range []struct{ setting, says string }{
		{"config.provider-url=null", "provider-url"},
		{"config.listen=127.0.0.1:1", "listen"},
		{"config.rs-timeout=soon", "rs-timeout"},
		{"config.introspection-client-secret=planted-secret", "introspection-client-secret"},
		{"introspectionSecret.value=planted-secret", "introspectionSecret"},
		{"replicas.min=0", "replicas"},
		{"networkpolicy.enabled=false", "networkpolicy"},
		{"telemetry.endpoint=http://collector", "telemetry/endpoint"}, // the network policy needs the port
		{"env[0].name=OTEL_SERVICE_NAME", "telemetry.endpoint is not set"},
	} {
		_, err := render(chart, "pdpp-mcp", []string{plain}, test.setting)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "planted-secret") {
			t.Errorf("%s: %v", test.setting, err)
		}
	}
}

// objects decodes what the chart renders. A member that a type does not have, or has twice, is an error, and so is one that it
// lacks.
func objects(rendered string) (decoded []runtime.Object, err error) {
	known := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(known), operator.AddToScheme(known)); err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(rendered)))
	defer documents.Close()
	for buffer := make([]byte, len(rendered)+1); ; {
		length, err := documents.Read(buffer)
		if err == io.EOF {
			return decoded, nil
		} else if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(buffer[:length], nil, nil)
		if err != nil {
			return nil, err
		}
		var written any
		if err := yaml.Unmarshal(buffer[:length], &written); err != nil {
			return nil, err
		}
		if lost := missing(written, reflect.TypeOf(object), object.GetObjectKind().GroupVersionKind().Kind); lost != nil {
			return nil, fmt.Errorf("missing %v", lost)
		}
		decoded = append(decoded, object)
	}
}
