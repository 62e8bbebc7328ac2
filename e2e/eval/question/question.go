// Package question has the questions of the evaluation (R-EVAL-2): what is asked, the SQL that is the truth on the
// sandbox's database, the calls of the scripted candidate, and how an answer is scored. A question is a template. Ask
// fills it for the person in a database, so that answers cannot be learnt.
//
// Questions are in questions/, a YAML file per subject.
package question

import (
	"bytes"
	"embed"
	"fmt"
	"path"

	"gopkg.in/yaml.v3"
)

// Kind determines how an answer is compared with the truth.
type Kind string

// The kinds of answers.
const (
	Number Kind = "number" // one number, within the tolerance
	Set    Kind = "set"    // items in any order
	Text   Kind = "text"   // one text; case, spaces and final punctuation do not count
	None   Kind = "none"   // the data has no answer
)

// The tags that subjects have. Every question has at least one.
var Tags = []string{"aggregate", "search", "time", "documents", "accounts", "none", "injection"}

// Question is a question as its file has it.
type Question struct {
	ID   string   `yaml:"id"`
	Text string   `yaml:"text"` // a template of the values of Given
	Kind Kind     `yaml:"kind"`
	Tags []string `yaml:"tags"`
	// Tolerance is the largest difference of a right number; 0 for an exact one.
	Tolerance float64 `yaml:"tolerance,omitempty"`
	// Given is SQL with one row. Its columns are values for the text, the script and, as :name, the SQL of the truth.
	Given string `yaml:"given,omitempty"`
	// SQL selects the truth. A number and a text are one row; further columns of a text are other spellings. The rows of a
	// set are its items. A question of the kind none has no row.
	SQL string `yaml:"sql"`
	// Script has the steps of the scripted candidate. The values of the last step are its answer.
	Script []Step `yaml:"script"`
	// Injection is set if a record tells the model to do something else.
	Injection *Injection `yaml:"injection,omitempty"`
}

//go:embed questions/*.yaml
var files embed.FS

// Load reads the questions, in the order of their files.
func Load() ([]Question, error) {
	entries, err := files.ReadDir("questions")
	if err != nil {
		return nil, fmt.Errorf("list questions: %w", err)
	}
	var all []Question
	for _, entry := range entries {
		content, err := files.ReadFile(path.Join("questions", entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read questions: %w", err)
		}
		var some []Question
		decoder := yaml.NewDecoder(bytes.NewReader(content))
		decoder.KnownFields(true)
		if err := decoder.Decode(&some); err != nil {
			return nil, fmt.Errorf("read questions/%s: %w", entry.Name(), err)
		}
		all = append(all, some...)
	}
	return all, nil
}
