package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pagedLists is a provider whose lists come in pages: the answer to a cursor, and the first one. It keeps the queries.
type pagedLists struct {
	pages map[string]string // by cursor
	saw   []string          // one client at a time
}

func (p *pagedLists) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/schema" {
		_, _ = w.Write([]byte(`{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`))
		return
	}
	p.saw = append(p.saw, r.URL.RawQuery)
	_, _ = fmt.Fprintf(w, `{"object":"list",%s}`, p.pages[r.URL.Query().Get("cursor")])
}

// R-HAND-8: a list of event subscriptions is read to its end with --all. Without it, a list that has more says so in every
// format, with the command line that reads on. A provider that has no end is not asked for ever.
func TestListsHavePages(t *testing.T) {
	const more = `"has_more":true,"next_cursor":`
	three := map[string]string{
		"":       `"data":[{"id":"sub_1"},{"id":"sub_2"}],` + more + `"it's 2"`,
		"it's 2": `"data":[{"id":"sub_3"}],` + more + `"3"`,
		"3":      `"data":[{"id":"sub_4"}],"has_more":false,"next_cursor":"4"`,
	}
	list := []string{"subscriptions", "list"}
	tests := map[string]struct {
		pages    map[string]string
		command  []string
		saw      []string
		out, err string // what is printed; err is a part
		code     int
	}{
		"every page": {
			three, append(list, "--all"),
			[]string{"", "cursor=it%27s+2", "cursor=3"},
			`{"id":"sub_1"}` + "\n" + `{"id":"sub_2"}` + "\n" + `{"id":"sub_3"}` + "\n" + `{"id":"sub_4"}` + "\n", "", 0,
		},
		"every page of a size": {
			three, append(list, "--all", "--limit", "1", "--cursor", "3"), []string{"limit=1&cursor=3"}, `{"id":"sub_4"}` + "\n", "", 0,
		},
		"one page": {
			three, append(list, "--format", "text"),
			[]string{""},
			"id=\"sub_1\"\nid=\"sub_2\"\n",
			`more than these 2 rows; pass --all for every one, or read on: pdpp-mcp subscriptions list --provider-url SERVER --format text --json '{"cursor":"it'\''s 2"}'`, 0,
		},
		"the last page": {three, append(list, "--format", "text", "--cursor", "3"), []string{"cursor=3"}, "id=\"sub_4\"\n", "", 0},
		"a list without pages": {
			three, []string{"streams", "--format", "text"}, []string{""}, "id=\"sub_1\"\nid=\"sub_2\"\n", "the provider has more than these 2 rows", 0,
		},
		"pages in a circle": {
			map[string]string{"": `"data":[{"id":"sub_1"}],` + more + `"a"`, "a": `"data":[{"id":"sub_2"}],` + more + `"b"`, "b": `"data":[],` + more + `"a"`},
			append(list, "--all"),
			[]string{"", "cursor=a", "cursor=b"},
			`{"id":"sub_1"}` + "\n" + `{"id":"sub_2"}` + "\n", "next_cursor twice", exitToolError,
		},
		"more, and no cursor": {
			map[string]string{"": `"data":[{"id":"sub_1"}],"has_more":true`},
			append(list, "--all"),
			[]string{""},
			`{"id":"sub_1"}` + "\n", "no next_cursor", exitToolError,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			provider := &pagedLists{pages: test.pages}
			server := httptest.NewServer(provider)
			t.Cleanup(server.Close)
			command := exec.CommandContext(t.Context(), "pdpp-mcp", test.command...)
			command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped", "PDPP_PROVIDER_URL="+server.URL)
			var out, problems strings.Builder
			command.Stdout, command.Stderr = &out, &problems
			_ = command.Run() // its code tells
			if diff := cmp.Diff(test.saw, provider.saw); diff != "" {
				t.Errorf("the provider saw (-want +got):\n%s", diff)
			}
			if out.String() != test.out || command.ProcessState.ExitCode() != test.code {
				t.Errorf("ended with %d and printed %q", command.ProcessState.ExitCode(), out.String())
			}
			if (test.err == "") != (problems.Len() == 0) || !strings.Contains(problems.String(), strings.ReplaceAll(test.err, "SERVER", server.URL)) {
				t.Errorf("stderr is %q, want %q", problems.String(), test.err)
			}
		})
	}
}
