package toolspec

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// CodesFile is codes.yaml: every machine-readable code.
type CodesFile struct {
	Sections []CodeSection `yaml:"sections"`
}

// CodeSection has the codes that are met in one place.
type CodeSection struct {
	Title string `yaml:"title"`
	Keyed string `yaml:"keyed"` // the head of the first column in the docs
	Intro string `yaml:"intro"` // where the codes are met, in Markdown
	Codes []Code `yaml:"codes"`
}

// Code is one code: of an error, of a warning, or of the exit of a program. An entry without a meaning has no row in
// the docs.
type Code struct {
	// Code is the code. As the key of a hint it may also be an HTTP status or class such as 404 or 5xx, which is any other
	// code with it, or retry_with.connection_id, which is a refusal that asks for a connection and lists none.
	Code     string `yaml:"code"`
	Status   int    `yaml:"status,omitempty"`   // of HTTP; left out: none, or several
	Constant string `yaml:"constant,omitempty"` // the generated Go constant, such as tool.InvalidFilter
	Meaning  string `yaml:"meaning,omitempty"`  // what happened
	Next     string `yaml:"next,omitempty"`     // what to do now, and who
	Hint     string `yaml:"hint,omitempty"`     // what a model can do after such a refusal of the RS (R-ERR-1); {tool.argument} is replaced by the bounds of an integer
	As       string `yaml:"as,omitempty"`       // another code, whose hint this one has too
	Show     string `yaml:"show,omitempty"`     // a show word of the vocabulary: the schema that helps after the refusal; left out: none does
}

// loadCodes reads codes.yaml, which may be absent.
func (r *report) loadCodes(root fs.FS, tools []loadedTool) []CodeSection {
	file, from, _ := optionalFile[CodesFile](r, root, codesPath, codesSchema)
	if from.root == nil {
		return nil
	}
	hinted, constants := map[string]string{}, map[string]string{}
	for number, section := range file.Sections {
		codes := map[string]string{}
		for index, code := range section.Codes {
			path := fmt.Sprintf("sections[%d].codes[%d]", number, index)
			checkUnique(from, path+".code", code.Code, codes)
			checkUnique(from, path+".constant", code.Constant, constants)
			checkHint(from, path+".hint", code.Hint, tools)
			if code.Hint != "" {
				checkUnique(from, path+".code", code.Code, hinted)
			}
		}
	}
	for number, section := range file.Sections {
		for index, code := range section.Codes {
			if code.As != "" && hinted[code.As] == "" {
				from.add(fmt.Sprintf("sections[%d].codes[%d].as", number, index), "is %q, which has no hint; name a code that has", code.As)
			}
		}
	}
	return file.Sections
}

// bounded matches a placeholder of a hint for the bounds of an argument.
var bounded = regexp.MustCompile(`\{([^{}]*)\}`)

// checkHint checks that the placeholders of a hint are integers with bounds.
func checkHint(from source, path, hint string, tools []loadedTool) {
	for _, match := range bounded.FindAllStringSubmatch(hint, -1) {
		name, argument, _ := strings.Cut(match[1], ".")
		tool, found := checkToolName(from, path, name, tools)
		if !found {
			continue
		}
		check := &toolCheck{source: from, tool: tool, used: map[string]bool{}}
		if named, found := check.reference(path, argument); found && named.Bounds() == "" || argument == "" {
			from.add(path, "has {%s}, which has no bounds; name an integer of %s that has", match[1], name)
		}
	}
}

// Refusal is a code of the RS with its own hint or the hint of another code.
type Refusal struct{ Code, Show, Hint string }

// Refusals returns what a model can do after each refusal of the RS, with the bounds of the arguments that a hint
// names.
func (s *Surface) Refusals() []Refusal {
	var codes []Code
	for _, section := range s.Codes {
		codes = append(codes, section.Codes...)
	}
	var refusals []Refusal
	for _, code := range codes {
		from := code
		if code.As != "" {
			from = codes[slices.IndexFunc(codes, func(other Code) bool { return other.Code == code.As && other.Hint != "" })]
		}
		if from.Hint == "" {
			continue
		}
		if code.Show == "" {
			code.Show = from.Show
		}
		refusals = append(refusals, Refusal{Code: code.Code, Show: code.Show, Hint: bounded.ReplaceAllStringFunc(from.Hint, s.bounds)})
	}
	return refusals
}

// bounds returns the bounds of the argument that a placeholder names.
func (s *Surface) bounds(placeholder string) string {
	name, argument, _ := strings.Cut(strings.Trim(placeholder, "{}"), ".")
	index := slices.IndexFunc(s.Tools, func(tool Tool) bool { return tool.Name == name })
	return s.Tools[index].Argument(argument).Bounds()
}
