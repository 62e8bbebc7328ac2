package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// report has the figures of one run and the machine that they are from.
type report struct {
	Date         string        `json:"date"`
	Machine      string        `json:"machine"`
	Go           string        `json:"go"`
	Seconds      float64       `json:"seconds"` // that the run took
	Measurements []measurement `json:"measurements"`
	Sweeps       []sweep       `json:"sweeps"`
}

func newReport() *report {
	return &report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Go: runtime.Version()}
}

func (r *report) add(found ...measurement) { r.Measurements = append(r.Measurements, found...) }

// machine returns the processor's name, if the system has it, its number of cores, and the platform.
func machine() string {
	name := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for entry := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(entry, ":"); strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s", name, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// table writes every figure with its bar.
func (r *report) table(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\n%s · %s · %s\n\n", r.Date, r.Machine, r.Go)
	fmt.Fprintln(table, "what\tbar\tfigure\t\tbeside it")
	for _, each := range r.Measurements {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", each.What, each.bar(), amount(each.Figure, each.Unit), each.verdict(), each.Related)
	}
	fmt.Fprintln(table)
	for _, each := range r.Sweeps {
		fmt.Fprintf(table, "sweep over %s\t%s\n", each.Name, each.Fit)
	}
	fmt.Fprintf(table, "\nthe run took %.0f s\n", r.Seconds)
	return table.Flush()
}

func (r *report) writeJSON(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
