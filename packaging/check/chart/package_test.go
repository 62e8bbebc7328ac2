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
	own := t.TempDir()
	for _, arguments := range [][]string{
		{"lint", released, "--strict", "--values", everything},
		{"package", chart, "--version", "1.2.3", "--app-version", "1.2.3", "--destination", own},
	} {
		if printed, err := helm(t, arguments...); err != nil {
			t.Fatal(err, printed)
		}
	}
	shown, err := helm(t, "show", "chart", released)
	if err != nil || !strings.Contains(shown, "\nversion: 1.2.3\n") || !strings.Contains(shown, "appVersion: 1.2.3\n") {
		t.Errorf("%v\n%s", err, shown)
	}
	packed, wanted := unpacked(t, released), unpacked(t, filepath.Join(own, "pdpp-mcp-1.2.3.tgz"))
	delete(packed, "pdpp-mcp/Chart.yaml") // helm writes it in an order of its own
	delete(wanted, "pdpp-mcp/Chart.yaml")
	if !maps.Equal(packed, wanted) {
		t.Errorf("packed are %v, by helm %v, or their contents differ", slices.Sorted(maps.Keys(packed)), slices.Sorted(maps.Keys(wanted)))
	}
	rendered, err := helm(t, "template", "pdpp-mcp", released, "--kube-version", "1.23", "--values", plain, "--set", "image=")
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
