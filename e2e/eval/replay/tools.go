package replay

import (
	"encoding/json"
	"fmt"
	"strings"
)

// offeredTool is a tool of a request, whatever the API. Codex puts the tools of a server in a namespace.
type offeredTool struct {
	Name     string
	Function struct{ Name string }
	Tools    []offeredTool
}

type offeredTools []offeredTool

func toolsOf(body []byte) (offeredTools, error) {
	var request struct{ Tools offeredTools }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return request.Tools, nil
}

// named returns the name by which a request offers a server's tool, and its namespace. Agents put a prefix before it.
func (o offeredTools) named(tool string) (name, namespace string) {
	for _, each := range o {
		for _, inside := range each.Tools {
			if inside.Name == tool {
				return tool, each.Name
			}
		}
		if offered := each.Name + each.Function.Name; offered == tool || strings.HasSuffix(offered, "__"+tool) {
			return offered, ""
		}
	}
	return tool, ""
}
