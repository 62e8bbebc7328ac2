// Package toolspec reads the declarative tool specs. These YAML files are the only source of every tool's name,
// arguments, descriptions, RS mapping, limits and budgets.
package toolspec

// Surface is everything that the server advertises, with every `use` resolved.
type Surface struct {
	Instructions  string
	Budget        SurfaceBudget
	Tools         []Tool // offered to MCP clients, in the order of surface.yaml
	Commands      []Tool // commands of the terminal only, in the order of surface.yaml
	Templates     []Template
	Prompts       []Prompt // in the order of their names
	Skill         *Skill   // nil without one
	Examples      []string
	Calls         []Call
	Codes         []CodeSection
	Outputs       []Output // in the order of shared.yaml
	Records       RecordsFile
	RelativeDates []RelativeDate // with their units resolved
}

// SurfaceBudget bounds the text that a model reads before its first call (R-FOOT-1).
type SurfaceBudget struct {
	Bytes                  int `yaml:"bytes" jsonschema:"minimum=1"`                   // of the tools/list result as JSON
	Tokens                 int `yaml:"tokens" jsonschema:"minimum=1"`                  // of the tools/list result, counted as o200k
	InstructionsCharacters int `yaml:"instructions_characters" jsonschema:"minimum=1"` // of the instructions, counted as runes
}

// Template is a resource template (R-RES-1).
type Template struct {
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	URI         string `yaml:"uri"`
	Description string `yaml:"description"`
	MIMEType    string `yaml:"mime_type"`
	Tool        string `yaml:"tool"`               // the tool that answers a read
	Complete    string `yaml:"complete,omitempty"` // a complete word of the vocabulary: what a client offers for the variable
	File        bool   `yaml:"file,omitempty"`     // a read returns the bytes of a file with its media type
}

// Call is a call that results and refusals suggest. It names the tool and its arguments, so that hand-written code does
// not.
type Call struct {
	Call string   `yaml:"call"` // a call word of the vocabulary
	Tool string   `yaml:"tool"`
	With Bindings `yaml:"with"` // value of the call → the argument that takes it
}

// Role lists the fields that mean the same in many streams (R-FIND-4).
type Role struct {
	Role       string   `yaml:"role"`                                            // a role word of the vocabulary
	Fields     []string `yaml:"fields" jsonschema:"minItems=1,uniqueItems=true"` // names of fields in order of preference
	Advertised []string `yaml:"advertised,omitempty"`                            // what schemas say of such a field in its role
}

// Conversation lists the fields whose value is shared by the records of one conversation (R-FIND-3).
type Conversation struct {
	Fields    []string `yaml:"fields" jsonschema:"minItems=1,uniqueItems=true"`
	Replies   []string `yaml:"replies,omitempty" jsonschema:"uniqueItems=true"` // the counts of replies, of a record whose id the others hold
	With      string   `yaml:"with,omitempty"`                                  // another field of the record that is needed to name the conversation
	NearHours int      `yaml:"near_hours,omitempty" jsonschema:"minimum=1"`     // only records so many hours before and after belong together; left out: all of them
}

// SearchWords says how a search is relaxed that has no hit (R-FIND-1).
type SearchWords struct {
	Stop       []string `yaml:"stop" jsonschema:"uniqueItems=true"`        // words that are left out
	EndingsOff []string `yaml:"endings_off" jsonschema:"uniqueItems=true"` // taken off a word for another form of it, in the order in which they are tried
	EndingsOn  []string `yaml:"endings_on" jsonschema:"uniqueItems=true"`  // then put on it
}

