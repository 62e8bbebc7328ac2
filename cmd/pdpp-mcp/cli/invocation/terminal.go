// Package invocation holds what the commands share: the standard streams, flags with their environment variables and
// configuration file, the choice of a provider and credential, the log, and exit codes. Everything that a provider sent
// must pass Printable or OneLine on its way to a terminal.
package invocation

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Terminal is the standard streams of a command.
type Terminal struct {
	In  io.ReadCloser
	Out io.Writer
	Err io.Writer

	NoPager *bool // of the flag; nil: no pager
}

// OnTerminal reports whether a stream is a terminal, and returns it as a file.
func OnTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// Width returns the width of standard output in columns, 160 if it is unknown. It reports whether standard output is a
// terminal.
func (t Terminal) Width() (int, bool) { return columnsOf(t.Out) }

func columnsOf(stream any) (int, bool) {
	file, isTerminal := OnTerminal(stream)
	if isTerminal {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 20 {
			return columns, true
		}
	}
	return 160, isTerminal
}

// Page writes a text to standard output. On a terminal, a text with more lines than the screen goes through the pager
// of $PAGER, or less.
func (t Terminal) Page(text string) error {
	if file, isTerminal := OnTerminal(t.Out); isTerminal && !t.isUnpaged() {
		_, rows, err := term.GetSize(int(file.Fd()))
		if words := pagerCommand(os.Getenv); err == nil && words != nil && strings.Count(text, "\n") >= rows {
			pager := exec.Command(words[0], words[1:]...)
			pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), file, os.Stderr
			pager.Env = os.Environ()
			if os.Getenv("LESS") == "" { // as git: quit if it fits, keep colours, leave the text on the screen
				pager.Env = append(pager.Env, "LESS=FRX")
			}
			if pager.Run() == nil {
				return nil
			}
		}
	}
	if _, err := io.WriteString(t.Out, text); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// AddPagerFlag adds the flag that turns the pager off.
func (t Terminal) AddPagerFlag(flags *pflag.FlagSet) {
	flags.BoolVar(t.NoPager, "no-pager", false, "print long output without the pager of $PAGER")
}

func (t Terminal) isUnpaged() bool { return t.NoPager == nil || *t.NoPager }

// pagerCommand returns the words of the pager, or nil for none. An empty PAGER and cat mean no pager.
func pagerCommand(getenv func(string) string) []string {
	named, isSet := getenv("PAGER"), getenv("PAGER") != ""
	if !isSet {
		if named = "less"; getenv("TERM") == "" || getenv("TERM") == "dumb" {
			return nil
		}
	}
	words := strings.Fields(named)
	if len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return words
}

// HasColours reports whether standard output is a terminal with colours, and NO_COLOR is not set (https://no-color.org).
func (t Terminal) HasColours() bool {
	_, isTerminal := OnTerminal(t.Out)
	kind := os.Getenv("TERM")
	return isTerminal && os.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
}

// PrintJSON writes a value as indented JSON to standard output.
func (t Terminal) PrintJSON(value any) error {
	encoder := json.NewEncoder(t.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// PrintTable prints the first of some tables that fits the terminal: rows in aligned columns below headings. If none
// fits, each row of the first table becomes a paragraph with a line for each cell. Columns without a value are left out
// on a terminal.
func (t Terminal) PrintTable(tables ...[][]string) error {
	columns, isTerminal := t.Width()
	if !isTerminal {
		lines, _ := aligned(tables[0])
		return t.Page(lines)
	}
	for i, rows := range tables {
		tables[i] = withoutEmpty(rows)
		if lines, width := aligned(tables[i]); width <= columns {
			return t.Page(lines)
		}
	}
	return t.Page(paragraphs(tables[0], columns))
}

// aligned returns the lines of a table, and the width of the widest.
func aligned(rows [][]string) (lines string, widest int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(OneLine(cell)))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			cell = OneLine(cell)
			line += cell + strings.Repeat(" ", widths[i]-Width(cell)+2)
		}
		line = strings.TrimRight(line, " ")
		widest = max(widest, Width(line))
		lines += line + "\n"
	}
	return lines, widest
}

// paragraphs returns a paragraph for each row below the headings, with a line for each cell.
func paragraphs(rows [][]string, columns int) string {
	heading := 0
	for _, name := range rows[0] {
		heading = max(heading, Width(name)+2)
	}
	var shown []string
	for _, row := range rows[1:] {
		paragraph := ""
		for i, cell := range row {
			labelled := fmt.Sprintf("%-*s%s", heading, rows[0][i], OneLine(cell))
			paragraph += strings.TrimRight(WrapLine(labelled, columns, strings.Repeat(" ", heading)), " ") + "\n"
		}
		shown = append(shown, paragraph)
	}
	return strings.Join(shown, "\n")
}

