package invocation

import (
	"errors"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// What is shown to be typed is the line that was typed with one more flag, quoted for a shell: before the first
// argument that is not a flag, and in place of other values of the flag.
func TestAddCommandLines(t *testing.T) {
	several := &credential.SeveralError{
		URLs:    []string{"https://a.example", "https://b.example"},
		Refusal: &credential.Error{},
	}
	apart := *several
	apart.Apart = true
	open := AdvisedToChoose(errors.New("open"), []string{"a hint"}, [][]string{GrantChoice("a b"), GrantChoice("c")})
	for _, test := range []struct {
		err   error
		typed []string
		want  []string
	}{
		{errors.New("closed"), []string{"call"}, nil},
		{several, []string{"call", "search", "it's"}, []string{
			`try: pdpp-mcp call search 'it'\''s' --provider-url https://a.example --provider-url https://b.example`,
			`try: pdpp-mcp call search 'it'\''s' --provider-url https://a.example`,
			`try: pdpp-mcp call search 'it'\''s' --provider-url https://b.example`,
		}},
		{&apart, []string{"--provider-url=x", "call", "--provider-url", "y", "--", "-q", "--provider-url"}, []string{
			"try: pdpp-mcp call --provider-url https://a.example -- -q --provider-url",
			"try: pdpp-mcp call --provider-url https://b.example -- -q --provider-url",
		}},
		{open, []string{"blob", "x", "--grant-id", "c"}, []string{
			"a hint", "try: pdpp-mcp blob x --grant-id 'a b'", "try: pdpp-mcp blob x --grant-id c",
		}},
	} {
		command := &cobra.Command{}
		AddProviderURLs(command.Flags(), new([]string), "")
		err := AddCommandLines(test.err, command, test.typed)
		if steps := nextSteps(err); !errors.Is(err, test.err) || !slices.Equal(steps, test.want) {
			t.Errorf("%q with %v gives\n%q\nwant\n%q", test.typed, test.err, steps, test.want)
		}
	}
}
