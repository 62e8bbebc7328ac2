package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manualName is the name of a command's page: pdpp-mcp call schema is pdpp-mcp-call-schema.
func manualName(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-")
}

// manualPage is what --help says, as a page for man(1): roff with the macros of man(7). It holds no date, so that it
// changes with the command only. It is written here, since the generator that comes with cobra takes descriptions for
// Markdown, in which <provider-url> is a tag and disappears.
func manualPage(command *cobra.Command) []byte {
	var page roff
	page.macro("TH", strings.ToUpper(manualName(command)), "1", "", "pdpp-mcp", "")
	page.macro("SH", "NAME")
	page.line(manualName(command) + ` \- ` + escapeRoff(command.Short))
	page.macro("SH", "SYNOPSIS")
	page.text(command.UseLine())
	page.macro("SH", "DESCRIPTION")
	page.paragraphs(longOf(command))
	page.options("OPTIONS", command.NonInheritedFlags())
	page.options("OPTIONS OF EVERY COMMAND", command.InheritedFlags())
	if command.Example != "" {
		page.macro("SH", "EXAMPLES")
		page.macro("EX")
		for line := range strings.SplitSeq(command.Example, "\n") {
			page.text(strings.TrimPrefix(line, "  "))
		}
		page.macro("EE")
	}
	page.related(command)
	return page.Bytes()
}

func longOf(command *cobra.Command) string {
	if command.Long != "" {
		return command.Long
	}
	return command.Short + "."
}

// roff collects a page.
type roff struct{ bytes.Buffer }

// macro writes a request line with quoted arguments.
func (r *roff) macro(name string, arguments ...string) {
	r.WriteString("." + name)
	for _, argument := range arguments {
		r.WriteString(` "` + strings.ReplaceAll(escapeRoff(argument), `"`, `\(dq`) + `"`)
	}
	r.WriteString("\n")
}

// line writes what is escaped already.
func (r *roff) line(escaped string) { r.WriteString(escaped + "\n") }

// text writes one line of plain text. A point or an apostrophe at its beginning is no request.
func (r *roff) text(plain string) {
	escaped := escapeRoff(plain)
	if strings.HasPrefix(escaped, ".") || strings.HasPrefix(escaped, "'") {
		escaped = `\&` + escaped
	}
	r.line(escaped)
}

func (r *roff) paragraphs(plain string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(plain), "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			r.text(line)
		}
	}
}

func (r *roff) options(heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	r.macro("SH", heading)
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		name := "--" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(flag)
		r.macro("TP")
		if kind != "" {
			kind = ` \fI` + escapeRoff(kind) + `\fR`
		}
		r.line(`\fB` + escapeRoff(name) + `\fR` + kind)
		if standard := flag.DefValue; standard != "" && standard != "false" && standard != "0" && standard != "[]" {
			usage += fmt.Sprintf(" (default %s)", standard)
		}
		r.text(strings.Join(strings.Fields(usage), " "))
	})
}

// related names the pages above and below.
func (r *roff) related(command *cobra.Command) {
	var pages []string
	if command.HasParent() {
		pages = append(pages, manualName(command.Parent()))
	}
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			pages = append(pages, manualName(below))
		}
	}
	for i, page := range pages {
		pages[i] = `\fB` + escapeRoff(page) + `\fR(1)`
	}
	r.macro("SH", "SEE ALSO")
	r.line(strings.Join(pages, ",\n"))
}

// escapeRoff keeps a text as it is: no escapes of its own, minus signs that can be copied, and nothing but ASCII.
func escapeRoff(plain string) string {
	var escaped strings.Builder
	for _, r := range plain {
		switch {
		case r == '\\':
			escaped.WriteString(`\e`)
		case r == '-':
			escaped.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&escaped, `\[u%04X]`, r)
		default:
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}
