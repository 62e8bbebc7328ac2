// Command pdpp-mcp-gen writes the files that are generated from the specs in toolspec/. With -check it writes nothing
// and fails if a generated file is out of date.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/pdppmcp/pdpp-mcp/generator"
	"github.com/pdppmcp/pdpp-mcp/generator/output"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0 on success, 1 for wrong specs or files out of date, 2 for wrong usage.
func run(arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("pdpp-mcp-gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "write nothing; print what is out of step and exit with 1")
	root := flags.String("root", ".", "the root of the module")
	if err := flags.Parse(arguments); err != nil {
		return 2
	}
	if err := generate(*root, *check, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// errOutOfStep is the error of -check, after the differences were printed.
var errOutOfStep = errors.New("generated files are out of step with the specs: run go generate ./gen")

func generate(root string, check bool, stdout io.Writer) error {
	files, err := generator.Files(os.DirFS(root))
	if err != nil {
		return err
	}
	changes, err := output.Compare(os.DirFS(root), files)
	if err != nil {
		return err
	}
	if !check {
		if err := output.Apply(root, changes); err != nil {
			return err
		}
		for _, change := range changes {
			fmt.Fprint(stdout, change.Done())
		}
		return nil
	}
	for _, change := range changes {
		fmt.Fprint(stdout, change.Diff())
	}
	if len(changes) > 0 {
		return errOutOfStep
	}
	return nil
}
