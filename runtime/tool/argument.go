package tool

// ArgumentType is the form of an argument's value in JSON.
type ArgumentType string

// The types that specs use.
const (
	StringArgument     ArgumentType = "string"
	IntegerArgument    ArgumentType = "integer"
	BooleanArgument    ArgumentType = "boolean"
	StringListArgument ArgumentType = "string_list"
	FilterArgument     ArgumentType = "filter" // an object of fields, each with a value or an object of gte, gt, lte and lt
	LimitsArgument     ArgumentType = "limits" // an object of relations and whole numbers
)

// Argument is one advertised argument of a tool. Clients read the input schema; a command line makes flags of
// these.
type Argument struct {
	Name        string
	Type        ArgumentType
	Required    bool
	Positional  bool       // stands behind the words of a command, or at a terminal behind the name of a tool, without a flag
	Description string     // one line, values and bounds included; may be empty
	Values      []string   // the only values of a string; nil: any
	Complete    Completion // what a shell offers beside Values
	DeclaredFor string     // the argument that says what a field must be declared for: by its value if that is a word, else by its name
}

// NamedArgument is an argument as a call gave it, with its name, for a refusal that names it.
type NamedArgument[T any] struct {
	Name  string
	Value *T // nil: it was not given
}

// Named is an argument with its name.
func Named[T any](name string, value *T) NamedArgument[T] {
	return NamedArgument[T]{Name: name, Value: value}
}

// Given reports whether the call gave the argument.
func (a NamedArgument[T]) Given() bool { return a.Value != nil }

// Completion is what of the schema an argument names: shells and clients offer it in the place of a value, and a refusal says
// which there are (R-ERR-7).
type Completion int

// The completions that specs use.
const (
	CompleteNothing    Completion = iota
	CompleteStream                // the names of streams
	CompleteConnection            // the ids of connections
	CompleteField                 // the names of the fields of the stream that the call names
	CompleteRelation              // the names of its relations
	CompleteSort                  // the field that it is sorted by
	CompleteRecord                // a record's id, which may name its stream and its connection
)
