package exam_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// counter counts o200k tokens. It is safe for concurrent use, and counts equal texts once.
type counter struct {
	codec  tokenizer.Codec
	counts sync.Map // of texts
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return &counter{codec: codec}
}

// What differs from run to run: the ids of requests, the port of the provider, and cursors that it signs.
var (
	requestID = regexp.MustCompile(`req_[0-9a-f]{16}`)
	localPort = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	opaque    = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{20,}`)
)

// letters replace those of a cursor; the same number of them costs about as many tokens.
var letters = strings.Repeat("eyJraW5kIjoicGFnZSIsInNlc3Npb24iOiJyZWNvcmRzIiwicXVlcnkiOiIxMjgxZmJmYmI2YjIwNTYzIiwib3JkZXIi", 40)

// count returns the number of tokens of a text, with fixed words in place of those that differ from run to run.
func (c *counter) count(t *testing.T, text string) int {
	t.Helper()
	text = requestID.ReplaceAllString(text, "req_0213c7523073a8c5")
	text = localPort.ReplaceAllString(text, "127.0.0.1:18787")
	text = opaque.ReplaceAllStringFunc(text, func(cursor string) string { return letters[:min(len(cursor), len(letters))] })
	if known, ok := c.counts.Load(text); ok {
		return known.(int)
	}
	tokens, err := c.codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	c.counts.Store(text, tokens)
	return tokens
}
