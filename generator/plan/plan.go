// Package plan turns specs into the input of the emitters: Go names, typed fields, the order of the calls, and the
// function of each word of a spec. It writes no output.
package plan

import "github.com/pdppmcp/pdpp-mcp/toolspec"

// Plan is the whole surface in the form that the emitters need.
type Plan struct {
	*toolspec.Surface
	Tools    []Tool // offered to MCP clients, in the order of the specs
	Commands []Tool // commands of the terminal only, in the order of the specs
	Names    []Name // constants for hand-written code, in the order of the vocabulary
	Advice   []Advice
}

// Name is a constant for the name of a tool or an argument.
type Name struct{ Constant, Value string }

// Advice is the next step after a refusal of the RS.
type Advice struct {
	Code string
	Show string // the constant for the schema to read; empty if none
	Hint string
}

// Tool is one tool. A call is answered by Request and Render, or by Operation. A Render that answers sends the request
// itself.
type Tool struct {
	toolspec.Tool
	GoName        string // QueryRecords
	LocalName     string // queryRecords
	Arguments     []Argument
	Target        *Target
	Preconditions []Precondition
	Request       *Request
	Render        *Call
	Operation     *Call  // answers the call, with the request if there is one
	Table         string // the constant for the table at a terminal; empty for the text
	Pages         string // the argument that takes next_cursor; empty without pages
	Changes       string // the argument that takes next_changes_since; empty for none
	Endpoint      string // of the RS, such as GET /v1/schema
	Output        toolspec.Output
	Terminal      *Terminal // nil: offered to MCP clients
}

// Terminal has the members of a tool that is only a command.
type Terminal struct {
	Words    []string // after pdpp-mcp
	Columns  []string // of a table; nil: every member
	Secret   bool     // the answer holds a signing secret
	Download bool     // the answer is bytes for a file, and nothing renders it
}

// IsDownload reports whether the tool is a command that saves the answer to a file.
func (t Tool) IsDownload() bool { return t.Terminal != nil && t.Terminal.Download }

// Argument is one input of a tool.
type Argument struct {
	toolspec.Argument
	Field    string // of the input struct
	Type     toolspec.ArgumentType
	Go       GoType
	Bounds   string // the bounds in words; empty without any
	Check    *Check // nil: any value of the type
	Reader   string // method of argument.Arguments
	Complete string // the constant for the completions of a shell; empty without any
	SentName string // the RS's name for it, unless that means another argument
	SentAs   string // how it is sent, for the docs; empty if it is not sent alone
}

// GoType is the type of a field.
type GoType struct {
	Prefix  string // "*", "[]" or empty
	Package string // path segment of the runtime package; empty for a predeclared type
	Name    string
}

// Check is a value of type argument.Check.
type Check struct {
	Function string // of package argument
	Doc      string
}

// Target is the record that a call names. Its members are arguments, nil for those that the tool does not have.
type Target struct {
	ID, ConnectionID, Stream, RecordID *Value
}

// IsID reports whether the argument alone names the record. It is false for a nil target.
func (t *Target) IsID(argument Argument) bool {
	return t != nil && t.ID != nil && t.ID.Field == argument.Field
}

// Value is the source of a parameter of a call.
type Value struct {
	Name     string // as the spec has it
	Variable string // input or target
	Field    string // empty for the whole variable
	Address  bool   // the parameter is a pointer and the field is not
	NameOnly bool   // the parameter is the argument's name
}

// Field is one member of a struct literal.
type Field struct {
	Name  string
	Value Value
}

// Call is a call of a hand-written function. Its last parameter is the struct Function + "Input". The sources of a
// request are such a struct alone, named Function.
type Call struct {
	Package   string // of the runtime
	Function  string
	Doc       string
	Fields    []Field
	Continues bool     // of a renderer: it is given the call
	Answers   bool     // it returns the answer to the call
	Promises  []string // of a renderer, for the docs
}

// Precondition is a gate. It applies if any value of When is given, or always if When is empty.
type Precondition struct {
	When []Value
	Call
}

// Request is the request that answers a call.
type Request struct {
	Method string // GET; of a command also POST, PATCH or DELETE
	Path   Path
	Other  *OtherPaths // nil: always Path
	Query  []Parameter // in the order of the arguments
	Body   []Parameter // likewise; the members of the JSON body
	// Sources is the literal of a type of package rs; nil: with single grants only.
	Sources *Call
	ReadOn  *Call // of package scan, in place of the plain read; nil: the resource server answers alone
}

// Path is a path of the RS, segment by segment.
type Path []Segment

// Segment is a literal, or a value of the call.
type Segment struct {
	Name    string // as the spec has it; of a value
	Literal string
	Value   *Value // nil: Literal
}

// OtherPaths are the paths for some values of one argument.
type OtherPaths struct {
	Argument string // its name
	By       Value
	Given    bool // the argument may be absent: look only when it is there
	Paths    []OtherPath
}

// OtherPath is the path for one value of the argument.
type OtherPath struct {
	When string
	Path Path
}

// Changes reports whether the request is not a read.
func (r *Request) Changes() bool { return r.Method != toolspec.Method }

// Parameter is one addition to the query string or to the body.
type Parameter struct {
	Method string // of rs.Query or rs.Body
	Name   string // as the RS calls it
	Value  Value
	With   *Value // sent only when this is given; nil: always
}
