package main

import (
	"fmt"
	"slices"
	"strings"
)

// The published programs. The packages, bundles and the registry entry hold the first; the others are in archives.
const (
	server  = "pdpp-mcp"
	tracing = "pdpp-mcp-otel" // with OpenTelemetry's SDK
	sandbox = "pdpp-sandbox"
)

// target is a platform that binaries are built for.
type target struct {
	system       string // GOOS
	architecture string // GOARCH
}

var allTargets = []target{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func (t target) String() string { return t.system + "/" + t.architecture }

func (t target) folder() string { return t.system + "_" + t.architecture }

// programs returns what is published for a target. The one for operators who collect traces is for Linux, where servers
// run.
func (t target) programs() []string {
	if t.system == "linux" {
		return []string{server, tracing, sandbox}
	}
	return []string{server, sandbox}
}

func (t target) executable(program string) string {
	if t.system == "windows" {
		return program + ".exe"
	}
	return program
}

// nodePlatform returns Node.js's name of the system, process.platform. MCP bundles use the same names.
func (t target) nodePlatform() string {
	if t.system == "windows" {
		return "win32"
	}
	return t.system
}

// nodeArchitecture returns Node.js's name of the processor, process.arch.
func (t target) nodeArchitecture() string {
	if t.architecture == "amd64" {
		return "x64"
	}
	return t.architecture
}

// parseTargets parses a list such as linux/amd64,darwin/arm64. An empty list means all targets.
func parseTargets(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(allTargets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-targets has %q; choose of %v", name, allTargets)
		}
		chosen = append(chosen, allTargets[i])
	}
	return chosen, nil
}
