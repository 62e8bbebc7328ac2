// Package chart_test holds the Helm chart to the programs that use it: helm renders it, the types of the Kubernetes API and of
// the Prometheus operator decode what it renders, and Prometheus' parser reads its expressions. It is a module of its own,
// so that none of their modules are the server's. `make chart` runs it.
package chart_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
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

// helmProgram builds helm at the version of go.mod, if it has not been built, and returns its path.
var helmProgram = sync.OnceValues(func() (string, error) {
	printed, err := exec.Command("go", "tool", "-n", "helm").Output()
	return strings.TrimSpace(string(printed)), err
})

// helm runs the program. Without a cluster it asks for the oldest version that the chart accepts.
func helm(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	program, err := helmProgram()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, arguments...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		return stderr.String(), err
	}
	return string(printed), nil
}

func render(t *testing.T, release, values string, settings ...string) (string, error) {
	t.Helper()
	return helm(t, append([]string{
		"template", release, chart, "--namespace", "pdpp-mcp", "--kube-version", "1.23", "--values", values,
	}, settings...)...)
}

// Covers R-OPS-4: helm finds nothing to say about the chart, with the least that it needs and with everything.
func TestLint(t *testing.T) {
	for _, values := range []string{plain, everything} {
		if printed, err := helm(t, "lint", chart, "--strict", "--values", values); err != nil {
			t.Errorf("%s: %v\n%s", values, err, printed)
		}
	}
}

// The plain manifests are the chart, rendered. The tests of packaging start the server as they say.
func TestPlainManifests(t *testing.T) {
	for file, settings := range map[string][]string{
		"../../kubernetes/pdpp-mcp.yaml":      nil,
		"../../kubernetes/pdpp-mcp-otel.yaml": {"--values", telemetry},
	} {
		rendered, err := render(t, "pdpp-mcp", plain, settings...)
		if err != nil {
			t.Fatal(err, rendered)
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
		printed, err := render(t, "pdpp-mcp", plain, "--set", test.setting)
		if err == nil || !strings.Contains(printed, test.says) || strings.Contains(printed, "planted-secret") {
			t.Errorf("--set %s: %v\n%s", test.setting, err, printed)
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
