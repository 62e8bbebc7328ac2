package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// manifest is the manifest.json of an MCP bundle, version 0.3. Members that are the same on every platform come from
// packaging/mcpb.
type manifest struct {
	ManifestVersion string          `json:"manifest_version"`
	Name            string          `json:"name"`
	DisplayName     string          `json:"display_name"`
	Version         string          `json:"version"`
	Description     string          `json:"description"`
	LongDescription string          `json:"long_description"`
	Author          json.RawMessage `json:"author"`
	Repository      json.RawMessage `json:"repository"`
	Homepage        string          `json:"homepage"`
	License         string          `json:"license"`
	Keywords        []string        `json:"keywords"`
	Server          manifestServer  `json:"server"`
	Tools           []manifestTool  `json:"tools,omitempty"`
	Compatibility   compatibility   `json:"compatibility"`
	UserConfig      json.RawMessage `json:"user_config"`
}

type manifestServer struct {
	Type       string          `json:"type"`
	EntryPoint string          `json:"entry_point"`
	Config     manifestCommand `json:"mcp_config"`
}

type manifestCommand struct {
	Command     string            `json:"command"`
	Arguments   []string          `json:"args"`
	Environment map[string]string `json:"env"`
}

type manifestTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// writeBundles writes one MCP bundle with one binary for each target, since a manifest cannot choose by processor.
func (r release) writeBundles() error {
	tools, err := r.advertisedTools()
	if err != nil {
		return err
	}
	for _, target := range r.targets {
		if err := r.writeBundle(target, tools); err != nil {
			return err
		}
	}
	return nil
}

func (r release) writeBundle(target target, tools []manifestTool) error {
	content, err := r.template("packaging/mcpb/manifest.json")
	if err != nil {
		return err
	}
	var document manifest
	if err := json.Unmarshal(content, &document); err != nil {
		return fmt.Errorf("read the bundle's manifest: %w", err)
	}
	entry := "server/" + target.executable(server)
	document.Server.EntryPoint, document.Server.Config.Command = entry, "${__dirname}/"+entry
	document.Compatibility.Platforms = []string{target.nodePlatform()}
	document.Tools = tools
	described, err := indented(document)
	if err != nil {
		return err
	}
	files, err := r.packed(server, target, entry)
	if err != nil {
		return err
	}
	bundle, err := zipped(append([]packed{{"manifest.json", 0o644, described}}, files...))
	if err != nil {
		return err
	}
	return writeFile(r.published(server, target, ".mcpb"), bundle)
}

var errNoTools = errors.New("golden/tools_list.json lists no tools")

// advertisedTools reads the names and descriptions of the tools from golden/tools_list.json.
func (r release) advertisedTools() ([]manifestTool, error) {
	content, err := os.ReadFile(filepath.Join(r.source, "golden", "tools_list.json"))
	if err != nil {
		return nil, fmt.Errorf("read the advertised tools: %w", err)
	}
	var list struct {
		Tools []manifestTool `json:"tools"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("read the advertised tools: %w", err)
	}
	if len(list.Tools) == 0 {
		return nil, errNoTools
	}
	return list.Tools, nil
}
