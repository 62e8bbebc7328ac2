package tool

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Command is one command of the terminal. No host of MCP clients is given it. Commands are values of generated
// code and are never changed. Exactly one of Run and Download is set.
type Command struct {
	Words       []string // behind pdpp-mcp
	Title       string
	Description string
	Arguments   []Argument // in the order of the spec; one at most is positional
	Columns     []string   // the members of a row that a table shows; nil: every one
	Secret      bool       // the answer holds a signing secret, which is shown once
	OfSources   bool       // the request says which of several grants can answer it; else it is sent with a single one

	Run Run
	// Download gives the request whose answer is bytes for a file.
	Download func(arguments json.RawMessage) (rs.Request, error)
}
