//go:build unix

package credential_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const usable = `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret + `"}}`

// wide makes a file with a mode, whatever the umask.
func wide(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// R-STDIO-2: reading the cache follows no link, and changes the mode of the user's own credential only. No error shows
// a file's content.
func TestReadLeavesOtherFilesAlone(t *testing.T) {
	for name, test := range map[string]struct {
		put  func(path, other string) error
		says string
	}{
		"a link to a file": {func(path, other string) error { return os.Symlink(other, path) }, "is a symbolic link"},
		"a link to nothing": {
			func(path, other string) error { return os.Symlink(other+"-gone", path) },
			"is a symbolic link",
		},
		"a file with another name": {func(path, other string) error { return os.Link(other, path) }, "has another name"},
		"a named pipe": {
			func(path, _ string) error { return syscall.Mkfifo(path, 0o644) },
			"is not a regular file",
		},
	} {
		for kind, read := range map[string]func(*credential.Cache) error{
			"Read": func(cache *credential.Cache) error { _, err := readFirst(cache, provider); return err },
			"List": func(cache *credential.Cache) error {
				listed, err := cache.List()
				if err != nil || len(listed) != 1 {
					return fmt.Errorf("listed %d files, %w", len(listed), err)
				}
				return listed[0].Err
			},
			"Add": func(cache *credential.Cache) error {
				return cache.Add(entryOf(t, "grt_1", secret))
			},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				cache, path := stored(t, usable)
				other := filepath.Join(t.TempDir(), "other")
				wide(t, other, usable, 0o644)
				if err := errors.Join(os.Remove(path), test.put(path, other)); err != nil {
					t.Fatal(err)
				}
				wantError(t, read(cache), credential.Configuration, test.says)
				wantMode(t, other, 0o644)
				if got, err := os.ReadFile(other); err != nil || string(got) != usable {
					t.Errorf("the file behind it holds %q, %v", got, err)
				}
			})
		}
	}
}

// R-STDIO-2: a readable file without a credential keeps its mode, and its content is not shown.
func TestReadNarrowsCredentialsOnly(t *testing.T) {
	for _, content := range []string{"root:x:0:0", "Zebra", `{"provider_url":"http://localhost:7673"}`, `{"a":"b`} {
		cache, path := stored(t, content)
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := readFirst(cache, provider)
		wantError(t, err, credential.Configuration, "malformed", connectHint)
		if strings.Contains(err.Error(), "'") {
			t.Errorf("the error shows a character of the file: %v", err)
		}
		wantMode(t, path, 0o644)
	}
}

// R-STDIO-2: a directory that others can write is narrowed with a warning, since they could replace its files.
func TestReadNarrowsDirectories(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o770, 0o702} {
		for _, which := range []string{".", "clients"} {
			cache, _ := stored(t, usable)
			var warnings bytes.Buffer
			cache.Logger = slog.New(slog.NewTextHandler(&warnings, nil))
			folder := filepath.Join(cache.Root, which)
			if err := os.Chmod(folder, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := readFirst(cache, provider); err != nil {
				t.Errorf("%s of mode %04o: %v", which, mode, err)
			}
			wantMode(t, folder, mode&^0o022)
			if !strings.Contains(warnings.String(), "narrowed") || !strings.Contains(warnings.String(), filepath.Clean(folder)) {
				t.Errorf("the warnings are %q", warnings.String())
			}
		}
	}
}

