package toolspec

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

// Load reads surface.yaml, shared.yaml, records.yaml, skill.yaml, tools/*.yaml and prompts/*.yaml below root, which is
// the folder toolspec. Its error is Problems, with all problems of all files. shared.yaml, records.yaml, skill.yaml and
// the folder prompts may be absent.
func Load(root fs.FS) (*Surface, error) {
	r := newReport()
	surface := r.load(root)
	if len(r.problems) > 0 {
		return nil, r.problems.sorted()
	}
	return surface, nil
}

func (r *report) load(root fs.FS) *Surface {
	common := r.loadShared(root)
	surfaceRoot := r.read(root, surfacePath)
	tools := r.loadTools(root, common)
	prompts := r.loadPrompts(root, tools)
	skill := r.loadSkill(root, tools)
	records := r.loadRecords(root)
	if surfaceRoot == nil {
		return nil
	}
	file, from := decode[SurfaceFile](r, surfaceRoot, surfaceSchema)
	checkSurface(from, file, tools)
	surface := &Surface{
		Instructions: file.Instructions,
		Budget:       file.Budget,
		Templates:    file.Templates,
		Prompts:      prompts,
		Skill:        skill,
		Examples:     file.Examples,
		Calls:        file.Calls,
		Codes:        r.loadCodes(root, tools),
		Outputs:      common.Outputs,
		Records:      records,
	}
	surface.RelativeDates = file.RelativeDates.resolve(from)
	surface.Tools = named(file.Tools, tools)
	surface.Commands = named(file.Commands, tools)
	return surface
}

// named returns the tools of a list of surface.yaml, in its order.
func named(list []string, tools []loadedTool) []Tool {
	var found []Tool
	for _, name := range list {
		for _, tool := range tools {
			if tool.value.Name == name {
				found = append(found, tool.value)
			}
		}
	}
	return found
}

// optionalFile reads a file that may be absent. The source has no root if there is no readable mapping.
func optionalFile[T any](r *report, root fs.FS, name, schema string) (value T, from source, isAbsent bool) {
	if _, err := fs.Stat(root, name); errors.Is(err, fs.ErrNotExist) {
		return value, from, true
	}
	if node := r.read(root, name); node != nil {
		value, from = decode[T](r, node, schema)
	}
	return value, from, false
}

// loadRecords reads records.yaml, which may be absent.
func (r *report) loadRecords(root fs.FS) RecordsFile {
	file, from, _ := optionalFile[RecordsFile](r, root, recordsPath, recordsSchema)
	if from.root != nil {
		checkRecords(from, file)
	}
	return file
}

// loadShared reads shared.yaml, which may be absent.
func (r *report) loadShared(root fs.FS) shared {
	file, from, isAbsent := optionalFile[SharedFile](r, root, sharedPath, sharedSchema)
	if from.root == nil {
		return shared{complete: isAbsent}
	}
	checkShared(from, file)
	common := sharedArguments(valueOf(from.root, "arguments"))
	common.complete, common.SharedFile = from.complete, file
	return common
}

// loadedTool is a tool and its source. If the file could not be parsed, only the stem is set.
type loadedTool struct {
	stem   string // of the file's name
	value  Tool
	source source
}

// loadTools reads every file of the folder tools, in the order of their names.
func (r *report) loadTools(root fs.FS, common shared) []loadedTool {
	names := r.filesOf(root, toolsFolder, "tool")
	tools := make([]loadedTool, 0, len(names))
	for _, name := range names {
		tool := loadedTool{stem: strings.TrimSuffix(path.Base(name), ".yaml")}
		if node := r.read(root, name); node != nil {
			tool.value, tool.source = r.loadTool(node, name, common)
		}
		tools = append(tools, tool)
	}
	return tools
}

// filesOf returns the files of a folder that holds one YAML file for each of a kind.
func (r *report) filesOf(root fs.FS, below, kind string) []string {
	entries, err := fs.ReadDir(root, below)
	if err != nil {
		r.addFile(path.Join(folder, below), err, "cannot be read: %v; keep one YAML file there for each %s", err, kind)
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		name := path.Join(below, entry.Name())
		if entry.IsDir() || path.Ext(name) != ".yaml" {
			r.addFile(path.Join(folder, name), nil, "is not a %s; keep only files that end in .yaml here", kind)
			continue
		}
		names = append(names, name)
	}
	return names
}

// loadPrompts reads every file of the folder prompts, which may be absent.
func (r *report) loadPrompts(root fs.FS, tools []loadedTool) []Prompt {
	if _, err := fs.Stat(root, promptsFolder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var prompts []Prompt
	for _, name := range r.filesOf(root, promptsFolder, "prompt") {
		node := r.read(root, name)
		if node == nil {
			continue
		}
		prompt, from := decode[Prompt](r, node, promptSchema)
		prompt.File = path.Join(folder, name)
		checkStem(from, "prompt", prompt.Name, name)
		checkPrompt(from, prompt, tools)
		prompts = append(prompts, prompt)
	}
	return prompts
}

// checkStem notes a name that differs from the name of its file.
func checkStem(from source, key, name, file string) {
	if name != "" && name+".yaml" != path.Base(file) {
		from.add(key, "is %q in a file named %q; give both one name", name, path.Base(file))
	}
}

func (r *report) loadTool(node *yaml.Node, name string, common shared) (Tool, source) {
	resolved := r.resolve(node, common)
	tool, position := decode[Tool](r, node, toolSchema)
	position.complete = position.complete && resolved
	tool.File = path.Join(folder, name)
	checkStem(position, "tool", tool.Name, name)
	checkTool(position, tool, common)
	for _, output := range common.Outputs {
		if output.Name == tool.Output {
			tool.Structured = output
		}
	}
	if request := tool.Request; request != nil {
		tool.Endpoint = request.Method + " " + strings.ReplaceAll(request.Path, "{"+TargetWord+".", "{")
		if readOn := request.ReadOn; readOn != nil {
			readOn.Promises = append(readOn.Promises, common.Reading...)
		}
	}
	return tool, position
}

// read parses one file below root. It notes problems, and returns nil if the file has no usable mapping.
func (r *report) read(root fs.FS, name string) *yaml.Node {
	file := path.Join(folder, name)
	text, err := fs.ReadFile(root, name)
	if err != nil {
		r.addFile(file, err, "cannot be read: %v; add the file", err)
		return nil
	}
	return r.parse(file, text)
}
