package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	calendar = regexp.MustCompile(`\b(19|20)\d\d\b|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d`)
	request  = regexp.MustCompile(`^\.(TH|SH|PP|TP|EX|EE|nf|fi)( ".*")*$`)
)

// A page has every flag and the words of the help, in plain man(7).
func TestManualPages(t *testing.T) {
	visitCommands(commands(), func(command *cobra.Command) {
		page := string(manualPage(command))
		name := command.CommandPath()
		if !strings.HasPrefix(page, `.TH "PDPP\-MCP`) ||
			!strings.Contains(page, ".SH \"NAME\"\n"+manualName(command)+` \- `) {
			t.Errorf("%s: the page begins with %.80q", name, page)
		}
		plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\fB`, "", `\fI`, "", `\fR`, "", `\&`, "", `\[u2026]`,
			"…").Replace(page)
		for _, words := range []string{command.UseLine(), command.Short, command.Example} {
			if !strings.Contains(spaced(plain), spaced(words)) {
				t.Errorf("%s: the page lacks %q", name, words)
			}
		}
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Hidden {
				return
			}
			if !regexp.MustCompile(`(?m)(^|, )--` + flag.Name + `( |$)`).MatchString(plain) {
				t.Errorf("%s: the page lacks --%s", name, flag.Name)
			}
		})
		if header, _, _ := strings.Cut(page, "\n"); calendar.MatchString(header) {
			t.Errorf("%s: the page holds a date: %s", name, header)
		}
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request.MatchString(line) {
				t.Errorf("%s: %q would be obeyed", name, line)
			}
		}
	})
	hostile := &cobra.Command{
		Use: "x <y>", Short: `a \fB "b"`, Long: ".so /etc/passwd\n'ex\n\n<tag> stays",
		Example: "  .EE",
	}
	page := string(manualPage(hostile))
	for _, kept := range []string{`\&.so /etc/passwd`, `\&'ex`, "<tag> stays", `\&.EE`, `a \efB "b"`} {
		if !strings.Contains(page, kept) {
			t.Errorf("%q is not in %q", kept, page)
		}
	}
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
