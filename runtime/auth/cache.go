package auth

import (
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// How long an answer is kept at most, counted from when it was asked for (interfaces.md, Limits).
const (
	positiveLifetime = 60 * time.Second
	negativeLifetime = 5 * time.Second
)

// key is the SHA-256 of a token: the cache never holds a caller's token itself.
type key [sha256.Size]byte

// verdict is what an answer means: a caller or a refusal. It is immutable.
type verdict struct {
	caller  *Caller
	refusal *Refusal
	until   time.Time // it holds before this time
}

func (v *verdict) result() (*Caller, error) {
	if v.refusal != nil {
		return nil, v.refusal
	}
	return v.caller, nil
}

// cache keeps verdicts until their time, which depends on each. Package expirable of the same library has
// one time for all and no clock to set. Verdicts with access stand apart from those without it, so
// that a flood of made-up tokens does not push out the callers that are let in.
type cache struct {
	positive *lru.Cache[key, *verdict]
	negative *lru.Cache[key, *verdict]
}

// newCache makes a cache of a size that is greater than 0, which is all that package lru asks of it.
func newCache(size int) *cache {
	positive, _ := lru.New[key, *verdict](size)
	negative, _ := lru.New[key, *verdict](size)
	return &cache{positive, negative}
}

func (c *cache) get(token key, now time.Time) (*verdict, bool) {
	for _, kept := range []*lru.Cache[key, *verdict]{c.negative, c.positive} {
		if found, ok := kept.Get(token); ok {
			if now.Before(found.until) {
				return found, true
			}
			kept.Remove(token)
		}
	}
	return nil, false
}

// put replaces whatever was known of the token.
func (c *cache) put(token key, newest *verdict) {
	if newest.refusal != nil {
		c.positive.Remove(token)
		c.negative.Add(token, newest)
		return
	}
	c.negative.Remove(token)
	c.positive.Add(token, newest)
}
