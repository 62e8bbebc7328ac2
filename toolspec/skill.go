package toolspec

import (
	"fmt"
	"io/fs"
)

// Skill teaches an agent the shortest ways through the tools, in the form of the Agent Skills specification (R-EVAL-5).
type Skill struct {
	Name        string        `yaml:"skill" jsonschema:"maxLength=64"` // also of its folder
	Title       string        `yaml:"title"`
	Description string        `yaml:"description" jsonschema:"maxLength=1024"` // what it is for and when to use it; a host always shows it to its model
	Opening     string        `yaml:"opening"`
	Choose      []SkillChoice `yaml:"choose"` // all tools
	Ways        []SkillWay    `yaml:"ways"`
	Avoid       []string      `yaml:"avoid"`
}

// SkillChoice says when to use a tool.
type SkillChoice struct {
	Tool string `yaml:"tool"`
	When string `yaml:"when"`
}

// SkillWay is a question and the calls that answer it.
type SkillWay struct {
	Question string   `yaml:"question"`
	Calls    []string `yaml:"calls"` // a tool and one JSON object each
	Note     string   `yaml:"note,omitempty"`
}

// loadSkill reads skill.yaml. It returns nil without the file.
func (r *report) loadSkill(root fs.FS, tools []loadedTool) *Skill {
	skill, from, _ := optionalFile[Skill](r, root, skillPath, skillSchema)
	if from.root == nil {
		return nil
	}
	checkSkill(from, skill, tools)
	return &skill
}

// checkSkill checks a skill: it names every tool once, and each call in it is one that its tool takes.
func checkSkill(from source, skill Skill, tools []loadedTool) {
	chosen := map[string]string{}
	for index, choice := range skill.Choose {
		path := fmt.Sprintf("choose[%d].tool", index)
		checkToolName(from, path, choice.Tool, tools)
		checkUnique(from, path, choice.Tool, chosen)
	}
	for index, way := range skill.Ways {
		for number, call := range way.Calls {
			path := fmt.Sprintf("ways[%d].calls[%d]", index, number)
			if fault := callFault(from, path, call, tools); fault != "" {
				from.add(path, "is the call `%s`, %s", call, fault)
			}
		}
	}
}
