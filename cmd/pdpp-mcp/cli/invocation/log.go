package invocation

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
)

// Log writes what is not an answer to stderr.
type Log struct {
	destination io.Writer
	format      string
	level       string
}

// NewLog is a log with its flags.
func NewLog(destination io.Writer, flags *pflag.FlagSet) *Log {
	l := &Log{destination: destination}
	AddChoice(flags, &l.format, "log-format", "text", "form of the log on stderr: text or json", "text", "json")
	AddChoice(flags, &l.level, "log-level", "info", "least level to log: debug, info, warn or error", "debug", "info", "warn", "error")
	ReadVariables(flags, "log-format", "log-level")
	return l
}

// Logger is for a command that runs, after its flags were read.
func (l *Log) Logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.level)) // the flag takes levels only
	options := &slog.HandlerOptions{Level: level}
	destination := printableWriter{l.destination} // a handler writes a line at a time
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(destination, options))
	}
	return slog.New(slog.NewTextHandler(destination, options))
}

// Fatal writes why the program ends: one line in either form.
func (l *Log) Fatal(err error, code int) {
	if l.format == "json" {
		l.Logger().Error(err.Error(), "exit_code", code)
		return
	}
	// The provider may have had a say in the message.
	line := Printable(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	// Nothing is left to be done if stderr cannot be written.
	_, _ = fmt.Fprintf(l.destination, "pdpp-mcp: %s\n", line)
}
