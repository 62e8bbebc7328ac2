package toolspec

// The files of the folder toolspec, as they are written: before `use` is resolved. A key without
// omitempty must be given.

// SurfaceFile is surface.yaml: what the server says of itself beside its tools.
type SurfaceFile struct {
	Instructions string        `yaml:"instructions"` // what a client is told when it connects
	Budget       SurfaceBudget `yaml:"budget"`
	Tools        []string      `yaml:"tools"`              // every mcp tool, in the order of the documentation
	Commands     []string      `yaml:"commands,omitempty"` // every terminal tool, likewise
	Templates    []Template    `yaml:"templates,omitempty"`
	Examples     []string      `yaml:"examples,omitempty"` // command lines behind pdpp-mcp call, for its help
	Calls        []Call        `yaml:"calls,omitempty"`    // all that the vocabulary has; a surface whose results lead nowhere has none
	Refusals     []Refusal     `yaml:"refusals,omitempty"` // what a model can do after the RS said no (R-ERR-1)
}

// SharedFile is shared.yaml: what several tools use.
type SharedFile struct {
	Arguments []Argument `yaml:"arguments,omitempty"` // taken with use: name
	Outputs   []Output   `yaml:"outputs,omitempty"`   // taken with output: name
}

// Paths below the folder toolspec.
const (
	surfacePath = "surface.yaml"
	sharedPath  = "shared.yaml"
	toolsFolder = "tools"
)

// folder is the name of the folder in the places of problems.
const folder = "toolspec"
