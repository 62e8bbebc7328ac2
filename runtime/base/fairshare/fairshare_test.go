package fairshare_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/fairshare"
)

// R-DOC-4: a caller does not wait behind another caller's second request, however many requests came first.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		share := fairshare.New(2, 1)
		order := make(chan string, 8)
		use := func(caller string, until <-chan struct{}) {
			release, err := share.Acquire(t.Context(), caller, 1)
			if err != nil {
				t.Error(err)
				return
			}
			order <- caller
			<-until
			release()
		}
		first, rest := make(chan struct{}), make(chan struct{})
		close(rest)
		go use("a", first)
		synctest.Wait()
		for range 3 {
			go use("a", rest)
		}
		synctest.Wait()
		go use("b", rest)
		synctest.Wait()
		if len(order) != 2 || <-order != "a" || <-order != "b" {
			t.Error("b waits behind the requests of a")
		}
		close(first)
		synctest.Wait()
		if len(order) != 3 {
			t.Errorf("%d further requests of a had their turn, want 3", len(order))
		}
	})
}

// A request that is cancelled while it waits acquires nothing.
func TestCancelled(t *testing.T) {
	share := fairshare.New(2, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, caller := range []string{"a", "b"} {
		release, err := share.Acquire(t.Context(), caller, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	for _, caller := range []string{"a", "c"} { // one waits for its part, the other for all
		if _, err := share.Acquire(ended, caller, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", caller, err, context.Canceled)
		}
	}
}
