package toolspec

// Kind is the kind of value that a parameter of a word takes.
type Kind struct {
	Name         string
	Optional     bool   // a value may be absent; an argument that is required fits too
	IsName       bool   // a call gets the name of the argument, and not its value
	argumentType string // of the arguments; empty for the target and for arguments of any type
}

// The kinds of parameters. A string may also be target.stream or target.record_id, and an optional one any part of the
// target.
var (
	KindString          = Kind{Name: "string", argumentType: "string"}
	KindOptionalString  = Kind{Name: "optional string", argumentType: "string", Optional: true}
	KindOptionalInteger = Kind{Name: "optional integer", argumentType: "integer", Optional: true}
	KindOptionalBoolean = Kind{Name: "optional boolean", argumentType: "boolean", Optional: true}
	KindStringList      = Kind{Name: "string list", argumentType: "string_list", Optional: true}
	KindFilter          = Kind{Name: "filter", argumentType: "filter", Optional: true}
	KindTarget          = Kind{Name: "target"}
	KindStringName      = Kind{Name: "string name", argumentType: "string", Optional: true, IsName: true}
	KindIntegerName     = Kind{Name: "integer name", argumentType: "integer", Optional: true, IsName: true}
	KindName            = Kind{Name: "name", IsName: true}
)

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
	return textsOf(ws, func(word Word) string { return word.Name })
}

// textsOf returns a text for each item of a list, such as its name.
func textsOf[T any](items []T, text func(T) string) []string {
	list := make([]string, 0, len(items))
	for _, item := range items {
		list = append(list, text(item))
	}
	return list
}
