// Package tool is the contract between generated tools and the hosts that serve them: what a tool is, what a call gets
// and returns, and how it fails. Values of generated code are never changed.
package tool

import (
	"context"
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Definition is one tool.
type Definition struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // served byte for byte, in declared order
	OutputSchema json.RawMessage
	Arguments    []Argument // in the order of the schema
	Table        Table      // what a terminal shows of a result
	Pages        string     // the argument for next_cursor; empty: the tool has no pages
	Changes      string     // the argument for next_changes_since; empty: the tool has no feed of changes
	Commands     []ShortCommand
	Ask          Ask
}

// ShortCommand is a command of the terminal that calls a tool and prints plain rows.
type ShortCommand struct {
	Name     string
	Alias    string // may be empty
	Title    string
	Preset   map[string]string // values of string arguments that the command line does not set
	By       map[string]string // field, time and step → the arguments that --by sets; nil without that flag
	Examples []string          // command lines after pdpp-mcp
}

// Run sends the requests of a call and renders the answer. Its error is one of Ask's.
func (d Definition) Run(ctx context.Context, env Env, arguments json.RawMessage) (*Result, error) {
	return d.Ask.Run(ctx, env, arguments)
}

// Argument is one advertised argument of a tool. Clients read the input schema; a command line makes flags of these.
type Argument struct {
	Name        string
	Type        ArgumentType
	Required    bool
	Positional  bool       // at a terminal it needs no flag
	Description string     // one line, with values and bounds; may be empty
	Values      []string   // the accepted strings; nil: any
	Complete    Completion // what a shell offers in addition to Values
	DeclaredFor string     // the argument that determines what the schema must declare a field for: its value if it has an enum, otherwise its name
}

// ArgumentType is the form of an argument's value in JSON.
type ArgumentType int

const (
	StringArgument ArgumentType = iota
	IntegerArgument
	BooleanArgument
	StringListArgument
	FilterArgument // an object of fields, each with a value or an object of gte, gt, lte and lt
	LimitsArgument // an object of relations and whole numbers
)

// Completion is the kind of names in the schema that an argument takes. Shells and clients offer them, and a refusal
// lists them (R-ERR-7).
type Completion int

const (
	CompleteNothing    Completion = iota
	CompleteStream                // the names of streams
	CompleteConnection            // the ids of connections
	CompleteField                 // the fields of the call's stream
	CompleteRelation              // the relations of the call's stream
	CompleteSort                  // the fields by which that stream is sorted
	CompleteView                  // the views of the call's stream
	CompleteRecord                // a record's id, which may name its stream and its connection
)

// Table is the form of structured output that a terminal shows as a table.
type Table int

const (
	NoTable       Table = iota // the text of the result
	RowTable                   // of records
	HitTable                   // of a search
	GroupTable                 // of an aggregate
	DocumentTable              // its text alone
)

// Env has the resources of one call. It belongs to that call alone: the reader has the caller's bearer (R-HOST-5).
type Env struct {
	RS rs.Reader
	// Granted has the limits of the caller's grants for each stream, as far as known (R-CLAIM-2).
	Granted []granted.Stream
	// WantsFile is set by a host that reads a file as a resource: the call then returns its bytes.
	WantsFile bool
	// Writer is for commands of the terminal. A host of MCP clients leaves it nil, so that no tool can change anything.
	Writer rs.Writer
	// Readings bounds what calls read if the resource server refuses a query; nil: they read nothing.
	Readings *Readings
	// Caller distinguishes the callers that share Readings. It is not a bearer.
	Caller string
	Clock  Clock
	// Budget is the remaining budget of the whole call, which has the caller's turn already. It is set for a part of a
	// call only.
	Budget *Budget
	// Progress reports to the client how far the call is: a number that only grows, such as the records read, and a
	// sentence. It is safe for concurrent use and sends only some of the reports. It is nil if the client did not ask for
	// them.
	Progress func(done int64, message string)
	// Connect returns the command line that asks the owner for access that no grant covers. It is nil if the caller signs
	// in differently.
	Connect func(Uncovered) string
}

// Uncovered is what a call asked for and no grant covers. A member is empty if the call did not name it.
type Uncovered struct{ ConnectionID, Stream, Field string }

// Template is one resource template of the surface (R-RES-1).
type Template struct {
	Name        string
	Title       string
	URITemplate string
	Description string
	MIMEType    string
	Tool        string     // the tool that answers a read
	Complete    Completion // what a client offers for its variable; with CompleteStream, resources/list lists the streams
	IsFile      bool       // a read returns the bytes of a file, with its own media type (R-BLOB-4)
}

// Skill teaches a model to use the tools, as a SKILL.md (https://agentskills.io/specification, R-EVAL-5).
type Skill struct {
	Name        string // also of its folder
	Description string // as in the front matter of Text
	Text        string
}

// Surface is everything that a host advertises.
type Surface struct {
	Instructions string
	Tools        []Definition // in the order of the specs
	Templates    []Template
	Prompts      []Prompt // in the order of their names
	Skill        Skill    // empty: none
	View         string   // HTML that a host with the extension for user interfaces shows next to a result (R-VIEW-1); empty: none
	Examples     []string // command lines that call a tool, from the name of the tool on
}

// Command is one command of the terminal. Hosts of MCP clients do not have it. Exactly one of Ask and Download is set.
type Command struct {
	Words       []string // after pdpp-mcp
	Title       string
	Description string
	Examples    []string   // command lines after pdpp-mcp
	Arguments   []Argument // in the order of the spec; only one may be positional
	Columns     []string   // the members of a row that a table shows; nil: all
	Secret      bool       // the answer holds a signing secret, which is shown once
	OfSources   bool       // the request says which of several grants can answer it; otherwise it needs a single grant

	Ask Ask
	// Download returns the request for the bytes of a file.
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
	Bytes       int    `json:"bytes"`  // of the served JSON
	Tokens      int    `json:"tokens"` // counted as o200k
	BudgetBytes int    `json:"budget_bytes"`
}
