package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
)

// manualName returns the name of a command's page, such as pdpp-mcp-call-schema for pdpp-mcp call schema.
func manualName(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-")
}

// manualPage returns the help of a command as a page for man(1), in roff with the macros of man(7). It has no date, so
// that it changes only with the command. Cobra's generator would read descriptions as Markdown, where <provider-url> is
// a tag and disappears.
func manualPage(command *cobra.Command) []byte {
	var page roff
	page.macro("TH", strings.ToUpper(manualName(command)), "1", "", "pdpp-mcp", "")
	page.macro("SH", "NAME")
	page.line(manualName(command) + ` \- ` + escapeRoff(command.Short))
	page.macro("SH", "SYNOPSIS")
	page.text(command.UseLine())
	page.macro("SH", "DESCRIPTION")
	page.paragraphs(cli.Description(command))
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
	if !command.HasParent() { // of the whole program
		for _, topic := range command.Commands() {
			if cli.IsTextTopic(topic) {
				page.macro("SH", strings.ToUpper(topic.Short))
				page.indented(topic.Long)
			}
		}
	}
	page.related(command)
	return page.Bytes()
}

// roff is the buffer of a page.
type roff struct{ bytes.Buffer }

// macro writes a macro line with quoted arguments.
func (r *roff) macro(name string, arguments ...string) {
	r.WriteString("." + name)
	for _, argument := range arguments {
		r.WriteString(` "` + strings.ReplaceAll(escapeRoff(argument), `"`, `\(dq`) + `"`)
	}
	r.WriteString("\n")
}

// line writes an escaped line.
func (r *roff) line(escaped string) { r.WriteString(escaped + "\n") }

// text writes one line of plain text. A leading period or apostrophe is escaped, because it would begin a macro.
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

// indented writes paragraphs, and lines that begin with a space as they are.
func (r *roff) indented(plain string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(plain), "\n\n") {
		isList := i > 0
		if isList {
			r.macro("PP")
			r.macro("nf")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			r.text(line)
		}
		if isList {
			r.macro("fi")
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
		placeholder, usage := cli.FlagUsage(flag)
		if placeholder != "" {
			placeholder = ` \fI` + escapeRoff(placeholder) + `\fR`
		}
		r.macro("TP")
		r.line(`\fB` + escapeRoff(cli.FlagName(flag)) + `\fR` + placeholder)
		r.text(usage)
	})
}

// related writes SEE ALSO with the pages of the parent command and of the subcommands.
func (r *roff) related(command *cobra.Command) {
	var pages []string
	if command.HasParent() {
		pages = append(pages, manualName(command.Parent()))
	}
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() {
			pages = append(pages, manualName(child))
		}
	}
	for i, page := range pages {
		pages[i] = `\fB` + escapeRoff(page) + `\fR(1)`
	}
	r.macro("SH", "SEE ALSO")
	r.line(strings.Join(pages, ",\n"))
}

// escapeRoff escapes a text for roff: backslashes, minus signs that can be copied, and characters outside ASCII.
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
