package golden_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// yamlOf reads a YAML file of the repository.
func yamlOf(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// The workflow of the forge runs the gate of the project and nothing else, and may only read.
func TestTheWorkflowOnlyCallsTheGate(t *testing.T) {
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct{ Steps []struct{ Uses, Run string } }
	}
	yamlOf(t, ".github/workflows/gate.yaml", &workflow)
	var run []string
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if step.Run != "" {
				run = append(run, step.Run)
			} else if !strings.HasPrefix(step.Uses, "actions/checkout@") && !strings.HasPrefix(step.Uses, "actions/setup-go@") {
				t.Errorf("the workflow uses %s", step.Uses)
			}
		}
	}
	if len(run) != 1 || run[0] != ".ci/run" || len(workflow.Permissions) != 1 ||
		workflow.Permissions["contents"] != "read" {
		t.Errorf("the workflow runs %q with %v, want .ci/run alone, reading", run, workflow.Permissions)
	}
	info, err := os.Stat("../.ci/run")
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf(".ci/run cannot be run: %v", err)
	}
}

// R-TRUST-5: every workflow pins its actions by commit with the version in a comment, and each job has only the
// permissions that it needs.
func TestWorkflowsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v[0-9.]+$`)
	files, err := filepath.Glob("../.github/workflows/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, file := range files {
		for line := range strings.Lines(string(readFile(t, file))) {
			if line = strings.TrimSpace(line); strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: %q is not pinned by commit", file, line)
			}
		}
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct{ Permissions map[string]string }
		}
		yamlOf(t, ".github/workflows/"+filepath.Base(file), &workflow)
		if workflow.Permissions == nil {
			t.Errorf("%s has the default permissions", file)
		}
		for permission, level := range workflow.Permissions {
			if level != "read" {
				t.Errorf("%s gives every job %s: %s", file, permission, level)
			}
		}
		for name, job := range workflow.Jobs {
			if filepath.Base(file) == "release.yaml" && job.Permissions["contents"] == "write" && name != "publish" {
				t.Errorf("%s: job %s may write", file, name)
			}
		}
	}
}

// The schedule of updates names every folder that has a lockfile.
func TestUpdatesCoverEveryLockfile(t *testing.T) {
	var schedule struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
		}
	}
	yamlOf(t, ".github/dependabot.yml", &schedule)
	covered := map[string]bool{}
	for _, update := range schedule.Updates {
		for _, directory := range update.Directories {
			covered[directory] = true
		}
	}
	for _, pattern := range []string{
		"../*/package-lock.json", "../*/*/package-lock.json", "../*/*/*/package-lock.json",
		"../*/*/*/*/package-lock.json",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			directory := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "..")
			if !strings.Contains(directory, "node_modules") && !covered[directory] {
				t.Errorf("no updates for %s", directory)
			}
		}
	}
}

// A problem is reported with what doctor says, which never holds a token (the scripts of cmd/pdpp-mcp/testdata/doctor
// hold that).
func TestAProblemIsReportedWithDoctor(t *testing.T) {
	var form struct {
		Name, Description string
		Body              []struct {
			ID          string
			Attributes  struct{ Label string }
			Validations struct{ Required bool }
		}
	}
	yamlOf(t, ".github/ISSUE_TEMPLATE/problem.yml", &form)
	asked := false
	for _, field := range form.Body {
		asked = asked || field.ID == "doctor" && field.Validations.Required &&
			strings.Contains(field.Attributes.Label, "pdpp-mcp doctor --json")
	}
	if !asked || form.Name == "" || form.Description == "" {
		t.Errorf("the form asks %+v", form)
	}
}
