package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Several processes connect to one provider at the same moment, and every grant is stored. The provider holds back each
// last answer until all processes have requested it, so that all write at once.
func TestConnectsAtOnce(t *testing.T) {
	const many = 8
	var polls atomic.Int64
	var asked sync.WaitGroup
	asked.Add(many)
	provider := playedProvider(t, capturedSignIn(), func(captured http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case isPoll(r):
				number := polls.Add(1)
				_, _ = fmt.Fprintf(w, `{"access_token":"token-of-a-test-%d","token_type":"Bearer","grant_id":"grt_%d"}`, number,
					number)
				return
			case r.URL.Path == "/v1/schema":
				asked.Done()
				asked.Wait()
			}
			captured.ServeHTTP(w, r)
		})
	})
	root := t.TempDir()
	var running sync.WaitGroup
	for range many {
		running.Go(func() {
			if printed, err := connecting(t, provider.URL, root).CombinedOutput(); err != nil {
				t.Errorf("ended with %v: %s", err, printed)
			}
		})
	}
	running.Wait()
	grants, err := (&credential.Cache{Root: root}).Grants(provider.URL)
	if err != nil {
		t.Fatal(err)
	}
	var held, want []string
	for _, entry := range grants {
		held = append(held, entry.Credential.GrantID+" "+entry.Credential.AccessToken.Reveal())
	}
	for number := 1; number <= many; number++ {
		want = append(want, fmt.Sprintf("grt_%d token-of-a-test-%d", number, number))
	}
	slices.Sort(held)
	if !slices.Equal(held, want) {
		t.Errorf("the cache holds %v, want %v", held, want)
	}
}