// Tool is one tool. A call is answered by Request and Result, or by Operation, which gets the request if there is one.
type Tool struct {
	Name          string         `yaml:"tool"`
	Surface       string         `yaml:"surface,omitempty"`  // mcp, or terminal for a command of pdpp-mcp that MCP clients are not offered; left out: mcp
	Command       string         `yaml:"command,omitempty"`  // the words after pdpp-mcp, of a terminal tool
	Commands      []ShortCommand `yaml:"commands,omitempty"` // of an mcp tool
	Examples      []string       `yaml:"examples,omitempty"` // command lines after pdpp-mcp, of a terminal tool
	Title         string         `yaml:"title"`
	Description   string         `yaml:"description"`
	Budget        ToolBudget     `yaml:"budget,omitempty"` // of an mcp tool
	Arguments     []Argument     `yaml:"arguments"`        // in the order in which a model reads them
	Target        *Target        `yaml:"target,omitempty"`
	Preconditions []Precondition `yaml:"preconditions,omitempty"` // checked in this order
	Request       *Request       `yaml:"request,omitempty"`
	Result        *Result        `yaml:"result,omitempty"`
	Operation     *Operation     `yaml:"operation,omitempty"`
	Endpoint      string         `yaml:"endpoint,omitempty"` // the RS endpoint, for the docs; given for an operation without a request, which names none
	Output        string         `yaml:"output,omitempty"`   // a name of shared.yaml's outputs, of an mcp tool
	Promises      []string       `yaml:"promises,omitempty"` // statements about the result, for the reference page

	File       string `yaml:"-"` // the file that it was read from, relative to the folder above toolspec
	Structured Output `yaml:"-"` // what Output names; empty for a terminal tool
}

// ShortCommand is a command of the terminal that calls an mcp tool and prints plain rows.
type ShortCommand struct {
	Command  string   `yaml:"command"`         // the word after pdpp-mcp
	Alias    string   `yaml:"alias,omitempty"` // a shorter word of small letters
	Title    string   `yaml:"title"`
	Set      Bindings `yaml:"set,omitempty"` // argument → its value if the command line has none
	By       Bindings `yaml:"by,omitempty"`  // field, time and step → the arguments that --by sets
	Examples []string `yaml:"examples"`      // command lines after pdpp-mcp
}

// Terminal reports whether the tool is only a command of the terminal.
func (t Tool) Terminal() bool { return t.Surface == SurfaceTerminal }

// IsDownload reports whether the tool is a command that saves the answer to a file.
func (t Tool) IsDownload() bool { return t.Result != nil && t.Result.Render == RenderFile }

// ToolBudget bounds one entry of tools/list.
type ToolBudget struct {
	Bytes int `yaml:"bytes" jsonschema:"minimum=1"` // of the entry as JSON
}

// Argument is one input of a tool.
type Argument struct {
	Use         string   `yaml:"use,omitempty"` // the argument of shared.yaml that this one was taken from
	Name        string   `yaml:"name"`
	Type        string   `yaml:"type"` // a type word of the vocabulary
	Required    bool     `yaml:"required,omitempty"`
	Positional  bool     `yaml:"positional,omitempty"` // follows the words of a command, or the name of a tool at a terminal, without a flag
	Description string   `yaml:"description,omitempty"`
	Aliases     []string `yaml:"aliases,omitempty"`                                       // accepted, not advertised
	Enum        []string `yaml:"enum,omitempty" jsonschema:"minItems=1,uniqueItems=true"` // the only accepted values of a string
	Minimum     *int64   `yaml:"minimum,omitempty"`                                       // of an integer
	Maximum     *int64   `yaml:"maximum,omitempty"`                                       // of an integer
	Check       string   `yaml:"check,omitempty"`                                         // a check word of the vocabulary
	Send        string   `yaml:"send,omitempty"`                                          // a send word of the vocabulary; empty: not sent alone
	As          string   `yaml:"as,omitempty"`                                            // the RS's name for it, when that differs
	Complete    string   `yaml:"complete,omitempty"`                                      // a complete word of the vocabulary: what a shell offers for it
	// DeclaredFor is the argument that says what the schema must declare a field for: by its value if it has an enum,
	// otherwise by its name.
	DeclaredFor string `yaml:"declared_for,omitempty"`
	SentWith    string `yaml:"sent_with,omitempty"` // sent only when this other argument is given
}

// Target has the arguments that name one record. It resolves to target.stream, target.record_id and
// target.connection_id. The target's connection_id is sent in place of the argument that it names.
type Target struct {
	ID           string `yaml:"id"`
	ConnectionID string `yaml:"connection_id"`
	Stream       string `yaml:"stream,omitempty"`
	RecordID     string `yaml:"record_id,omitempty"`
}

