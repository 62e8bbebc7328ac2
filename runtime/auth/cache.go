package auth

import (
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// The maximum lifetimes of verdicts, from the request to the authorization server (interfaces.md, Limits).
const (
	positiveLifetime = 60 * time.Second
	negativeLifetime = 5 * time.Second
)

// key is the SHA-256 of a token. The cache never holds a token.
type key [sha256.Size]byte

// verdict is a caller or a refusal. It is immutable.
type verdict struct {
	caller  *Caller
	refusal *Refusal
	until   time.Time
}

func (v *verdict) result() (*Caller, error) {
	if v.refusal != nil {
		return nil, v.refusal
	}
	return v.caller, nil
}

// cache keeps verdicts. Refusals are cached separately, so that a flood of made-up tokens does not displace valid callers.
type cache struct{ positive, negative *lru.Cache[key, *verdict] }

func newCache(size int) *cache {
	positive, _ := lru.New[key, *verdict](size) // fails only for a size that is not positive
	negative, _ := lru.New[key, *verdict](size)
	return &cache{positive, negative}
}

func (c *cache) get(token key, now time.Time) (*verdict, bool) {
	for _, verdicts := range []*lru.Cache[key, *verdict]{c.negative, c.positive} {
		if found, ok := verdicts.Get(token); ok {
			if now.Before(found.until) {
				return found, true
			}
			verdicts.Remove(token)
		}
	}
	return nil, false
}

// put replaces the verdict on a token.
func (c *cache) put(token key, newest *verdict) {
	if newest.refusal != nil {
		c.positive.Remove(token)
		c.negative.Add(token, newest)
		return
	}
	c.negative.Remove(token)
	c.positive.Add(token, newest)
}
