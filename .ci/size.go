//go:build ignore

// Command size counts the lines of hand-written Go that are linked into pdpp-mcp. Generated files and tests do not
// count. Run it in the root of the module: go run .ci/size.go [-packages].
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const program = "./cmd/pdpp-mcp"

func main() {
	byPackage := flag.Bool("packages", false, "list the lines of each package too")
	flag.Parse()
	if err := run(*byPackage); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(byPackage bool) error {
	root, packages, err := linked()
	if err != nil {
		return err
	}
	var all, runtime count
	for _, each := range packages {
		var one count
		if err := one.add(each.files); err != nil {
			return err
		}
		all.join(one)
		name, _ := filepath.Rel(root, each.folder)
		if strings.HasPrefix(filepath.ToSlash(name), "runtime/") {
			runtime.join(one)
		}
		if byPackage {
			fmt.Printf("%6d  %s\n", one.lines, name)
		}
	}
	fmt.Println("hand-written Go that is linked into pdpp-mcp")
	all.print()
	fmt.Println("of it, below runtime/")
	runtime.print()
	lines, long, err := longLines(root)
	if err == nil {
		fmt.Printf("all hand-written Go\n  lines %d, over %d characters: %d (%.1f in 1,000)\n",
			lines, longest, long, 1000*float64(long)/float64(max(1, lines)))
	}
	return err
}

const longest = 120

// longLines counts the lines of all hand-written Go, and those that are longer than longest. A tab is one character.
func longLines(root string) (lines, long int, err error) {
	names, err := exec.Command("git", "-C", root, "ls-files", "*.go", ":!*_gen.go").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("git ls-files: %w", err)
	}
	for _, name := range strings.Fields(string(names)) {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return 0, 0, fmt.Errorf("read a file: %w", err)
		}
		for line := range strings.Lines(string(source)) {
			lines++
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > longest {
				long++
			}
		}
	}
	return lines, long, nil
}

// linkedPackage is a package of this module in the binary.
type linkedPackage struct {
	folder string
	files  []string
}

func linked() (root string, packages []linkedPackage, err error) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return "", nil, fmt.Errorf("go list -m: %w", err)
	}
	path, root, _ := strings.Cut(strings.TrimSpace(string(module)), " ")
	listed, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}|{{.Dir}}|{{join .GoFiles \" \"}}",
		program).Output()
	if err != nil {
		return "", nil, fmt.Errorf("go list -deps: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(listed))
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "|")
		if !strings.HasPrefix(parts[0], path) {
			continue
		}
		each := linkedPackage{folder: parts[1]}
		for _, name := range strings.Fields(parts[2]) {
			each.files = append(each.files, filepath.Join(parts[1], name))
		}
		packages = append(packages, each)
	}
	return root, packages, lines.Err()
}

// count has the counts of some packages. Lengths are in lines.
type count struct {
	packages, lines, comments int
	files, functions          []int
	largestFile, largest      string
}

func (c *count) add(files []string) error {
	before := len(c.files)
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a file: %w", err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, source, parser.ParseComments)
		if err != nil {
			return fmt.Errorf("parse a file: %w", err)
		}
		if !ast.IsGenerated(file) {
			c.addFile(set, file, name, bytes.Count(source, []byte("\n")))
		}
	}
	if len(c.files) > before {
		c.packages++
	}
	return nil
}

func (c *count) addFile(set *token.FileSet, file *ast.File, name string, lines int) {
	c.lines += lines
	c.files = append(c.files, lines)
	if lines == slices.Max(c.files) {
		c.largestFile = filepath.Base(name)
	}
	length := func(node ast.Node) int { return set.Position(node.End()).Line - set.Position(node.Pos()).Line + 1 }
	for _, group := range file.Comments {
		c.comments += length(group)
	}
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Body != nil {
			c.functions = append(c.functions, length(function))
			if length(function) == slices.Max(c.functions) {
				c.largest = function.Name.Name
			}
		}
	}
}

func (c *count) join(other count) {
	if len(other.files) == 0 {
		return
	}
	if len(c.files) == 0 || slices.Max(other.files) > slices.Max(c.files) {
		c.largestFile = other.largestFile
	}
	if len(other.functions) > 0 && (len(c.functions) == 0 || slices.Max(other.functions) > slices.Max(c.functions)) {
		c.largest = other.largest
	}
	c.packages += other.packages
	c.lines += other.lines
	c.comments += other.comments
	c.files = append(c.files, other.files...)
	c.functions = append(c.functions, other.functions...)
}

func (c *count) print() {
	fmt.Printf("  packages %d, files %d, lines %d, comments %.1f %%\n",
		c.packages, len(c.files), c.lines, 100*float64(c.comments)/float64(max(1, c.lines)))
	fmt.Printf("  lines a file: %s (%s), under 30 lines: %d, under 60: %d\n", spread(c.files), c.largestFile,
		under(c.files, 30), under(c.files, 60))
	fmt.Printf("  lines a function: %s (%s)\n", spread(c.functions), c.largest)
}

func spread(lengths []int) string {
	slices.Sort(lengths)
	if len(lengths) == 0 {
		return "none"
	}
	return fmt.Sprintf("median %d, p90 %d, largest %d", lengths[len(lengths)/2], lengths[len(lengths)*9/10],
		lengths[len(lengths)-1])
}

func under(lengths []int, most int) int {
	found := 0
	for _, length := range lengths {
		if length < most {
			found++
		}
	}
	return found
}
