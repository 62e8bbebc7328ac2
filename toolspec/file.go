package toolspec

// The types of the files in the folder toolspec, before `use` is resolved. A key without omitempty is required.

// SurfaceFile is surface.yaml: what the server advertises in addition to its tools.
type SurfaceFile struct {
	Instructions string        `yaml:"instructions"` // sent to a client when it connects
	Budget       SurfaceBudget `yaml:"budget"`
	Tools        []string      `yaml:"tools" jsonschema:"uniqueItems=true"`              // every mcp tool, in the order of the documentation
	Commands     []string      `yaml:"commands,omitempty" jsonschema:"uniqueItems=true"` // every terminal tool, in the order of the documentation
	Templates    []Template    `yaml:"templates,omitempty"`
	Examples     []string      `yaml:"examples,omitempty"` // arguments of pdpp-mcp call, for its help
	Calls        []Call        `yaml:"calls,omitempty"`    // all calls of the vocabulary, or none if results suggest no calls

	RelativeDates RelativeDates `yaml:"relative_dates,omitempty"`
}

// SharedFile is shared.yaml: what several tools use.
type SharedFile struct {
	Arguments []Argument `yaml:"arguments,omitempty"` // taken with use: name
	Outputs   []Output   `yaml:"outputs,omitempty"`   // taken with output: name
	Reading   []string   `yaml:"reading,omitempty"`   // promises of every tool with read_on
}

// RecordsFile is records.yaml: what fields of records mean, by their names.
type RecordsFile struct {
	Roles         []Role         `yaml:"roles"`                   // every role of the vocabulary
	Conversations []Conversation `yaml:"conversations,omitempty"` // in order of preference
	Words         SearchWords    `yaml:"words,omitempty"`
}

// Paths below the folder toolspec.
const (
	surfacePath = "surface.yaml"
	sharedPath  = "shared.yaml"
	recordsPath = "records.yaml"
	codesPath   = "codes.yaml"
	toolsFolder = "tools"

	promptsFolder = "prompts"
	skillPath     = "skill.yaml"
)

// folder is the name of the folder in the places of problems.
const folder = "toolspec"
