package rs

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkRedaction searches a page of records without a bearer, which is the usual case: a plain page, a bearer with
// a frequent first letter, escapes in every line, and packages with several bearers.
func BenchmarkRedaction(b *testing.B) {
	plain := `{"data":[` + strings.TrimSuffix(
		strings.Repeat(`{"id":"18c2f0aa71","subject":"The garden in May","from":"ada@example.com"},`, 1500), ",") + `]}`
	for _, test := range []struct {
		name, body string
		begins     string
		bearers    int
	}{
		{"plain", plain, "", 1},
		{"frequent letter", plain, "e", 1},
		{"escapes", strings.ReplaceAll(plain, "garden", `gar\u003cden\n\"100%2B`), "", 1},
		{"package of 5", plain, "", 5},
		{"package of 100", plain, "", 100},
	} {
		b.Run(test.name, func(b *testing.B) {
			bearers := make([]string, test.bearers)
			for i := range bearers {
				bearers[i] = test.begins + fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i)}))
			}
			secrets, body := NewSecrets(bearers...), []byte(test.body)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				secrets.redact(body)
			}
		})
	}
}
