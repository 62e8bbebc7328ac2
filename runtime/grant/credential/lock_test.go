package credential

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const lockedProvider = "https://pdpp.example"

func grantNumber(t *testing.T, number int) *Entry {
	t.Helper()
	token, err := rs.NewBearer(fmt.Sprintf("token-of-a-test-%d", number))
	if err != nil {
		t.Fatal(err)
	}
	return &Entry{
		ProviderURL: lockedProvider,
		Credential:  Credential{AccessToken: token, GrantID: fmt.Sprintf("grt_%d", number)},
	}
}

// Covers R-STDIO-2: no concurrent add or remove is lost. Each change opens the cache anew like a process.
// connect_at_once_test.go of the command uses processes.
func TestConcurrentChanges(t *testing.T) {
	const many = 24
	root := t.TempDir()
	// a busy disk may take seconds for all of them
	open := func() *Cache { return &Cache{Root: root, lockPatience: time.Minute} }
	for number := range many {
		if err := open().Add(grantNumber(t, number)); err != nil {
			t.Fatal(err)
		}
	}
	start := make(chan struct{})
	var running sync.WaitGroup
	for number := range many {
		added := grantNumber(t, many+number)
		running.Go(func() {
			<-start
			if err := open().Add(added); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			<-start
			removed, err := open().Remove(lockedProvider, fmt.Sprintf("grt_%d", number))
			if err != nil || len(removed) != 1 {
				t.Errorf("removed %v: %v", removed, err)
			}
		})
	}
	close(start)
	running.Wait()
	grants, err := open().Grants(lockedProvider)
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for _, entry := range grants {
		held = append(held, entry.Credential.GrantID)
	}
	var want []string
	for number := range many {
		want = append(want, fmt.Sprintf("grt_%d", many+number))
	}
	slices.Sort(held)
	slices.Sort(want)
	if !slices.Equal(held, want) {
		t.Errorf("the cache holds %v, want %v", held, want)
	}
}

// A change that waits too long for a stopped process fails with the next step, and leaves the file. It succeeds after
// that process has ended.
func TestChangeBehindAStoppedProcess(t *testing.T) {
	cache := &Cache{Root: t.TempDir(), lockPatience: 50 * time.Millisecond}
	if err := cache.Add(grantNumber(t, 1)); err != nil {
		t.Fatal(err)
	}
	path, err := cache.Path(lockedProvider)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	holder, err := os.OpenFile(filepath.Join(filepath.Dir(path), lockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := ownfile.TryLock(holder); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"add":    func() error { return cache.Add(grantNumber(t, 2)) },
		"remove": func() error { _, err := cache.Remove(lockedProvider, ""); return err },
	} {
		var failure *Error
		if err := change(); !errors.As(err, &failure) || failure.Class != Configuration ||
			!strings.Contains(err.Error(), "end that process") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if grants, err := cache.Grants(lockedProvider); err != nil || len(grants) != 1 {
		t.Errorf("a reader must not wait: %v %v", grants, err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %v %s", err, after)
	}
	if err := holder.Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	if err := cache.Add(grantNumber(t, 2)); err != nil {
		t.Error(err)
	}
}

// Disconnect without a cache creates no directory.
func TestRemoveWithoutACache(t *testing.T) {
	cache := &Cache{Root: filepath.Join(t.TempDir(), "none")}
	if _, err := cache.Remove(lockedProvider, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(cache.Root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was made", cache.Root)
	}
}
