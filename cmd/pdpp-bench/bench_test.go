package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// The program starts itself in its roles. Under test, the test binary plays them.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// A brief run measures everything once. Its figures mean little, but it shows that the thorough run works.
func TestBriefRunMeasuresEverything(t *testing.T) {
	timetest.WithoutRace(t)
	directory := t.TempDir()
	page := filepath.Join(directory, pageName)
	if err := os.MkdirAll(filepath.Dir(page), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, []byte("# Before\n"+beginMark+"\nold\n"+endMark+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, "report.json")
	var printed strings.Builder
	if err := run(t.Context(), []string{"-quick", "-json", file, "-write", directory}, &printed); err != nil {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	var found report
	read(t, file, &found)
	units := map[string]int{}
	for _, each := range found.Measurements {
		if each.Figure <= 0 && each.Unit != "ms" { // a difference of two times may be negative when the machine is busy
			t.Errorf("%s: the figure is %v", each.What, each.Figure)
		}
		units[each.Unit]++
		if !strings.Contains(printed.String(), each.What) {
			t.Errorf("the table does not show %s", each.What)
		}
	}
	for unit, least := range map[string]int{
		"bytes": 2, "tokens": 1, "characters": 1, "ms": 4, "calls/s": 1, "×": 9,
		"MiB": 2, "MB": 1,
	} {
		if units[unit] < least {
			t.Errorf("%d figures in %s, want %d", units[unit], unit, least)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "# Before\n") || !strings.HasSuffix(string(text), endMark+"\nafter\n") ||
		strings.Contains(string(text), "\nold\n") {
		t.Errorf("the page is\n%s", text)
	}
	for _, name := range []string{"rows", "children", "fields"} {
		plot, err := os.ReadFile(filepath.Join(directory, plotFolder, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(plot, new(struct{})); err != nil {
			t.Errorf("%s.svg: %v", name, err)
		}
	}
}

// A page without markers is left as it is.
func TestPageWithoutMarkersIsRefused(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, pageName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("# Mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newReport().writePage(directory); err == nil || !strings.Contains(err.Error(), beginMark) {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "# Mine\n" {
		t.Errorf("the page is %q (%v)", text, err)
	}
}

// The page is not replaced by a part of the figures.
func TestPartIsNotWritten(t *testing.T) {
	if err := run(t.Context(), []string{"-only", "surface", "-write", t.TempDir()}, new(strings.Builder)); !errors.Is(err,
		errPartialPage) {
		t.Errorf("the error is %v", err)
	}
}

func TestFit(t *testing.T) {
	got := fit([]float64{1, 2, 3, 4}, []float64{5, 7, 9, 11})
	if got.Intercept != 3 || got.Slope != 2 || got.Determination != 1 {
		t.Errorf("the line is %+v", got)
	}
	if flat := fit([]float64{1, 2}, []float64{4, 4}); flat.Intercept != 4 || flat.Slope != 0 {
		t.Errorf("the flat line is %+v", flat)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for part, want := range map[float64]float64{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := quantile(values, part); got != want {
			t.Errorf("%v: %v, want %v", part, got, want)
		}
	}
}

// An error does not count as a fast answer.
func TestFailuresAreNoAnswers(t *testing.T) {
	long := strings.Repeat("x", 40_000)
	for answer, passes := range map[string]bool{
		`{"jsonrpc":"2.0","id":9007199254740992,"result":{"content":[{"type":"text","text":"` + long +
			`"}]}}`: true,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + long +
			`"}],"isError":true}}`: false,
		`{"jsonrpc":"2.0","id":9007199254740992,"error":{"code":-32602,"message":"` + long +
			`"}}`: false,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true,` +
			`"structuredContent":{"error":{"code":"not_found"}}}}`: false,
	} {
		if err := succeeded([]byte(answer)); (err == nil) != passes {
			t.Errorf("%.60s…: %v", answer, err)
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		found     measurement
		met       bool
		bar, says string
	}{
		{atMost("a", 9000, 9000, "bytes", ""), true, "≤ 9,000 bytes", "9,000 bytes"},
		{atMost("a", 0.3, 0.31, "ms", ""), false, "≤ 0.30 ms", "0.31 ms"},
		{atLeast("a", 0.45, 0.5, "×", ""), true, "≥ 0.45 ×", "0.50 ×"},
		{atLeast("a", 4000, 3999.4, "calls/s", ""), false, "≥ 4,000 calls/s", "3,999 calls/s"},
	} {
		if test.found.Met != test.met || test.found.bar() != test.bar ||
			amount(test.found.Figure, test.found.Unit) != test.says {
			t.Errorf("%+v: %s and %s, want %s and %s", test.found, test.found.bar(), amount(test.found.Figure, test.found.Unit),
				test.bar, test.says)
		}
	}
}

// The canned records are as large as they are called.
func TestRecordsHaveTheirSize(t *testing.T) {
	if got := record(7, 1000); len(got) != 1000 || !json.Valid([]byte(got)) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if body := fullSchema(20, 30, 25); len(body) < 7_500_000 || !json.Valid(body) {
		t.Errorf("the large schema has %d bytes", len(body))
	}
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}
