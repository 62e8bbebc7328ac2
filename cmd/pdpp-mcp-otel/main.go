// Command pdpp-mcp-otel is pdpp-mcp with OpenTelemetry's SDK, for servers whose operators collect traces. The SDK with
// its exporters makes a program 9 MB larger, too much for the one that people run on their machines.
package main

import (
	"os"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/telemetry"
)

// version is the release, set by the linker; empty for other builds.
var version = ""

func main() { os.Exit(cli.Main(version, telemetry.Begin)) }
