package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSemanticVersion(t *testing.T) {
	for described, want := range map[string]string{
		"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3-4-gabcdef0": "1.2.3-4-gabcdef0", "v1.0.0-rc.1-dirty": "1.0.0-rc.1-dirty",
		"0123456": "0.0.0-g0123456", "94dea91-dirty": "0.0.0-g94dea91-dirty",
		"": "", "unknown": "", "v1.2": "", "1.2.3+build": "", "v01.2.3": "",
	} {
		version, err := semanticVersion(described)
		if version != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q and %v, want %q", described, version, err, want)
		}
	}
}

func TestParseTargets(t *testing.T) {
	if all, err := parseTargets(""); err != nil || len(all) != 6 {
		t.Errorf("all targets are %v and %v", all, err)
	}
	if some, err := parseTargets("windows/arm64,linux/amd64"); err != nil || len(some) != 2 ||
		some[0].folder() != "windows_arm64" {
		t.Errorf("two targets are %v and %v", some, err)
	}
	if _, err := parseTargets("linux/riscv64"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("a target that there is not gives %v", err)
	}
}

// An archive does not depend on when, where or by whom it was made.
func TestArchivesAreReproducible(t *testing.T) {
	files := []packed{{"LICENSE", 0o644, []byte("licence")}, {"pdpp-mcp", 0o755, bytes.Repeat([]byte("binary"), 1000)}}
	for name, write := range map[string]func([]packed) ([]byte, error){"tar.gz": tarball, "zip": zipped} {
		first, err := write(files)
		if err != nil {
			t.Fatal(err)
		}
		second, err := write(files)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s differs from the one before: %v", name, err)
		}
	}
}

func TestTarballKeepsWhatCanBeRun(t *testing.T) {
	content, err := tarball([]packed{{"LICENSE", 0o644, []byte("licence")}, {"pdpp-mcp", 0o755, []byte("binary")}})
	if err != nil {
		t.Fatal(err)
	}
	uncompressed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(uncompressed)
	for _, want := range []packed{{"LICENSE", 0o644, []byte("licence")}, {"pdpp-mcp", 0o755, []byte("binary")}} {
		header, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		read, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if header.Name != want.name || header.FileInfo().Mode() != want.mode || !bytes.Equal(read, want.content) ||
			header.Uid != 0 || header.Uname != "" || !header.ModTime.Equal(packedAt) {
			t.Errorf("packed is %+v with %q, want %s", header, read, want.name)
		}
	}
}

// small returns a release of one target, whose binaries are placeholders.
func small(t *testing.T, chosen target) release {
	t.Helper()
	r := release{source: "../..", output: t.TempDir(), version: "1.2.3", targets: []target{chosen}}
	for _, program := range chosen.programs() {
		path := r.binary(program, chosen)
		if err := writeFile(path, []byte(program)); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(r.noticesPath(program, chosen), []byte("texts")); err != nil {
			t.Fatal(err)
		}
		if err := r.archive(program, chosen); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// The launcher depends on exactly the packages that a release makes, in its version.
func TestLauncherNamesEveryPlatform(t *testing.T) {
	r := small(t, target{"windows", "amd64"})
	if err := r.writePackages(); err != nil {
		t.Fatal(err)
	}
	var launcher struct {
		Version              string
		OptionalDependencies map[string]string
	}
	decode(t, filepath.Join(r.output, "npm", "pdpp-mcp", "package.json"), &launcher)
	want := map[string]string{}
	for _, target := range allTargets {
		want[platformScope+target.nodePlatform()+"-"+target.nodeArchitecture()] = "1.2.3"
	}
	if diff := cmp.Diff(want, launcher.OptionalDependencies); diff != "" || launcher.Version != "1.2.3" {
		t.Errorf("version %s, packages (-want +got):\n%s", launcher.Version, diff)
	}
	var platform platformPackage
	decode(t, filepath.Join(r.output, "npm", "win32-x64", "package.json"), &platform)
	if platform.Name != "@pdpp-mcp/win32-x64" || platform.Version != "1.2.3" || platform.System[0] != "win32" ||
		platform.Architecture[0] != "x64" {
		t.Errorf("the package of the platform is %+v", platform)
	}
	if texts, err := os.ReadFile(filepath.Join(r.output, "npm", "win32-x64", noticesFile)); err != nil ||
		string(texts) != "texts" ||
		!slices.Contains(platform.Files, noticesFile) {
		t.Errorf("the licences of what is linked are %q, %v, among %q", texts, err, platform.Files)
	}
	info, err := os.Stat(filepath.Join(r.output, "npm", "win32-x64", "bin", "pdpp-mcp.exe"))
	if err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the binary is %v and %v", info, err)
	}
}

// A bundle's manifest starts the binary in the bundle, and lists the advertised tools.
func TestBundleStartsItsBinary(t *testing.T) {
	r := small(t, target{"windows", "arm64"})
	if err := r.writeBundles(); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(r.published(server, r.targets[0], ".mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.Open("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var described manifest
	if err := json.NewDecoder(file).Decode(&described); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{described.Server.EntryPoint, "LICENSE", noticesFile} {
		if _, err := archive.Open(name); err != nil {
			t.Error(err)
		}
	}
	if described.Server.Config.Command != "${__dirname}/server/pdpp-mcp.exe" || described.Version != "1.2.3" ||
		described.Compatibility.Platforms[0] != "win32" || len(described.Tools) != 6 {
		t.Errorf("the manifest is %+v", described)
	}
}

func TestChecksumsAreOfEveryPublishedFile(t *testing.T) {
	r := small(t, target{"linux", "amd64"})
	if err := r.writeChecksums(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(r.output, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, program := range []string{"pdpp-mcp-otel", "pdpp-mcp", "pdpp-sandbox"} {
		name := program + "_1.2.3_linux_amd64.tar.gz"
		packed, err := os.ReadFile(filepath.Join(r.output, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(packed), name)
	}
	if diff := cmp.Diff(want.String(), string(content)); diff != "" {
		t.Errorf("the checksums (-want +got):\n%s", diff)
	}
}

// The same commit produces the same binary in every folder.
func TestBinariesAreReproducible(t *testing.T) {
	built := make([][]byte, 0, 2)
	for _, folder := range []string{"one", "another/with-a-longer-name"} {
		source := filepath.Join(t.TempDir(), folder)
		if output, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "../..",
			source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		here := target{runtime.GOOS, runtime.GOARCH}
		r := release{source: source, output: t.TempDir(), version: "1.2.3", targets: []target{here}}
		if err := r.build(t.Context(), server, here); err != nil {
			t.Fatal(err)
		}
		if err := r.writeNotices(t.Context(), server, here); err != nil {
			t.Fatal(err)
		}
		if err := holdsAll(r.binary(server, here), nil); err == nil ||
			!strings.Contains(err.Error(), "which go list does not know") {
			t.Errorf("a module of the binary that go list does not name gives %v", err)
		}
		binary, err := os.ReadFile(r.binary(server, here))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(binary, []byte(source)) {
			t.Error("the binary tells where it was built")
		}
		built = append(built, binary)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds of one commit differ")
	}
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}
