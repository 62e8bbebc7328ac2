package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticesFile is the name of the file next to each copy of a binary. It has the licences and notices of the linked
// modules, as most of these licences require.
const noticesFile = "THIRD-PARTY-LICENSES"

// noticesPath returns the path of the notices of a program for a target.
func (r release) noticesPath(program string, target target) string {
	return r.binary(program, target) + "." + noticesFile
}

// module is a linked module with its licence texts.
type module struct {
	name  string   // with its version
	files []string // paths of its licences and notices, sorted
	root  string
}

// named are the files that licences ask to be passed on. Some modules have further ones next to the packages that they
// cover.
var named = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// writeNotices writes the texts of everything that go list has for a binary, which holds no module without any.
func (r release) writeNotices(ctx context.Context, program string, target target) error {
	modules, err := r.linked(ctx, program, target)
	if err != nil {
		return err
	}
	if err := holdsAll(r.binary(program, target), modules); err != nil {
		return err
	}
	text, err := notices(modules)
	if err != nil {
		return fmt.Errorf("%s for %s: %w", program, target, err)
	}
	return writeFile(r.noticesPath(program, target), text)
}

// linked returns the modules of a program for a target, sorted by name, and Go itself.
func (r release) linked(ctx context.Context, program string, target target) ([]module, error) {
	command := exec.CommandContext(ctx, "go", "list", "-mod=readonly", "-deps", "-json=Dir,Module", "./cmd/"+program)
	command.Dir, command.Env, command.Stderr = r.source, target.environment(), os.Stderr
	listed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list what %s for %s is made of: %w", program, target, err)
	}
	command = exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION")
	command.Dir = r.source
	goes, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(goes)), "\n")
	modules := map[string]*module{"": {name: "Go " + version, root: root}}
	if err := modules[""].take(root); err != nil {
		return nil, err
	}
	for packages := json.NewDecoder(bytes.NewReader(listed)); ; {
		var each struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := packages.Decode(&each); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if each.Module == nil || each.Module.Main {
			continue
		}
		name := each.Module.Path + " " + each.Module.Version
		if modules[name] == nil {
			modules[name] = &module{name: name, root: each.Module.Dir}
		}
		if err := modules[name].take(each.Dir); err != nil {
			return nil, err
		}
	}
	var all []module
	for _, each := range modules {
		all = append(all, *each)
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// take adds the texts of a package: those in its folder and in the folders above it, up to the module's.
func (m *module) take(folder string) error {
	for {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return fmt.Errorf("look for the licences of %s: %w", m.name, err)
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			if entry.Type().IsRegular() && named.MatchString(entry.Name()) && filepath.Ext(path) != ".go" && !slices.Contains(m.files, path) {
				m.files = append(m.files, path)
			}
		}
		inside, err := filepath.Rel(m.root, folder)
		if err != nil || inside == "." || !filepath.IsLocal(inside) {
			slices.Sort(m.files)
			return err
		}
		folder = filepath.Dir(folder)
	}
}

// holdsAll compares the modules with those that a binary itself names.
func holdsAll(binary string, modules []module) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read what a binary is made of: %w", err)
	}
	for _, dependency := range info.Deps {
		name := dependency.Path + " " + dependency.Version
		if !slices.ContainsFunc(modules, func(m module) bool { return m.name == name }) {
			return fmt.Errorf("%s holds %s, which go list does not know", binary, name)
		}
	}
	return nil
}

// notices returns the texts of the modules, each once, below the names of what it is of. A module with no text but a
// notice is an error.
func notices(modules []module) ([]byte, error) {
	var texts []string
	of := map[string][]string{} // by text
	for _, each := range modules {
		isLicensed := false
		for _, path := range each.files {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("read a licence of %s: %w", each.name, err)
			}
			base := strings.ToLower(filepath.Base(path))
			isLicensed = isLicensed || !strings.HasPrefix(base, "notice") && !strings.HasPrefix(base, "patents") && len(bytes.TrimSpace(content)) > 0
			text := strings.Trim(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
			if of[text] == nil {
				texts = append(texts, text)
			}
			inside, err := filepath.Rel(each.root, path)
			if err != nil {
				return nil, fmt.Errorf("name a licence of %s: %w", each.name, err)
			}
			of[text] = append(of[text], each.name+", "+filepath.ToSlash(inside))
		}
		if !isLicensed {
			return nil, fmt.Errorf("no licence is found of %s in %s; a binary that holds it must not be passed on without", each.name, each.root)
		}
	}
	var written strings.Builder
	written.WriteString("This program holds the following. Each text stands below the names of what it is of.\n")
	for _, text := range texts {
		fmt.Fprintf(&written, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), text)
	}
	return []byte(written.String()), nil
}
