package invocation

import (
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

// Fatal writes the error that ends the program as one line, and with --log-format json as a record with the exit code.
func (l *Log) Fatal(err error, code int) {
	if l.format == "json" {
		l.Logger().Error(err.Error(), "exit_code", code)
		return
	}
	// The message may quote the provider.
	line := Printable(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	// If stderr cannot be written, there is nowhere to report it.
	_, _ = fmt.Fprintf(l.destination, "pdpp-mcp: %s\n", line)
}
