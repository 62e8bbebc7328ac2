package toolspec

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Load reads surface.yaml, shared.yaml and tools/*.yaml below root, which is the folder toolspec. Its
// error is Problems: all that is wrong in any of the files. shared.yaml may be absent.
func Load(root fs.FS) (*Surface, error) {
	r := newReport()
	surface := r.load(root)
	if len(r.problems) > 0 {
		return nil, r.problems.sorted()
	}
	return surface, nil
}

func (r *report) load(root fs.FS) *Surface {
	sharedRoot := r.read(root, sharedPath, true)
	surfaceRoot := r.read(root, surfacePath, false)
	var common SharedFile
	if sharedRoot != nil {
		var from source
		common, from = decode[SharedFile](r, sharedRoot)
		checkShared(from, common)
	}
	tools := r.loadTools(root, sharedArguments(sharedRoot), outputNames(common.Outputs))
	if surfaceRoot == nil {
		return nil
	}
	file, from := decode[SurfaceFile](r, surfaceRoot)
	checkSurface(from, file, tools)
	surface := &Surface{
		Instructions: file.Instructions,
		Budget:       file.Budget,
		Templates:    file.Templates,
		Outputs:      common.Outputs,
	}
	for _, name := range file.Tools {
		for _, tool := range tools {
			if tool.value.Name == name {
				surface.Tools = append(surface.Tools, tool.value)
			}
		}
	}
	return surface
}

// loadedTool is a tool, and where it was read from.
type loadedTool struct {
	value  Tool
	source source
}

// loadTools reads every file of the folder tools, in the order of their names.
func (r *report) loadTools(root fs.FS, from shared, outputs []string) []loadedTool {
	entries, err := fs.ReadDir(root, toolsFolder)
	if err != nil {
		r.addFile(path.Join(folder, toolsFolder), err, "cannot be read: %v; keep one YAML file there for each tool", err)
		return nil
	}
	var tools []loadedTool
	for _, entry := range entries {
		name := path.Join(toolsFolder, entry.Name())
		if entry.IsDir() || path.Ext(name) != ".yaml" {
			r.addFile(path.Join(folder, name), nil, "is not a tool; keep only files that end in .yaml here")
			continue
		}
		node := r.read(root, name, false)
		if node == nil {
			continue
		}
		tools = append(tools, r.loadTool(node, name, from, outputs))
	}
	return tools
}

func (r *report) loadTool(node *yaml.Node, name string, from shared, outputs []string) loadedTool {
	complete := r.resolve(node, from)
	tool, position := decode[Tool](r, node)
	tool.File = path.Join(folder, name)
	if stem := strings.TrimSuffix(path.Base(name), ".yaml"); tool.Name != "" && tool.Name != stem {
		position.add("tool", "is %q in a file named %q; give both one name", tool.Name, path.Base(name))
	}
	checkTool(position, tool, complete, outputs)
	return loadedTool{value: tool, source: position}
}

// read reads one file below root. Its node is nil when there is none to go on with; only an optional
// file may be absent.
func (r *report) read(root fs.FS, name string, optional bool) *yaml.Node {
	file := path.Join(folder, name)
	text, err := fs.ReadFile(root, name)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		r.addFile(file, err, "cannot be read: %v; add the file", err)
		return nil
	}
	return r.parse(file, text)
}

func outputNames(outputs []Output) []string {
	list := make([]string, 0, len(outputs))
	for _, output := range outputs {
		list = append(list, output.Name)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}
