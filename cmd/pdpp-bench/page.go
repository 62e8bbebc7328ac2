package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The markers in the page between which this program writes.
const (
	pageName   = "performance/figures.md"
	plotFolder = "performance"
	beginMark  = "<!-- figures: written by make bench -->"
	endMark    = "<!-- end of figures -->"
)

// MarkerError reports a page without the markers for the figures.
type MarkerError struct{ Path string }

func (e *MarkerError) Error() string {
	return fmt.Sprintf("%s has no place for figures: put the lines %s and %s into it", e.Path, beginMark, endMark)
}

// writePage writes the figures into performance/figures.md in a directory, and the plots next to it.
func (r *report) writePage(directory string) error {
	path := filepath.Join(directory, pageName)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := r.within(path, string(text))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(directory, plotFolder), 0o755); err != nil {
		return err
	}
	for _, each := range r.Sweeps {
		if err := os.WriteFile(filepath.Join(directory, plotFolder, each.Name+".svg"), []byte(each.plot()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// within returns the page with the text between its markers replaced, or a *MarkerError.
func (r *report) within(path, text string) (string, error) {
	head, rest, begun := strings.Cut(text, beginMark)
	_, tail, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return "", &MarkerError{Path: path}
	}
	return head + beginMark + "\n" + r.markdown() + endMark + tail, nil
}

func (r *report) markdown() string {
	var page strings.Builder
	fmt.Fprintf(&page, "\nMeasured on %s with %s on %s, by `make bench`, in %.0f s.\n\n", r.Date, r.Go, r.Machine, r.Seconds)
	page.WriteString("| what | bar | figure | | other figures of the same run |\n|---|---|---|---|---|\n")
	for _, each := range r.Measurements {
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", each.What, each.bar(), amount(each.Figure, each.Unit), each.verdict(), each.Related)
	}
	page.WriteByte('\n')
	for _, each := range r.Sweeps {
		fmt.Fprintf(&page, "![%s](%s.svg)\n\n%s: %s.\n\n", each.Title, each.Name, each.Title, each.Fit)
	}
	return page.String()
}
