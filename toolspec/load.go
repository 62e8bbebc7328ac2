package toolspec

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

// Load reads surface.yaml, shared.yaml and tools/*.yaml below root, which is the folder toolspec. Its error is Problems, with
// all problems of all files. shared.yaml may be absent.
func Load(root fs.FS) (*Surface, error) {
	r := newReport()
	surface := r.load(root)
	if len(r.problems) > 0 {
		return nil, r.problems.sorted()
	}
	return surface, nil
}

func (r *report) load(root fs.FS) *Surface {
	outputs, common := r.loadShared(root)
	surfaceRoot := r.read(root, surfacePath)
	tools := r.loadTools(root, common)
	if surfaceRoot == nil {
		return nil
	}
	file, from := decode[SurfaceFile](r, surfaceRoot)
	checkSurface(from, file, tools)
	surface := &Surface{
		Instructions: file.Instructions,
		Budget:       file.Budget,
		Templates:    file.Templates,
		Examples:     file.Examples,
		Calls:        file.Calls,
		Refusals:     file.Refusals,
		Outputs:      outputs,
	}
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

// loadShared reads shared.yaml, which may be absent.
func (r *report) loadShared(root fs.FS) ([]Output, shared) {
	if _, err := fs.Stat(root, sharedPath); errors.Is(err, fs.ErrNotExist) {
		return nil, shared{complete: true}
	}
	node := r.read(root, sharedPath)
	if node == nil {
		return nil, shared{}
	}
	file, from := decode[SharedFile](r, node)
	checkShared(from, file)
	common := sharedArguments(valueOf(node, "arguments"))
	common.complete = from.complete
	for _, output := range file.Outputs {
		common.outputs = append(common.outputs, output.Name)
	}
	return file.Outputs, common
}

// loadedTool is a tool and its source. If the file could not be parsed, only the stem is set.
type loadedTool struct {
	stem   string // of the file's name
	value  Tool
	source source
}

// loadTools reads every file of the folder tools, in the order of their names.
func (r *report) loadTools(root fs.FS, common shared) []loadedTool {
	entries, err := fs.ReadDir(root, toolsFolder)
	if err != nil {
		r.addFile(path.Join(folder, toolsFolder), err, "cannot be read: %v; keep one YAML file there for each tool", err)
		return nil
	}
	tools := make([]loadedTool, 0, len(entries))
	for _, entry := range entries {
		name := path.Join(toolsFolder, entry.Name())
		if entry.IsDir() || path.Ext(name) != ".yaml" {
			r.addFile(path.Join(folder, name), nil, "is not a tool; keep only files that end in .yaml here")
			continue
		}
		tool := loadedTool{stem: strings.TrimSuffix(entry.Name(), ".yaml")}
		if node := r.read(root, name); node != nil {
			tool.value, tool.source = r.loadTool(node, name, common)
		}
		tools = append(tools, tool)
	}
	return tools
}

func (r *report) loadTool(node *yaml.Node, name string, common shared) (Tool, source) {
	resolved := r.resolve(node, common)
	tool, position := decode[Tool](r, node)
	position.complete = position.complete && resolved
	tool.File = path.Join(folder, name)
	if tool.Name != "" && tool.Name+".yaml" != path.Base(name) {
		position.add("tool", "is %q in a file named %q; give both one name", tool.Name, path.Base(name))
	}
	checkTool(position, tool, common)
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
