package chart_test

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
)

// Covers R-OPS-4: the chart of a release has the release's version, and is what helm itself would pack. helm lints it and renders
// it like the folder.
func TestPackage(t *testing.T) {
	folder := t.TempDir()
	release := exec.CommandContext(t.Context(), "go", "run", "./packaging/release", "-chart", "-version", "v1.2.3", "-output", folder)
	release.Dir = "../../.."
	if printed, err := release.CombinedOutput(); err != nil {
		t.Fatal(err, string(printed))
	}
	released := filepath.Join(folder, "pdpp-mcp-1.2.3.tgz")
	if err := chartutil.ExpandFile(folder, released); err != nil {
		t.Fatal(err)
	}
	if err := lintChart(filepath.Join(folder, "pdpp-mcp"), everything); err != nil {
		t.Error(err)
	}
	shown, err := loader.Load(released)
	if err != nil {
		t.Fatal(err)
	}
	if shown.Metadata.Version != "1.2.3" || shown.Metadata.AppVersion != "1.2.3" {
		t.Errorf("the released chart has version %s for %s", shown.Metadata.Version, shown.Metadata.AppVersion)
	}
	source, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	source.Metadata.Version, source.Metadata.AppVersion = "1.2.3", "1.2.3"
	saved, err := chartutil.Save(source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	packed, wanted := unpacked(t, released), unpacked(t, saved)
	delete(packed, "pdpp-mcp/Chart.yaml") // helm sorts it
	delete(wanted, "pdpp-mcp/Chart.yaml")
	if !maps.Equal(packed, wanted) {
		t.Errorf("packed are %v, by helm %v, or their contents differ", slices.Sorted(maps.Keys(packed)), slices.Sorted(maps.Keys(wanted)))
	}
	rendered, err := render(released, "pdpp-mcp", []string{plain}, "image=")
	if err != nil || !strings.Contains(rendered, `image: "pdpp-mcp:1.2.3"`) {
		t.Errorf("%v\n%s", err, rendered)
	}
}

// unpacked returns the files of an archive by their names.
func unpacked(t *testing.T, name string) map[string]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	uncompressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for archive := tar.NewReader(uncompressed); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}
