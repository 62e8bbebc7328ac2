package invocation

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
)

// Log is the program's log on stderr, in the form and from the level that its flags choose.
type Log struct {
	destination io.Writer
	format      string
	level       string
}

// NewLog adds the flags of a log and returns it.
func NewLog(destination io.Writer, flags *pflag.FlagSet) *Log {
	l := &Log{destination: destination}
	AddChoice(flags, &l.format, "log-format", "text", "form of the log on stderr: text or json", "text", "json")
	AddChoice(flags, &l.level, "log-level", "info", "least level to log: debug, info, warn or error", "debug", "info", "warn", "error")
	ReadVariables(flags, "log-format", "log-level")
	return l
}

// Logger returns a logger for the form and level that were chosen. Call it after the flags were parsed.
func (l *Log) Logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.level)) // cannot fail: the flag accepts only levels
	options := &slog.HandlerOptions{Level: level}
	destination := printableWriter{l.destination} // handlers write whole lines
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(destination, options))
	}
	return slog.New(slog.NewTextHandler(destination, options))
}

// advisedError is an error with what to do about it.
type advisedError struct {
	error
	steps []string
}

// Unwrap returns the error.
func (e *advisedError) Unwrap() error { return e.error }

// NextSteps returns the steps, a line each.
func (e *advisedError) NextSteps() []string { return e.steps }

// Advised adds next steps to an error, which Fatal prints below it: hints, and command lines that begin with Command. Without any it
// is the error as it was.
func Advised(err error, steps ...string) error {
	if len(steps) == 0 {
		return err
	}
	return &advisedError{err, steps}
}

// Fatal writes the error that ends the program as one line, with its next steps below, and with --log-format json as a record
// with the exit code.
func (l *Log) Fatal(err error, code int) {
	var advised interface{ NextSteps() []string }
	var steps []string
	if errors.As(err, &advised) {
		steps = advised.NextSteps()
	}
	if l.format == "json" {
		attributes := []any{"exit_code", code}
		if steps != nil {
			attributes = append(attributes, "next_steps", steps)
		}
		l.Logger().Error(err.Error(), attributes...)
		return
	}
	// If stderr cannot be written, there is nowhere to report it.
	l.print("pdpp-mcp: "+err.Error(), "")
	for _, step := range steps {
		l.print("  "+step, "  ")
	}
}

// Command begins a next step that is a command line.
const Command = "try: "

// print writes a message as one line; on a terminal it is wrapped at words, but for a command line, which is there to be pasted.
func (l *Log) print(message, hang string) {
	message = oneLine(message)
	if columns, onTerminal := columnsOf(l.destination); onTerminal && !strings.HasPrefix(message, hang+Command) {
		message = WrapLine(message, columns, hang)
	}
	_, _ = fmt.Fprintln(l.destination, message)
}

// oneLine puts a message, which may quote the provider, on one line.
func oneLine(message string) string {
	return Printable(strings.Join(strings.FieldsFunc(message, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}
