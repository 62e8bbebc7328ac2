package toolspec

import "gopkg.in/yaml.v3"

// useKey is the key by which a tool takes an argument from shared.yaml.
const useKey = "use"

// shared has the contents of shared.yaml that tools can use.
type shared struct {
	SharedFile
	nodes    map[string]*yaml.Node // the arguments by name
	names    []string              // of the arguments, in the order of the file
	complete bool                  // all of the file could be read, so an unknown name is a problem
}

// sharedArguments returns the arguments that tools may use. It skips those without a readable name, which decoding
// reports.
func sharedArguments(list *yaml.Node) shared {
	result := shared{nodes: map[string]*yaml.Node{}}
	if list == nil || list.Kind != yaml.SequenceNode {
		return result
	}
	for _, item := range list.Content {
		name := valueOf(item, "name")
		if item.Kind != yaml.MappingNode || name == nil || name.Kind != yaml.ScalarNode {
			continue
		}
		if _, twice := result.nodes[name.Value]; !twice {
			result.nodes[name.Value] = item
			result.names = append(result.names, name.Value)
		}
	}
	return result
}

// resolve replaces every `use` among the arguments of a tool with the argument of shared.yaml, overridden by the keys
// next to `use`. Nodes keep their places, so a problem is reported in the file of its text. It notes and drops an
// argument that cannot be resolved, and reports whether there was none.
func (r *report) resolve(tool *yaml.Node, from shared) (complete bool) {
	list := valueOf(tool, "arguments")
	if list == nil || list.Kind != yaml.SequenceNode {
		return true // decoding the tool reports it
	}
	complete = true
	kept := make([]*yaml.Node, 0, len(list.Content))
	for _, item := range list.Content {
		use := valueOf(item, useKey)
		if item.Kind != yaml.MappingNode || use == nil {
			kept = append(kept, item)
			continue
		}
		if origin, found := from.nodes[use.Value]; use.Kind == yaml.ScalarNode && found {
			kept = append(kept, r.overlay(item, origin))
			continue
		}
		complete = false
		if use.Kind != yaml.ScalarNode {
			r.add(use, "must be the name of a shared argument, not %s", kindOf(use))
		} else if from.complete {
			r.add(use, "%s", unknown("shared argument", use.Value, from.names))
		}
	}
	list.Content = kept
	return complete
}

// overlay returns the shared argument overridden by the keys of the item, at the item's place.
func (r *report) overlay(item, origin *yaml.Node) *yaml.Node {
	merged := &yaml.Node{Kind: yaml.MappingNode, Tag: item.Tag}
	r.places[merged] = r.places[item]
	for key, value := range entries(item) {
		merged.Content = append(merged.Content, key, value)
	}
	for key, value := range entries(origin) {
		if valueOf(item, key.Value) == nil {
			merged.Content = append(merged.Content, key, value)
		}
	}
	return merged
}
