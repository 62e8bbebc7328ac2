package host

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The Skills extension of MCP (SEP-2640, stable since September 2026).
const (
	methodListSkills = "skills/list"
	methodGetSkill   = "skills/get"
	skillScheme      = "skill://"
)

// skillParams are the params of both methods. A list has no URI, and its only page needs no cursor.
type skillParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

type skillResult struct {
	mcp.ResultBase
	mcp.Cacheable
	ResultType string           `json:"resultType"`
	Skills     []map[string]any `json:"skills,omitempty"`
	Skill      map[string]any   `json:"skill,omitempty"`
}

func skillResource(skill tool.Skill) *mcp.Resource {
	return &mcp.Resource{
		URI: skillScheme + skill.Name + "/SKILL.md", Name: skill.Name, Description: skill.Description,
		MIMEType: "text/markdown", Size: int64(len(skill.Text)),
	}
}

// addSkill serves a skill of one file, the same for every caller (R-EVAL-5). It panics if the SDK implements the
// extension too.
func addSkill(server *mcp.Server, skill tool.Skill) {
	resource := skillResource(skill)
	server.AddResource(resource, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: resource.URI, MIMEType: resource.MIMEType, Text: skill.Text}}}, nil
	})
	entry := map[string]any{
		"uri": resource.URI, "frontmatter": map[string]string{"name": skill.Name, "description": skill.Description},
		"resources": []map[string]any{{"uri": resource.URI, "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(skill.Text))), "size": resource.Size}},
	}
	for _, method := range []string{methodListSkills, methodGetSkill} {
		if err := mcp.AddReceivingCustomMethod(server, method, func(ctx context.Context, _ *mcp.ServerSession, params *skillParams) (*skillResult, error) {
			result := &skillResult{ResultType: "complete"}
			setCacheable(ctx, nil, &result.Cacheable)
			switch {
			case method == methodListSkills:
				result.Skills = []map[string]any{entry}
			case params != nil && params.URI == resource.URI:
				result.Skill = entry
			default:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown uri: " + methodListSkills + " has those of the skills"}
			}
			return result, nil
		}); err != nil {
			panic(err)
		}
	}
}
