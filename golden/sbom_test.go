package golden_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// billOfMaterials is the part of a CycloneDX 1.6 document that the test reads.
type billOfMaterials struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Serial   string `json:"serialNumber"`
	Metadata struct {
		Timestamp string        `json:"timestamp"`
		Component billComponent `json:"component"`
	} `json:"metadata"`
	Components []billComponent `json:"components"`
}

type billComponent struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Version    string `json:"version"`
	PURL       string `json:"purl"`
	Properties []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"properties"`
}

// The bill of materials lists every linked module with its version and its hash in go.sum, and is the same for the
// same binary.
func TestBillOfMaterials(t *testing.T) {
	timetest.WithoutRace(t)
	// as what is published, and as .ci/supply builds it, so that nothing is compiled for this alone
	t.Setenv("CGO_ENABLED", "0")
	sums := string(readFile(t, "../go.sum"))
	for _, program := range []string{"pdpp-mcp", "pdpp-mcp-otel"} {
		binary := filepath.Join(t.TempDir(), program)
		run(t, "go", "build", "-trimpath", "-o", binary, "../cmd/"+program)
		bill := billOf(t, binary)
		if main := bill.Metadata.Component; main.Name != program ||
			!strings.HasPrefix(main.PURL, "pkg:golang/github.com/pdppmcp/pdpp-mcp@") {
			t.Errorf("of %+v", main)
		}
		var listed, linked []string
		for _, component := range bill.Components {
			if component.Name == "std" {
				continue
			}
			listed = append(listed, component.Name+" "+component.Version)
			if len(component.Properties) != 1 ||
				!strings.Contains(sums, component.Name+" "+component.Version+" "+component.Properties[0].Value+"\n") {
				t.Errorf("not as in go.sum: %+v", component)
			}
		}
		for _, module := range linkedModuleFolders(t, "cmd/"+program) {
			linked = append(linked, module.module)
		}
		slices.Sort(listed)
		if diff := gocmp.Diff(linked, listed); diff != "" {
			t.Errorf("modules of %s (-linked +listed):\n%s", program, diff)
		}
	}
}

// billOf writes the bill of a binary twice, and reads it.
func billOf(t *testing.T, binary string) (bill billOfMaterials) {
	t.Helper()
	first := run(t, "../.ci/sbom", binary)
	if again := run(t, "../.ci/sbom", binary); again != first {
		t.Error("two documents of one binary differ")
	}
	if err := json.Unmarshal([]byte(first), &bill); err != nil {
		t.Fatalf("%v: %s", err, first)
	}
	if bill.Format != "CycloneDX" || bill.Spec != "1.6" || bill.Version != 1 || bill.Serial != "" ||
		bill.Metadata.Timestamp != "" {
		t.Errorf("%+v", bill)
	}
	return bill
}

func run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), name, arguments...).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(printed)
}
