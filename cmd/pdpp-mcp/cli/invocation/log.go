package invocation

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
)

// logging writes what is not an answer to stderr.
type Log struct {
	Destination io.Writer
	format      string
	level       string
}

func (l *Log) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&l.format, "log-format", "text", "form of the log on stderr: text or json")
	flags.StringVar(&l.level, "log-level", "info", "least level to log: debug, info, warn or error")
	ReadsVariable(flags, "log-format", "PDPP_LOG_FORMAT")
	ReadsVariable(flags, "log-level", "PDPP_LOG_LEVEL")
}

func (l *Log) Check() error {
	if l.format != "text" && l.format != "json" {
		return Usagef("--log-format is %q; pass text or json", l.format)
	}
	if _, err := l.threshold(); err != nil {
		return Usagef("--log-level is %q; pass debug, info, warn or error", l.level)
	}
	return nil
}

func (l *Log) threshold() (slog.Level, error) {
	switch l.level {
	case "debug", "info", "warn", "error":
		var level slog.Level
		return level, level.UnmarshalText([]byte(l.level))
	}
	return slog.LevelInfo, Usagef("unknown level")
}

// Logger is for a command that runs, after check.
func (l *Log) Logger() *slog.Logger {
	level, err := l.threshold()
	if err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	destination := printableWriter{l.Destination} // a handler writes a line at a time
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
	_, _ = fmt.Fprintf(l.Destination, "pdpp-mcp: %s\n", line)
}
