package invocation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// Log is the program's log on stderr.
type Log struct {
	destination io.Writer
	format      string
	level       string
}

// NewLog returns a log and adds its flags.
func NewLog(destination io.Writer, flags *pflag.FlagSet) *Log {
	l := &Log{destination: destination}
	AddChoice(flags, &l.format, "log-format", "text", "format of the log on stderr: text or json", "text", "json")
	AddChoice(flags, &l.level, "log-level", "info", "lowest level to log: debug, info, warn or error", "debug", "info", "warn", "error")
	ReadVariables(flags, "log-format", "log-level")
	return l
}

// Logger returns a logger with the chosen format and level. Call it after the flags were parsed.
func (l *Log) Logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.level)) // the flag accepts only levels
	options := &slog.HandlerOptions{Level: level}
	destination := printableWriter{l.destination} // handlers write whole lines
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(destination, options))
	}
	return slog.New(slog.NewTextHandler(destination, options))
}

// Fatal writes the error that ends the program, and its next steps below. With --log-format json it writes a record
// with the exit code.
func (l *Log) Fatal(err error, code int) {
	steps := nextSteps(err)
	if l.format == "json" {
		attributes := []any{"exit_code", code}
		if steps != nil {
			attributes = append(attributes, "next_steps", steps)
		}
		l.Logger().Error(err.Error(), attributes...)
		return
	}
	for _, line := range linesOf(err) {
		l.print("pdpp-mcp: "+line, "")
	}
	for _, step := range steps {
		l.print("  "+step, "  ")
	}
}

// linesOf returns the lines of wrong settings, one line for each joined error, and otherwise the message.
func linesOf(err error) []string {
	if several, ok := errors.AsType[*WrongSettings](err); ok {
		return several.Lines()
	}
	var lines []string
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			lines = append(lines, linesOf(each)...)
		}
	}
	if strings.Join(lines, "\n") != err.Error() {
		return []string{err.Error()}
	}
	return lines
}

// Command begins a next step that is a command line.
const Command = "try: "

// print writes a message, which may quote the provider, on one line. A terminal gets it wrapped, except for command
// lines, which are pasted.
func (l *Log) print(message, hang string) {
	message = Printable(strings.Join(strings.FieldsFunc(message, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	if columns, isTerminal := columnsOf(l.destination); isTerminal && !strings.HasPrefix(message, hang+Command) {
		message = WrapLine(message, columns, hang)
	}
	_, _ = fmt.Fprintln(l.destination, message) // a failure cannot be reported
}

// Tracing starts the tracer of a server (R-OPS-1) and returns a function that flushes it. The Tracer is nil if the
// environment names no endpoint. A program that cannot trace has a nil Tracing.
type Tracing func(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error)

// Begin starts the tracer, if there is one.
func (t Tracing) Begin(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error) {
	if t == nil {
		return nil, func() {}, nil
	}
	return t(ctx, version, logger)
}
