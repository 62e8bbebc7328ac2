package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// environment returns the variables for the go command. It sets all that could make the bytes of a binary depend on
// this machine.
func (t target) environment() []string {
	return append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.architecture,
		"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
}

// build compiles a program with go build. It sets all options that could make the bytes depend on this machine.
func (r release) build(ctx context.Context, program string, target target) error {
	output, err := filepath.Abs(r.binary(program, target))
	if err != nil {
		return fmt.Errorf("find the output directory: %w", err)
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-mod=readonly", "-buildvcs=true",
		"-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", output, "./cmd/"+program)
	command.Dir = r.source
	command.Env = target.environment()
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build %s for %s: %w", program, target, err)
	}
	return nil
}

// writeBill writes what a binary is made of, as CycloneDX JSON.
func (r release) writeBill(ctx context.Context, program string, target target) error {
	command := exec.CommandContext(ctx, filepath.Join(r.source, ".ci", "sbom"), r.binary(program, target))
	command.Stderr = os.Stderr
	bill, err := command.Output()
	if err != nil {
		return fmt.Errorf("list what %s for %s is made of: %w", program, target, err)
	}
	return writeFile(r.published(program, target, ".cdx.json"), bill)
}
