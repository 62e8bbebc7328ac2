package calling

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// answering is a Writer with one answer.
type answering struct {
	body string
	err  error
}

func (a answering) Send(context.Context, rs.Change) (*rs.Response, error) {
	answer := rs.Response{Status: 201}
	if a.err != nil || a.body == "" {
		return &answer, a.err
	}
	return answer.WithBody([]byte(a.body))
}

// The secret is found by its form in any member and removed from the answer. A file without a secret is removed.
func TestSecretKeeper(t *testing.T) {
	for name, test := range map[string]struct {
		writer answering
		kept   string // the file's content; empty: no file
	}{
		"at the top":       {answering{body: `{"id":"sub_1","secret":"whsec_aGlk+/w=="}`}, "whsec_aGlk+/w==\n"},
		"deeper":           {answering{body: `{"signing":{"signing_secret":"whsec_aGlk"}}`}, "whsec_aGlk\n"},
		"slashes escaped":  {answering{body: `{"secret":"whsec_a\/b"}`}, "whsec_a/b\n"},
		"no secret":        {answering{body: `{"id":"sub_1"}`}, ""},
		"without a body":   {answering{}, ""},
		"refused":          {answering{err: &rs.Error{Status: 400}}, ""},
		"of another form":  {answering{body: `{"secret":"hidden"}`}, ""},
		"only in the text": {answering{body: `{"note":"begins with whsec_aGlk"}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "secret")
			keeper, err := newSecretKeeper(test.writer, file)
			if err != nil {
				t.Fatal(err)
			}
			response, err := keeper.Send(t.Context(), rs.Change{})
			keeper.close()
			content, readErr := os.ReadFile(file)
			if string(content) != test.kept || errors.Is(readErr, os.ErrNotExist) != (test.kept == "") {
				t.Errorf("the file holds %q, %v; want %q", content, readErr, test.kept)
			}
			if (err == nil) != (test.kept != "") {
				t.Errorf("got %v", err)
			}
			if err == nil && (strings.Contains(string(response.Body()), "whsec_") || !json.Valid(response.Body())) {
				t.Errorf("the answer is %s", response.Body())
			}
		})
	}
}
