// Package tool is the contract between generated tools and the hosts that serve them: what a tool
// is, what it is given, what it gives back, and how it fails.
package tool

import (
	"context"
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Definition is one tool, ready to be served. Definitions are values of generated code and are
// never changed.
type Definition struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // served byte for byte, in declared order
	OutputSchema json.RawMessage
	Arguments    []Argument // in the order of the schema
	Table        Table      // what a terminal shows of a result
	Pages        string     // the argument that takes next_cursor; empty: a result is all there is
	Changes      string     // the argument that takes next_changes_since; empty: none
	Ask          Ask
}

// Run asks and renders. Its error is one of Ask's.
func (d Definition) Run(ctx context.Context, env Env, arguments json.RawMessage) (*Result, error) {
	return d.Ask.Run(ctx, env, arguments)
}

// Table is the form of structured output that a terminal shows as a table.
type Table int

// The tables that specs use.
const (
	NoTable       Table = iota // the text of the result
	RowTable                   // of records
	HitTable                   // of a search
	GroupTable                 // of an aggregate
	DocumentTable              // its text alone
)

// Env is what one call may use. It belongs to that call alone: the reader carries the bearer of
// the caller (R-HOST-5).
type Env struct {
	RS rs.Reader
	// WantsFile says that the caller reads a file for its bytes, which a host sets for a resource that is one. A model reads of
	// it what can be shown.
	WantsFile bool
	// Writer is there for commands of the terminal. A host of MCP clients leaves it nil, so that no tool of
	// theirs has the means to change anything.
	Writer rs.Writer
	// Readings is what calls may read for what the resource server does not answer; nil: nothing. Caller tells callers apart
	// that share it, without holding a bearer.
	Readings *Readings
	Caller   string
	Clock    Clock
	// Progress tells the client how far the call has come: a number that only grows, such as the records read, and a
	// sentence. It is safe for concurrent use, sends only some of what it is told, and is nil when nobody wants to know.
	Progress func(done int64, message string)
	// Connect gives the command line that asks the owner for what a call wanted and no grant covers. It is nil where the
	// caller signs in in another way.
	Connect func(Uncovered) string
}

// Uncovered is what a call wanted and no grant covers. What it did not name is empty; all empty is the grant itself, anew.
type Uncovered struct{ ConnectionID, Stream, Field string }

// Template is one resource template of the surface (R-RES-1).
type Template struct {
	Name        string
	Title       string
	URITemplate string
	Description string
	MIMEType    string
	Tool        string     // the tool that answers a read
	Complete    Completion // what a client offers for its variable; CompleteStream: what resources/list lists
	IsFile      bool       // a read gives the bytes of a file, with a media type of their own (R-BLOB-4)
}

// Surface is everything that a host advertises.
type Surface struct {
	Instructions string
	Tools        []Definition // in the order of the specs
	Templates    []Template
	Prompts      []Prompt // in the order of their names
	Examples     []string // of command lines that call a tool, from the name of the tool on
}

// Command is one command of the terminal. No host of MCP clients is given it. Commands are values of generated
// code and are never changed. Exactly one of Ask and Download is set.
type Command struct {
	Words       []string // behind pdpp-mcp
	Title       string
	Description string
	Arguments   []Argument // in the order of the spec; one at most is positional
	Columns     []string   // the members of a row that a table shows; nil: every one
	Secret      bool       // the answer holds a signing secret, which is shown once
	OfSources   bool       // the request says which of several grants can answer it; else it is sent with a single one

	Ask Ask
	// Download gives the request whose answer is bytes for a file.
	Download func(arguments json.RawMessage) (rs.Request, error)
}

// Footprint is the measured size of what a host advertises, against its budgets (R-FOOT-3).
type Footprint struct {
	Tools []FootprintRow `json:"tools"` // in the order of the specs
	Total FootprintRow   `json:"total"` // of the whole tools/list result

	InstructionsCharacters       int `json:"instructions_characters"` // runes
	BudgetInstructionsCharacters int `json:"budget_instructions_characters"`
	BudgetTokens                 int `json:"budget_tokens"` // of Total
}

// FootprintRow is the size of one entry.
type FootprintRow struct {
	Name        string `json:"name"`
	Bytes       int    `json:"bytes"`  // of the entry as it is served, in JSON
	Tokens      int    `json:"tokens"` // counted as o200k
	BudgetBytes int    `json:"budget_bytes"`
}
