package credential_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/killtest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Covers R-STDIO-2: connect is killed while it stores a credential. Earlier credentials are whole, also those of other
// grants. The next run works and leaves no file with a token.
func TestKilledWhileItStoresACredential(t *testing.T) {
	if root, writer := killtest.Directory(); writer {
		storeForever(t, &credential.Cache{Root: root})
	}
	for range 25 {
		cache, path := stored(t, `{"provider_url":"`+provider+
			`","note":"of another tool","credential":{"access_token":"kept-token-of-a-test","grant_id":"other"}}`)
		last, err := strconv.Atoi(killtest.Writer(t, cache.Root, 20*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		grants, err := cache.Grants(provider)
		if err != nil || len(grants) != 2 || grants[1].Credential.AccessToken.Reveal() != "kept-token-of-a-test" {
			t.Fatalf("after the %dth: %v, %d grants", last, err, len(grants))
		}
		// One more may have been stored before it was reported.
		if got := grants[0].Credential.AccessToken.Reveal(); got != tokenNumber(last) && got != tokenNumber(last+1) {
			t.Errorf("the token is of %.10q, not of %d", got, last)
		}
		if content, err := os.ReadFile(path); err != nil || !strings.Contains(string(content), "of another tool") {
			t.Errorf("%v: %s", err, content)
		}
		age(t, cache.Root)
		if err := cache.Add(numbered(0)); err != nil {
			t.Errorf("the next run: %v", err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".writing-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// storeForever stores one credential after the other. Their lengths differ, so that mixed files would be detected.
func storeForever(t *testing.T, cache *credential.Cache) {
	t.Helper()
	for number := 1; ; number++ {
		if err := cache.Add(numbered(number)); err != nil {
			t.Fatal(err)
		}
		fmt.Println(number)
	}
}

func numbered(number int) *credential.Entry {
	token, err := rs.NewBearer(tokenNumber(number))
	if err != nil {
		panic(err) // it is made of plain characters
	}
	return &credential.Entry{
		ProviderURL: provider,
		Credential:  credential.Credential{AccessToken: token, GrantID: "grt_1"},
	}
}

func tokenNumber(number int) string {
	return strconv.Itoa(number) + "-" + strings.Repeat("t", 16+number*977%9_000)
}

// age sets the time of temporary files to long ago.
func age(t *testing.T, root string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(root, "clients", ".writing-*"))
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, path := range left {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
}
