package saved_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// A file that appears while a command writes stays as it is, and so does the file that the command wrote, also during
// the next run.
func TestNameTakenMeanwhile(t *testing.T) {
	const digested = "blob_sha256_2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of x
	for name, write := range map[string]func(target *saved.Target, appear func()) error{
		"rows": func(target *saved.Target, appear func()) error {
			output, err := target.Open()
			if err != nil {
				return err
			}
			defer output.Discard()
			_, _ = io.WriteString(output, "x")
			appear()
			return output.Publish()
		},
		"a download":               download("blob_1"),
		"a download with a digest": download(digested),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			var target saved.Target
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			target.Terminal.Err = io.Discard
			target.AddFlags(flags, "")
			if err := flags.Parse([]string{"-o", file}); err != nil {
				t.Fatal(err)
			}
			err := write(&target, func() { put(t, file, "another's") })
			if invocation.ExitCode(err) != invocation.ExitUsage {
				t.Fatalf("ended with %v", err)
			}
			said := regexp.MustCompile(`the complete file is (\S+)$`).FindStringSubmatch(err.Error())
			if said == nil {
				t.Fatalf("the error does not say where it is: %v", err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := write(&target, func() {}); err != nil {
				t.Errorf("the next run: %v", err)
			}
			for _, each := range []string{file, said[1]} {
				if got, err := os.ReadFile(each); err != nil || string(got) != "x" {
					t.Errorf("%s has %q: %v", each, got, err)
				}
			}
			if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 2 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

func download(id string) func(*saved.Target, func()) error {
	return func(target *saved.Target, appear func()) error {
		return target.Download(context.Background(), opener(appear), rs.Request{Path: rs.JoinPath("v1", "blobs", id)})
	}
}

// opener answers with the bytes x, after what it does.
type opener func()

func (o opener) Open(context.Context, rs.Request, rs.Resume) (*rs.Download, error) {
	o()
	return &rs.Download{Body: io.NopCloser(strings.NewReader("x")), Size: 1}, nil
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
