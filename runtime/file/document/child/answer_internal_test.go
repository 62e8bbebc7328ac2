package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-4, R-DOC-5: what a child writes does not make the server keep more than the longest text, or show more than a
// reason.
func TestHostileAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		times  int
		want   document.Obstacle // empty: another error
	}{
		"empty parts without end": {`{"Part":{}}`, 1 << 20, document.TooLarge},
		"too much text":           {`{"Part":{"Text":"` + strings.Repeat("x", 1<<20) + `"}}`, 10, document.TooLarge},
		"too long a name":         {`{"Part":{"Name":"` + strings.Repeat("x", 9<<20) + `"}}`, 1, document.TooLarge},
		"no end":                  {`{"Part":{"Text":"x"}}`, 1, ""},
		"a reason": {
			`{"Refused":{"Reason":"damaged","Detail":"its bytes are not complete"}}`, 1,
			document.Damaged,
		},
		"a long reason": {`{"Refused":{"Reason":"damaged","Detail":"` + strings.Repeat("x", 1000) + `"}}`, 1, ""},
		"no reason":     {`{"Refused":{}}`, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			parts, _, err := readAnswers(json.NewDecoder(strings.NewReader(strings.Repeat(test.answer, test.times))))
			refused, isRefused := errors.AsType[*document.Error](err)
			if err == nil || parts != nil || isRefused != (test.want != "") || isRefused && refused.Reason != test.want {
				t.Errorf("%d parts, %v, want %q", len(parts), err, test.want)
			}
		})
	}
}

// FuzzAnswers checks that any output of a child is a document of limited size, a *document.Error, or an error of
// reading.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"Part":{"Unit":"page","Text":"a\n","IsScan":true}}{}`, `{"Image":"aGk="}`,
		`{"Refused":{"Reason":"encrypted","Detail":"it needs a password"}}`, `{"Part":{"Text":`, "{}x", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		parts, image, err := readAnswers(json.NewDecoder(bytes.NewReader(output)))
		if err != nil && (parts != nil || image != nil) {
			t.Errorf("%q: %d parts and an image of %d bytes with %v", output, len(parts), len(image), err)
		}
		if refused, isRefused := errors.AsType[*document.Error](err); isRefused && refused.Detail == "" {
			t.Errorf("%q has no reason", output)
		}
		if size := len(document.Join(parts)); size > 2*document.DefaultLimits().Text {
			t.Errorf("%d bytes of text", size)
		}
	})
}