// withoutEmpty returns rows without the columns in which every cell is unknown.
func withoutEmpty(rows [][]string) [][]string {
	kept := make([][]string, len(rows))
	for i := range rows[0] {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[i] != Unknown && row[i] != "" }) {
			continue
		}
		for r, row := range rows {
			kept[r] = append(kept[r], row[i])
		}
	}
	return kept
}

// Unknown is the cell of a table without a value.
const Unknown = "-"

// NameList returns the first names of a sorted list in one cell, and the number of the others.
func NameList(names []string, limit int) string {
	shown := strings.Join(names[:min(len(names), limit)], ", ")
	switch more := len(names) - limit; {
	case more > 0 && limit == 1: // for a narrow table
		shown += fmt.Sprintf(" +%d", more)
	case more > 0:
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}

// Note writes a message to standard error. A terminal gets it wrapped at words.
func (t Terminal) Note(format string, values ...any) {
	message := OneLine(fmt.Sprintf(format, values...))
	if columns, isTerminal := columnsOf(t.Err); isTerminal {
		message = WrapLine(message, columns, "")
	}
	_, _ = fmt.Fprintln(t.Err, message) // a failure cannot be reported
}

// isControl reports whether a terminal would act on a character or show nothing for it. Line breaks and tabs are
// allowed.
func isControl(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }

// Printable replaces control and invisible characters with JSON escapes. A JSON document keeps its meaning, because it
// has such characters only inside strings.
func Printable(shown string) string {
	if !strings.ContainsFunc(shown, isControl) {
		return strings.ToValidUTF8(shown, "\ufffd")
	}
	var written []byte
	for _, r := range shown {
		if isControl(r) {
			written = rawjson.AppendEscape(written, r)
		} else {
			written = utf8.AppendRune(written, r)
		}
	}
	return string(written)
}

// OneLine is Printable with all white space, including line breaks, as single spaces.
func OneLine(text string) string { return Printable(strings.Join(strings.Fields(text), " ")) }

// printableWriter applies Printable to each write. Each write must be whole lines, so that no character is split.
type printableWriter struct{ io.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Line is a progress line, which is rewritten in place.
type Line struct {
	terminal io.Writer // nil: nothing is written
	isShown  bool
}

// NewLine returns a line on a stream. It writes nothing unless the stream is a terminal.
func NewLine(stream io.Writer) *Line {
	if file, isTerminal := OnTerminal(stream); isTerminal {
		return &Line{terminal: file}
	}
	return &Line{}
}

// Show replaces the text of the line. The new text must not be shorter.
func (l *Line) Show(text string) {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r"+text)
		l.isShown = true
	}
}

// End ends the line, if there is one. Later calls do nothing.
func (l *Line) End() {
	if l.terminal != nil && l.isShown {
		fmt.Fprintln(l.terminal)
	}
	l.terminal = nil
}

// OpenBrowser opens a checked http or https URL in the browser of this machine. It reports whether the browser was
// started.
func OpenBrowser(page string) bool {
	name, arguments := browserCommand(runtime.GOOS, os.Getenv)
	if name == "" {
		return false
	}
	// Not bound to a context, because the browser outlives the command. Its messages are dropped, because they would break
	// the screen.
	command := exec.Command(name, append(arguments, page)...)
	if err := command.Start(); err != nil {
		return false
	}
	go func() { _ = command.Wait() }()
	return true
}

// browserCommand returns the program that opens a page, with its arguments. The name is empty without a display.
func browserCommand(system string, getenv func(string) string) (string, []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}

// Width returns the columns that a terminal needs for a text without escape sequences.
func Width(text string) int { return runewidth.StringWidth(text) }

// Cut shortens a text to a width in columns, with an ellipsis at its end.
func Cut(text string, columns int) string { return runewidth.Truncate(text, columns, "…") }

// Count returns a number with its noun, such as "1 row" or "2 rows".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// WrapLine breaks a line at spaces and begins each further line with hang. A word that is wider than columns stays
// whole.
func WrapLine(line string, columns int, hang string) string {
	body := strings.TrimLeft(line, " ")
	wrapped := line[:len(line)-len(body)]
	width := len(wrapped)
	for i, word := range strings.Split(body, " ") {
		switch {
		case i == 0:
		case width+1+Width(word) > columns:
			wrapped += "\n" + hang
			width = len(hang)
		default:
			wrapped += " "
			width++
		}
		wrapped += word
		width += Width(word)
	}
	return wrapped
}

// WrapText joins the lines of each paragraph and wraps them. Indented lines stay as they are.
func WrapText(text string, columns int) string {
	var wrapped []string
	isOpen := false // the last line can be continued
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		isPlain := line != "" && line[0] != ' ' && line[0] != '\t'
		if isPlain && isOpen {
			wrapped[len(wrapped)-1] += " " + line
		} else {
			wrapped = append(wrapped, line)
		}
		isOpen = isPlain
	}
	for i, line := range wrapped {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			wrapped[i] = WrapLine(line, columns, "")
		}
	}
	return strings.Join(wrapped, "\n")
}