// Precondition is a gate that a call must pass before its request is sent.
type Precondition struct {
	Gate string   `yaml:"gate"`                                                    // a gate word of the vocabulary
	When []string `yaml:"when,omitempty" jsonschema:"minItems=1,uniqueItems=true"` // arguments; the gate applies when any of them is given. None: always
	With Bindings `yaml:"with,omitempty"`
}

// Request is the one request that answers a call.
type Request struct {
	Method string  `yaml:"method"` // GET; of a terminal tool also POST, PATCH or DELETE
	Path   string  `yaml:"path"`   // with {argument} or {target.stream} segments
	PathBy *PathBy `yaml:"path_by,omitempty"`
	// Sources finds the sources of a package that can answer. If it is omitted, the tool reads with single grants only.
	Sources *Sources `yaml:"sources,omitempty"`
	ReadOn  *ReadOn  `yaml:"read_on,omitempty"`
}

// Changes reports whether the request is not a read.
func (r *Request) Changes() bool { return r.Method != Method }

// ReadOn lets the adapter answer a request by reading the records itself when the resource server refuses it
// (R-SCAN-1).
type ReadOn struct {
	As   string   `yaml:"as"` // a read_on word of the vocabulary
	With Bindings `yaml:"with,omitempty"`
	// Promises are statements about such an answer, for the reference page. Those of shared.yaml follow them.
	Promises []string `yaml:"promises,omitempty"`
}

// Sources determines the sources that can answer a request with a package's bearer.
type Sources struct {
	From string   `yaml:"from"` // a sources word of the vocabulary
	With Bindings `yaml:"with,omitempty"`
}

// PathBy chooses another path by the value of an argument.
type PathBy struct {
	Argument string   `yaml:"argument"`
	Values   Bindings `yaml:"values"` // argument value → path
}

// Result names the renderer of a response.
type Result struct {
	Render  string   `yaml:"render"` // a render word of the vocabulary
	With    Bindings `yaml:"with,omitempty"`
	Table   string   `yaml:"table,omitempty"`   // a table word of the vocabulary: what a terminal shows; left out: the text
	Pages   string   `yaml:"pages,omitempty"`   // the argument that takes next_cursor; with it a terminal can read every page
	Changes string   `yaml:"changes,omitempty"` // the argument that takes next_changes_since
	Columns []string `yaml:"columns,omitempty"` // of a terminal tool: the members of a row that a table shows
	Secret  bool     `yaml:"secret,omitempty"`  // of a terminal tool: the answer holds a signing secret, which is shown once
}

// Operation names a hand-written function that answers the call. It gets the request if the tool has one.
type Operation struct {
	Run  string   `yaml:"run"` // an operation word of the vocabulary
	With Bindings `yaml:"with,omitempty"`
}

// Bindings is an ordered mapping from the parameters of a word to their values.
type Bindings []Binding

// Binding binds one parameter of a word to an argument, or to the target or a part of it.
type Binding struct {
	Name  string
	Value string // "stream", "target" or "target.stream"
}

// Get returns the value of a parameter, and reports whether it is bound.
func (bs Bindings) Get(name string) (value string, found bool) {
	for _, binding := range bs {
		if binding.Name == name {
			return binding.Value, true
		}
	}
	return "", false
}

// Output lists the members that the structured content of a tool may have. The reference pages and the schemas for
// programs show all of them. The served schema has only the advertised ones, to keep tools/list short. Both schemas are
// loose (R-SURF-10).
type Output struct {
	Name       string     `yaml:"name"`
	Unserved   bool       `yaml:"unserved,omitempty"` // clients get no schema, so a result without structured content is good to them
	Properties []Property `yaml:"properties" jsonschema:"minItems=1"`
}

// Property is one member of structured content.
type Property struct {
	Name        string     `yaml:"name"`
	Type        string     `yaml:"type"`                                         // a word of PropertyTypes
	Description string     `yaml:"description,omitempty"`                        // for the reference pages and the schemas for programs
	Properties  []Property `yaml:"properties,omitempty" jsonschema:"minItems=1"` // of an object, or of the objects of an array
	OrNames     bool       `yaml:"or_names,omitempty"`                           // of an object or an array: there may be names only, as strings
	Advertised  bool       `yaml:"advertised,omitempty"`                         // also in the served schema
	Brief       string     `yaml:"brief,omitempty"`                              // its description in the served schema, which has none otherwise
}
