package chart_test

import (
	"errors"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v3/pkg/strvals"
)

// oldestKubernetes is the oldest version that the chart accepts.
const oldestKubernetes = "1.23"

// render returns what `helm template --namespace pdpp-mcp` prints for a folder or an archive of the chart. Later files of values
// override earlier ones, and settings such as "replicas.min=0" override the files. Helm's command is not used, because compiling it
// takes three times as long as its packages.
func render(path, release string, files []string, settings ...string) (string, error) {
	loaded, err := loader.Load(path)
	if err != nil {
		return "", err
	}
	values := map[string]any{}
	for _, file := range files {
		read, err := chartutil.ReadValuesFile(file)
		if err != nil {
			return "", err
		}
		values = chartutil.MergeTables(read.AsMap(), values)
	}
	for _, setting := range settings {
		if err := strvals.ParseInto(setting, values); err != nil {
			return "", err
		}
	}
	version, err := chartutil.ParseKubeVersion(oldestKubernetes)
	if err != nil {
		return "", err
	}
	if !chartutil.IsCompatibleRange(loaded.Metadata.KubeVersion, version.String()) {
		return "", fmt.Errorf("the chart requires Kubernetes %s", loaded.Metadata.KubeVersion)
	}
	capabilities := *chartutil.DefaultCapabilities
	capabilities.KubeVersion = *version
	options := chartutil.ReleaseOptions{Name: release, Namespace: "pdpp-mcp", Revision: 1, IsInstall: true}
	complete, err := chartutil.ToRenderValues(loaded, values, options, &capabilities)
	if err != nil {
		return "", err
	}
	rendered, err := engine.Render(loaded, complete)
	if err != nil {
		return "", err
	}
	for name := range rendered {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(rendered, name)
		}
	}
	_, manifests, err := releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var printed strings.Builder
	for _, manifest := range manifests {
		fmt.Fprintf(&printed, "---\n# Source: %s\n%s\n", manifest.Name, manifest.Content)
	}
	return strings.TrimSpace(printed.String()) + "\n", nil
}

// lintChart returns the warnings and errors of `helm lint --strict` for a folder of the chart.
func lintChart(folder, values string) error {
	read, err := chartutil.ReadValuesFile(values)
	if err != nil {
		return err
	}
	var found []error
	for _, message := range lint.AllWithKubeVersion(folder, read, "default", nil).Messages {
		if message.Severity >= support.WarningSev {
			found = append(found, message.Err)
		}
	}
	return errors.Join(found...)
}
