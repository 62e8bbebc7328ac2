package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
)

// TestConnectScripts runs testdata/connect. Its scripts have a sandbox at PROVIDER, and can replace it with captured
// exchanges, one of PDPP v0.1 at STRICT, and a client's metadata document at DOCUMENT.
func TestConnectScripts(t *testing.T) {
	sandbox, strict, document := newProvider(t), newStrictProvider(t), newDocument(t)
	runScripts(t, testscript.Params{
		Dir: filepath.Join("testdata", "connect"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PDPP_CACHE_ROOT", "cache")
			env.Setenv("STRICT", strict)
			env.Setenv("DOCUMENT", document)
			setProvider(env.Setenv, sandbox)
			env.Values[playedKey{}] = new(*capturetest.Provider)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"plays":   plays,
			"matched": matched,
			"ends":    ends,
			"mode":    mode,
			"secret":  secret,
			"sealed":  sealed,
			"grant":   grant,
		},
	})
}

func setProvider(setenv func(key, value string), url string) {
	setenv("PROVIDER", url)
	setenv("FILE", "cache/clients/"+strings.ReplaceAll(strings.TrimPrefix(url, "http://"), ":", "_")+".json")
}

type playedKey struct{}

// plays serves captured exchanges at PROVIDER: plays <capture> … [old=new …].
func plays(ts *testscript.TestScript, neg bool, args []string) {
	var names, replaced []string
	for _, arg := range args {
		if before, after, isPair := strings.Cut(arg, "=>"); isPair {
			replaced = append(replaced, before, after)
		} else {
			names = append(names, arg)
		}
	}
	if neg || len(names) == 0 {
		ts.Fatalf("usage: plays <capture> ... [old=>new ...]")
	}
	provider := capturetest.New(names...)
	server := httptest.NewUnstartedServer(provider)
	ts.Defer(server.Close)
	address := "http://" + server.Listener.Addr().String()
	provider.Replace(append(replaced, capturetest.Issuer, address, capturetest.Resource, address)...)
	server.Start()
	*ts.Value(playedKey{}).(**capturetest.Provider) = provider
	setProvider(ts.Setenv, address)
}

// matched checks that the requests were those of the captured exchanges.
func matched(ts *testscript.TestScript, neg bool, args []string) {
	provider := *ts.Value(playedKey{}).(**capturetest.Provider)
	if neg || len(args) > 0 || provider == nil {
		ts.Fatalf("usage: matched, after plays")
	}
	if faults := provider.Faults(); len(faults) > 0 {
		ts.Fatalf("asked otherwise than captured:\n%s", strings.Join(faults, "\n"))
	}
}

// cacheFile has the members of a credential file that the scripts check.
type cacheFile struct {
	Credential struct {
		AccessToken string `json:"access_token"`
		GrantID     string `json:"grant_id"`
	} `json:"credential"`
}

func readCacheFile(ts *testscript.TestScript) cacheFile {
	content, err := os.ReadFile(ts.MkAbs(ts.Getenv("FILE")))
	ts.Check(err)
	var file cacheFile
	ts.Check(json.Unmarshal(content, &file))
	return file
}

// secret notes the current token for sealed: secret <variable>.
func secret(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: secret <variable>")
	}
	ts.Setenv(args[0], readCacheFile(ts).Credential.AccessToken)
}

// grant notes the id of the current grant: grant <variable>.
func grant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: grant <variable>")
	}
	ts.Setenv(args[0], readCacheFile(ts).Credential.GrantID)
}

// sealed checks that the last command printed none of the tokens: sealed <variable> … (R-ERR-6).
func sealed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: sealed <variable> ...")
	}
	printed := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	for _, name := range args {
		token := ts.Getenv(name)
		if token == "" || strings.Contains(printed, token) {
			ts.Fatalf("the token %s is empty or was printed", name)
		}
	}
}
