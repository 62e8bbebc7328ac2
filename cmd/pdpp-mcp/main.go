// Command pdpp-mcp serves personal data of a PDPP resource server to MCP clients, read-only.
package main

import (
	"os"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
)

// version is the release, set by the linker; empty for other builds.
var version = ""

func main() { os.Exit(cli.Main(version, nil)) }
