package toolspec

// Kind is the kind of value that a parameter of a word takes.
type Kind string

// The kinds of parameters. An optional kind also takes an argument that is required.
const (
	KindString          Kind = "string"           // a required string argument, target.stream or target.record_id
	KindOptionalString  Kind = "optional string"  // a string argument, or any part of the target
	KindOptionalInteger Kind = "optional integer" // an integer argument
	KindOptionalBoolean Kind = "optional boolean" // a boolean argument
	KindStringList      Kind = "string list"      // a string_list argument
	KindFilter          Kind = "filter"           // a filter argument
	KindTarget          Kind = "target"           // the target as a whole
	KindStringName      Kind = "string name"      // the name of a string argument, which the word reads from the call
	KindIntegerName     Kind = "integer name"     // the name of an integer argument
	KindName            Kind = "name"             // the name of an argument of any type
)

// Optional reports whether a value of this kind may be absent.
func (k Kind) Optional() bool {
	return k == KindOptionalString || k == KindOptionalInteger || k == KindOptionalBoolean || k == KindStringList || k == KindFilter ||
		k == KindStringName || k == KindIntegerName
}

// IsName reports whether a call gets the name of the argument, and not its value.
func (k Kind) IsName() bool {
	return k == KindStringName || k == KindIntegerName || k == KindName
}

// argumentType returns the type of the arguments for a parameter of this kind, or an empty string for KindTarget and
// KindName.
func (k Kind) argumentType() string {
	return map[Kind]string{
		KindString: "string", KindOptionalString: "string", KindOptionalInteger: "integer", KindOptionalBoolean: "boolean", KindStringList: "string_list",
		KindFilter:     "filter",
		KindStringName: "string", KindIntegerName: "integer",
	}[k]
}

// Word is a word for a type of arguments, a check, an encoding, a gate, a renderer or an operation.
type Word struct {
	Name       string
	Doc        string
	Function   string      // the exported function of the word's package; empty if Fits has it, or nothing is called
	Package    string      // of the runtime, with the function; empty: package tool, or nothing is called
	Fits       []Fit       // of checks and send words: the argument types that it can be used on
	Segment    bool        // of checks: accepted values are safe as a segment of a path (R-ARG-7)
	Parameters []Parameter // of gates, renderers and operations: what `with` binds, in the order of the Go struct
	Sends      bool        // of operations: they get the request and send it
	Continues  bool        // of renderers and operations: they get the call, to show how it continues
	Answers    bool        // of renderers and operations: the function sends the request and returns the answer to the call; read_on adds to its parameters

	// Of argument types. Function is the method of argument.Arguments that reads one that may be absent.
	RequiredFunction string // the method that reads a required one; empty: it cannot be required
	Go               string // the Go type of one that may be absent
	RequiredGo       string // the Go type of a required one
	Constant         string // of package tool, for hosts that do not read schemas
	ReadsDates       bool   // a value may hold dates, so its method gets the clock of the call
}

// Fit is an argument type that a word can be used on.
type Fit struct {
	Type     string
	Function string // the function or constant for that type
}

// Parameter is one value that a word takes.
type Parameter struct {
	Name string // in YAML; the Go field is the same name in Go's spelling
	Kind Kind
}

// functionFor returns the Go name of the word for an argument type, and reports whether the word fits that type.
func (w Word) functionFor(argumentType string) (string, bool) {
	for _, fit := range w.Fits {
		if fit.Type == argumentType {
			return fit.Function, true
		}
	}
	return "", false
}

// parameter returns a parameter by its YAML name.
func (w Word) parameter(name string) (Parameter, bool) {
	for _, parameter := range w.Parameters {
		if parameter.Name == name {
			return parameter, true
		}
	}
	return Parameter{}, false
}

// Words is one table of the vocabulary. Tables are never changed.
type Words []Word

// find returns a word by its name.
func (ws Words) find(name string) (Word, bool) {
	for _, word := range ws {
		if word.Name == name {
			return word, true
		}
	}
	return Word{}, false
}

// fitting returns the words that an argument of a type takes.
func (ws Words) fitting(argumentType string) Words {
	var words Words
	for _, word := range ws {
		if _, fits := word.functionFor(argumentType); fits {
			words = append(words, word)
		}
	}
	return words
}

// Names returns the names of the words in the order of the table.
func (ws Words) Names() []string {
	names := make([]string, 0, len(ws))
	for _, word := range ws {
		names = append(names, word.Name)
	}
	return names
}