// R-STDIO-2: root can read every file, and reads only files of root. A clients directory that is a link is refused too.
func TestCacheOfAnotherOwnerIsRefused(t *testing.T) {
	for _, which := range []string{".", "clients", "clients/localhost_7673.json"} {
		for _, isLink := range []bool{false, true} {
			cache, _ := stored(t, usable)
			path, want := filepath.Join(cache.Root, which), ""
			switch {
			case isLink && which == ".": // such as of a folder of dotfiles
				if err := errors.Join(os.Rename(path, path+"-real"), os.Symlink(path+"-real", path)); err != nil {
					t.Fatal(err)
				}
			case isLink:
				want = "is a symbolic link"
				if err := errors.Join(os.Rename(path, path+"-real"), os.Symlink(path+"-real", path)); err != nil {
					t.Fatal(err)
				}
			case os.Geteuid() == 0: // only root can change the owner of a file
				want = "belongs to another user"
				if err := os.Chown(path, 65534, -1); err != nil {
					t.Fatal(err)
				}
			}
			for name, use := range map[string]func() error{
				"Read": func() error { _, err := readFirst(cache, provider); return err },
				"as is": func() error {
					_, err := readFirst(&credential.Cache{Root: cache.Root, KeepModes: true}, provider)
					return err
				},
				"Prepare": func() error { return cache.Prepare(provider) },
			} {
				t.Run(fmt.Sprint(which, isLink, name), func(t *testing.T) {
					if err := use(); want != "" {
						wantError(t, err, credential.Configuration, want, path)
					} else if err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// R-STDIO-2: a link to a directory that others can write is refused. The mode of its target stays.
func TestReadRefusesALinkToASharedDirectory(t *testing.T) {
	for _, which := range []string{"."} {
		cache, _ := stored(t, usable)
		folder := filepath.Join(cache.Root, which)
		shared := filepath.Join(t.TempDir(), "shared")
		if err := errors.Join(os.Rename(folder, shared), os.Chmod(shared, 0o777),
			os.Symlink(shared, filepath.Clean(folder))); err != nil {
			t.Fatal(err)
		}
		for name, use := range map[string]func() error{
			"Read":    func() error { _, err := readFirst(cache, provider); return err },
			"Prepare": func() error { return cache.Prepare(provider) },
			"Remove":  func() error { _, err := cache.Remove(provider, ""); return err },
		} {
			t.Run(which+", "+name, func(t *testing.T) {
				wantError(t, use(), credential.Configuration, "can be written by others", "chmod go-w "+filepath.Clean(folder))
				wantMode(t, shared, 0o777)
			})
		}
	}
}

// R-STDIO-2: an exposed file that cannot be narrowed is refused. A second name may be in a directory of another user.
func TestReadRefusesAnExposedFileWithTwoNames(t *testing.T) {
	cache, path := stored(t, usable)
	if err := errors.Join(os.Link(path, filepath.Join(t.TempDir(), "other")), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	grants, err := cache.Grants(provider)
	wantError(t, err, credential.Configuration, "can be read by others", "chmod 600 "+path)
	if grants != nil {
		t.Errorf("got %v, want no grants", grants)
	}
	wantMode(t, path, 0o644)
}

// A link in place of the lock file is refused.
func TestTheLockFollowsNoLink(t *testing.T) {
	cache, _ := stored(t, usable)
	other := filepath.Join(t.TempDir(), "made")
	if err := os.Symlink(other, filepath.Join(cache.Root, "clients", ".lock")); err != nil {
		t.Fatal(err)
	}
	_, err := cache.Remove(provider, "")
	wantError(t, err, credential.Configuration, "symbolic link")
	if _, err := os.Lstat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file behind the link is there: %v", err)
	}
}

// R-STDIO-3: a duplicate member is refused, since readers differ in which one they take.
func TestReadRefusesDuplicateMembers(t *testing.T) {
	other := `{"access_token":"` + secret + `-2","role":"owner"}`
	for name, content := range map[string]string{
		"credential": `{"provider_url":"http://localhost:7673","credential":` + other +
			`,"credential":{"access_token":"` + secret + `"}}`,
		"an escaped name": `{"provider_url":"http://localhost:7673","credential":` + other +
			`,"credentia\u006c":{"access_token":"` + secret + `"}}`,
		"kind": `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`","kind":"owner","kind":"client"}}`,
		"kind of another one": `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`"},"other_grants":[{"credential":{"access_token":"` + secret + `","kind":"owner","kind":"client"}}]}`,
		"a kind of no meaning": `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`","kind":["owner"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			cache, _ := stored(t, content)
			_, err := cache.Load(provider, nil, now)
			wantError(t, err, credential.Configuration, "malformed", connectHint)
		})
	}
}
