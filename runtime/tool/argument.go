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
	Positional  bool     // of a command: stands behind its words, without a flag
	Description string   // one line, values and bounds included; may be empty
	Values      []string // the only values of a string; nil: any
}
