// Command release builds everything that is published for a version: static binaries in archives, each with its bill of
// materials, npm packages, MCP bundles, the Helm chart, the entry for the MCP registry, and checksums of all.
//
// The same commit and the same Go version produce the same bytes, wherever and whenever it runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release is one run: its source, output, version and targets.
type release struct {
	source  string // root of the repository
	output  string // directory, which is replaced
	version string // Semantic Versioning 2.0.0, without a leading v
	targets []target
}

func run(ctx context.Context, arguments []string, progress io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	described := flags.String("version", "", "the output of git describe, such as v1.2.3")
	output := flags.String("output", "bin/release", "`directory` to write; what is in it is removed")
	only := flags.String("targets", "", "build only these, such as linux/amd64,darwin/arm64 (default: all)")
	chart := flags.Bool("chart", false, "write the chart alone, without building a program")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	version, err := semanticVersion(*described)
	if err != nil {
		return err
	}
	targets, err := parseTargets(*only)
	if err != nil {
		return err
	}
	r := release{source: ".", output: *output, version: version, targets: targets}
	if *chart {
		return r.writeChart()
	}
	return r.write(ctx, progress)
}

// write builds everything, in the order of dependence.
func (r release) write(ctx context.Context, progress io.Writer) error {
	if err := os.RemoveAll(r.output); err != nil {
		return fmt.Errorf("remove the last release: %w", err)
	}
	for _, target := range r.targets {
		fmt.Fprintf(progress, "%s %s\n", r.version, target)
		for _, program := range target.programs() {
			if err := r.build(ctx, program, target); err != nil {
				return err
			}
			if err := r.writeNotices(ctx, program, target); err != nil {
				return err
			}
			if err := r.archive(program, target); err != nil {
				return err
			}
			if err := r.writeBill(ctx, program, target); err != nil {
				return err
			}
		}
	}
	if err := r.writeBundles(); err != nil {
		return err
	}
	if err := r.writePackages(); err != nil {
		return err
	}
	if err := r.fill("packaging/registry/server.json", "server.json"); err != nil {
		return err
	}
	if err := r.writeChart(); err != nil {
		return err
	}
	return r.writeChecksums()
}

// binary returns the path of a program for a target.
func (r release) binary(program string, target target) string {
	return filepath.Join(r.output, "binaries", target.folder(), target.executable(program))
}

// published returns the path of a published file, whose name has the program, the version and the target.
func (r release) published(program string, target target, extension string) string {
	return filepath.Join(r.output, strings.Join([]string{program, r.version, target.folder()}, "_")+extension)
}
