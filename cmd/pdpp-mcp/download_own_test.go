package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// A download refuses what another user may have put at the path of its partial file: it neither follows, changes nor
// continues it, and touches no other file in the folder.
func TestADownloadTouchesItsOwnFilesOnly(t *testing.T) {
	const mine = "not the program's"
	for name, put := range map[string]func(t *testing.T, part, other string) error{
		"a link":           func(_ *testing.T, part, other string) error { return os.Symlink(other, part) },
		"a link to itself": func(_ *testing.T, part, _ string) error { return os.Symlink(part, part) },
		"a hard link":      func(_ *testing.T, part, other string) error { return os.Link(other, part) },
		"a wide file": func(t *testing.T, part, _ string) error {
			return errors.Join(os.WriteFile(part, []byte(mine), 0o600), os.Chmod(part, 0o666))
		},
		"a named pipe": func(_ *testing.T, part, _ string) error { return syscall.Mkfifo(part, 0o600) },
		"a folder":     func(_ *testing.T, part, _ string) error { return os.Mkdir(part, 0o700) },
	} {
		for status, answer := range map[string]func(*blobRS) http.HandlerFunc{
			"found": func(rs *blobRS) http.HandlerFunc { return rs.ranged },
			"404": func(*blobRS) http.HandlerFunc {
				return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
			},
		} {
			t.Run(name+", "+status, func(t *testing.T) {
				rs, folder := newBlobRS(t), t.TempDir()
				rs.answers(answer(rs))
				other := filepath.Join(t.TempDir(), "other")
				if err := os.WriteFile(other, []byte(mine), 0o600); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(folder, "blob")
				for _, part := range []string{file + ".part", rs.partOf(file)} {
					if err := put(t, part, other); err != nil {
						t.Fatal(err)
					}
				}
				before := listing(t, folder)
				code, _, stderr := rs.run(t, rs.id, "-o", file)
				if code != invocation.ExitUsage || !strings.Contains(stderr, "remove it") {
					t.Errorf("exit code %d: %s", code, stderr)
				}
				if got, err := os.ReadFile(other); err != nil || string(got) != mine {
					t.Errorf("the other file holds %q, %v", got, err)
				}
				if after := listing(t, folder); after != before {
					t.Errorf("the folder held\n%s and holds\n%s", before, after)
				}
				if asked := rs.asked(); len(asked) > 0 {
					t.Errorf("the provider was asked for %q", asked)
				}
			})
		}
	}
}

// listing returns the names, kinds, modes and sizes of the files in a folder.
func listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		lines.WriteString(info.Mode().String() + " " + info.Name() + " " +
			hex.EncodeToString([]byte{byte(info.Size())}) + "\n")
	}
	return lines.String()
}

// A download leaves a user's file FILE.part alone.
func TestADownloadLeavesAUsersPart(t *testing.T) {
	for name, id := range map[string]string{"a digest in the id": "", "none": "blob_1"} {
		t.Run(name, func(t *testing.T) {
			rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
			if err := os.WriteFile(file+".part", []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			if id == "" {
				id = rs.id
			}
			if code, _, stderr := rs.run(t, id, "-o", file); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if got, err := os.ReadFile(file + ".part"); err != nil || string(got) != "mine" {
				t.Errorf("FILE.part holds %q, %v", got, err)
			}
			got, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(got, rs.bytes) {
				t.Errorf("the file has %d bytes: %v", len(got), err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

// The partial file of an earlier run is unchanged until there is a good answer.
func TestABeginningStaysWithoutAGoodAnswer(t *testing.T) {
	rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
	rs.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	if err := os.WriteFile(rs.partOf(file), rs.bytes[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := rs.run(t, rs.id, "-o", file); code != invocation.ExitToolError {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if got, err := os.ReadFile(rs.partOf(file)); err != nil || !bytes.Equal(got, rs.bytes[:1000]) {
		t.Errorf("the beginning has %d bytes, %v", len(got), err)
	}
	rs.answers(rs.ranged)
	rs.asked()
	if code, _, stderr := rs.run(t, rs.id, "-o", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if asked := strings.Join(rs.asked(), "|"); asked != "bytes=1000-" {
		t.Errorf("the server was asked for %q", asked)
	}
	rs.holds(t, file)
}

// -o refuses an existing path that is not a regular file, such as a pipe or a link, even with --force, before any
// request.
func TestOutputsMustBeFiles(t *testing.T) {
	for name, put := range map[string]func(file, other string) error{
		"a link":            func(file, other string) error { return os.Symlink(other, file) },
		"a link to nothing": func(file, _ string) error { return os.Symlink(file+"-gone", file) },
		"a named pipe":      func(file, _ string) error { return syscall.Mkfifo(file, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			rs, folder := newBlobRS(t), t.TempDir()
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "blob")
			if err := put(file, other); err != nil {
				t.Fatal(err)
			}
			before := listing(t, folder)
			code, _, stderr := rs.run(t, rs.id, "-o", file, "--force")
			if code != invocation.ExitUsage || !strings.Contains(stderr, "- for standard output") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if got, err := os.ReadFile(other); err != nil || string(got) != "mine" || listing(t, folder) != before ||
				len(rs.asked()) > 0 {
				t.Errorf("the file behind it holds %q, %v; the folder\n%s", got, err, listing(t, folder))
			}
		})
	}
}

// A signal ends a download whose output is not read, and one that waits for the provider.
func TestSignalsEndDownloads(t *testing.T) {
	for name, arguments := range map[string][]string{"to stdout": {"-o", "-"}, "to a file": {"-o", "blob"}} {
		t.Run(name, func(t *testing.T) {
			rs := newBlobRS(t)
			sent := make(chan struct{}, 1)
			rs.answers(rs.half(sent))
			command := rs.command(t, append([]string{rs.id}, arguments...)...)
			command.Dir = t.TempDir()
			taken, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			<-sent
			if arguments[1] == "-" { // it blocks in a write, because the pipe is not read any more
				if _, err := io.ReadFull(taken, make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			// Waiting would close the pipe, which ends the writing.
			if _, err := command.Process.Wait(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
