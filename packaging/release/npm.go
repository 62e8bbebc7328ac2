package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// platformPackage is the package.json of an npm package that holds the binary of one platform. The launcher lists all
// of them as optional dependencies, and npm installs the one for the platform.
type platformPackage struct {
	Name           string     `json:"name"`
	Version        string     `json:"version"`
	Description    string     `json:"description"`
	License        string     `json:"license"`
	Repository     repository `json:"repository"`
	System         []string   `json:"os"`
	Architecture   []string   `json:"cpu"`
	Files          []string   `json:"files"`
	PreferUnpacked bool       `json:"preferUnplugged"` // a binary cannot run from inside an archive
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// platformScope is the npm scope of the platform packages. The launcher builds the same names.
const platformScope = "@pdpp-mcp/"

// writePackages writes the npm packages below npm/: the launcher, and one for each platform. Each folder is ready for
// npm pack or npm publish.
func (r release) writePackages() error {
	for _, name := range []string{"package.json", "README.md", "bin/pdpp-mcp.js"} {
		if err := r.fill("packaging/npm/"+name, "npm/pdpp-mcp/"+name); err != nil {
			return err
		}
	}
	if err := r.fill("LICENSE", "npm/pdpp-mcp/LICENSE"); err != nil {
		return err
	}
	for _, target := range r.targets {
		if err := r.writePlatformPackage(target); err != nil {
			return err
		}
	}
	return nil
}

func (r release) writePlatformPackage(target target) error {
	platform := target.nodePlatform() + "-" + target.nodeArchitecture()
	description, err := indented(platformPackage{
		Name:           platformScope + platform,
		Version:        r.version,
		Description:    "The pdpp-mcp binary for " + target.String() + "; install pdpp-mcp",
		License:        "Apache-2.0",
		Repository:     repository{"git", "git+https://github.com/pdppmcp/pdpp-mcp.git"},
		System:         []string{target.nodePlatform()},
		Architecture:   []string{target.nodeArchitecture()},
		Files:          []string{"bin/", noticesFile},
		PreferUnpacked: true,
	})
	if err != nil {
		return err
	}
	folder := filepath.Join(r.output, "npm", platform)
	if err := writeFile(filepath.Join(folder, "package.json"), description); err != nil {
		return err
	}
	licences, err := r.licences(server, target)
	if err != nil {
		return err
	}
	for _, file := range licences {
		if err := writeFile(filepath.Join(folder, file.name), file.content); err != nil {
			return err
		}
	}
	executable, err := os.ReadFile(r.binary(server, target))
	if err != nil {
		return fmt.Errorf("read a binary to pack: %w", err)
	}
	path := filepath.Join(folder, "bin", target.executable(server))
	if err := writeFile(path, executable); err != nil {
		return err
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("make a binary executable: %w", err)
	}
	return nil
}
