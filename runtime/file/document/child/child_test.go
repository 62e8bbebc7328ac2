package child_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
)

// sampleFile reads a file of the sandbox.
func sampleFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sandbox", "sample", "files", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// R-DOC-2: pages have marks, tables are CSV, list items and paragraphs are lines.
func TestText(t *testing.T) {
	for _, name := range []string{"mietvertrag-pfluegerstr-18", "kautionsabrechnung", "kuendigung"} {
		parts, err := child.Parts(t.Context(), "", document.PDF, sampleFile(t, name+".pdf"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden.File(t, filepath.Join("testdata", name+".txt"), document.Join(parts))
	}
}

// R-DOC-5: the reason why a file cannot be read.
func TestReasons(t *testing.T) {
	lease := sampleFile(t, "mietvertrag-pfluegerstr-18.pdf")
	for _, test := range []struct {
		name string
		data []byte
		want document.Obstacle
	}{
		{"encrypted", sampleFile(t, "statement-2026-01.pdf"), document.Encrypted},
		{"empty", nil, document.Damaged},
		{"header alone", []byte("%PDF-1.7\n"), document.Damaged},
		{"first half", lease[:len(lease)/2], document.Damaged},
		{"no pages", []byte("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count " +
			"0>>endobj trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"), document.Damaged},
	} {
		_, err := child.Parts(t.Context(), "", document.PDF, test.data)
		if refused, ok := errors.AsType[*document.Error](err); !ok || refused.Reason != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// Circles and large numbers in the page tree end within the limits (R-DOC-4).
func TestHostilePageTrees(t *testing.T) {
	for name, tree := range map[string]string{
		"circle":        "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>",
		"many pages":    "<</Type/Pages/Kids[" + strings.Repeat("3 0 R ", 10_000) + "]/Count 10000>>",
		"claimed pages": "<</Type/Pages/Kids[3 0 R]/Count 2147483647>>",
		"negative":      "<</Type/Pages/Kids[3 0 R]/Count -5>>",
	} {
		data := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj" + tree + "endobj\n" +
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"
		parts, err := child.Parts(t.Context(), "", document.PDF, []byte(data))
		if _, ok := errors.AsType[*document.Error](err); err != nil && !ok {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d pages, %v", name, len(parts), err)
	}
}

// A child ends with its call (R-DOC-4).
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 { // more than may run at the same time
		if _, err := child.Parts(ctx, "", document.PDF, []byte("%PDF-")); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want %v", err, context.Canceled)
		}
	}
}

// R-DOC-1, R-DOC-2: files of several programs. Each form field is a line, turned pages read as upright ones, rows of
// tables are lines, and a column of prose ends before the next one begins. testdata/README.md says how the files were
// made.
func TestLayouts(t *testing.T) {
	timetest.WithoutRace(t)
	files, err := filepath.Glob(filepath.Join("testdata", "pdf", "*.pdf"))
	if err != nil || len(files) < 19 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".pdf"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := child.Parts(t.Context(), "", document.PDF, data)
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, strings.TrimSuffix(file, ".pdf")+".txt", document.Join(parts))
		})
	}
}
