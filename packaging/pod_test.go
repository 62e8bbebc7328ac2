package packaging_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// The chart, rendered. The tests of packaging/check/chart hold both to it.
const (
	plainManifests   = "kubernetes/pdpp-mcp.yaml"
	tracingManifests = "kubernetes/pdpp-mcp-otel.yaml"
)

// manifest has the members of the rendered objects that say what a pod runs.
type manifest struct {
	Kind string
	Data map[string]string // of a ConfigMap
	Spec struct{ Template podTemplate }
}

type podTemplate struct {
	Metadata struct{ Annotations map[string]string }
	Spec     struct {
		Containers []container
		Volumes    []volume
	}
}

type container struct {
	Image string
	Args  []string
	Env   []struct{ Name, Value string }
	Ports []struct {
		Name string
		Port int `yaml:"containerPort"`
	}
	Startup   probe `yaml:"startupProbe"`
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`
	Mounts    []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	Get struct{ Path, Port string } `yaml:"httpGet"`
}

type volume struct {
	Name      string
	ConfigMap *struct{} `yaml:"configMap"`
	Secret    *struct {
		Items []struct{ Path string }
	}
}

// pod is the pod of the chart's Deployment, with the files that it mounts.
type pod struct {
	container
	annotations map[string]string
	config      map[string]string // the files of the ConfigMap
	volumes     []volume
}

// readPod reads the Deployment and the ConfigMap of rendered manifests.
func readPod(t *testing.T, name string) pod {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var read pod
	for documents := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var object manifest
		if err := documents.Decode(&object); err == io.EOF {
			return read
		} else if err != nil {
			t.Fatal(err)
		}
		switch object.Kind {
		case "ConfigMap":
			read.config = object.Data
		case "Deployment":
			template := object.Spec.Template
			read.container, read.volumes, read.annotations = template.Spec.Containers[0], template.Spec.Volumes, template.Metadata.Annotations
		}
	}
}

// port returns the number of a port of the container, as text.
func (p pod) port(t *testing.T, name string) string {
	t.Helper()
	for _, each := range p.Ports {
		if each.Name == name {
			return strconv.Itoa(each.Port)
		}
	}
	t.Fatalf("the container has no port %s", name)
	return ""
}

// place writes the files that the pod mounts below a folder, and returns its arguments for them. Of the configuration
// file only what differs between a cluster and this machine is replaced: addresses of this machine, and the settings
// that are given.
func (p pod) place(t *testing.T, secret string, settings map[string]string) []string {
	t.Helper()
	folder := t.TempDir()
	var moved []string // from where the pod has it to where it is here
	for _, mount := range p.Mounts {
		moved = append(moved, mount.Path, filepath.Join(folder, mount.Name))
		if err := os.Mkdir(filepath.Join(folder, mount.Name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	here := strings.NewReplacer(moved...)
	for _, each := range p.volumes {
		files := make(map[string]string)
		if each.Secret != nil {
			files[each.Secret.Items[0].Path] = secret
		} else {
			for name, text := range p.config {
				files[name] = p.configured(t, here.Replace(text), settings)
			}
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(folder, each.Name, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	arguments := slices.Clone(p.Args)
	for i := range arguments {
		arguments[i] = here.Replace(arguments[i])
	}
	return arguments
}

// configured returns the configuration file with some settings replaced.
func (p pod) configured(t *testing.T, file string, settings map[string]string) string {
	t.Helper()
	present := make(map[string]string)
	if err := yaml.Unmarshal([]byte(file), &present); err != nil {
		t.Fatal(err)
	}
	for setting, port := range map[string]string{"listen": "http", "metrics-listen": "metrics"} {
		if present[setting] != "0.0.0.0:"+p.port(t, port) {
			t.Errorf("%s is %s, and the pod's port %s is %s", setting, present[setting], port, p.port(t, port))
		}
		present[setting] = "127.0.0.1:0"
	}
	for name, value := range settings {
		if present[name] == "" {
			t.Errorf("the chart sets no %s in\n%s", name, file)
		}
		present[name] = value
	}
	written, err := yaml.Marshal(present)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// environment returns the variables of the container, with the collector's URL replaced, and none of this machine's.
func (p pod) environment(collector string) []string {
	variables := []string{}
	for _, each := range p.Env {
		if each.Name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			each.Value = collector
		}
		variables = append(variables, each.Name+"="+each.Value)
	}
	return variables
}
