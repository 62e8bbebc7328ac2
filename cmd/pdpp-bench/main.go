// Command pdpp-bench measures the real pdpp-mcp against a canned provider. In the same run it measures the direct GET
// and a bare reverse proxy, since ratios depend less on the machine than times do.
//
//	go run ./cmd/pdpp-bench [-quick] [-only PART] [-json FILE] [-write DIRECTORY] [-binary FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pdpp-bench:", err)
		os.Exit(1)
	}
}

var errPartialPage = errors.New("-only measures a part, and -write writes the whole page: leave one of them out")

// run measures, prints the table and writes the requested files. A bar that is not met is not an error.
func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("pdpp-bench", flag.ContinueOnError)
	flags.SetOutput(out)
	quick := flags.Bool("quick", false, "measure each thing once, briefly: to see that everything runs; its figures mean little")
	jsonFile := flags.String("json", "", "write the report to this file")
	documents := flags.String("write", "", "write performance/figures.md between its markers, and the plots, into this directory")
	binary := flags.String("binary", "", "measure this pdpp-mcp instead of building one")
	only := flags.String("only", "", "measure only the parts whose name holds this")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *only != "" && *documents != "" {
		return errPartialPage
	}
	effort := thorough
	if *quick {
		effort = brief
	}
	report, err := measureAll(ctx, effort, *only, *binary, out)
	if err != nil {
		return err
	}
	if err := report.table(out); err != nil {
		return err
	}
	if *jsonFile != "" {
		if err := report.writeJSON(*jsonFile); err != nil {
			return err
		}
	}
	if *documents != "" {
		return report.writePage(*documents)
	}
	return nil
}
