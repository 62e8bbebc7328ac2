package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
)

// logging writes what is not an answer to stderr.
type logging struct {
	destination io.Writer
	format      string
	level       string
}

func (l *logging) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&l.format, "log-format", "text", "form of the log on stderr: text or json")
	flags.StringVar(&l.level, "log-level", "info", "least level to log: debug, info, warn or error")
	readsVariable(flags, "log-format", "PDPP_LOG_FORMAT")
	readsVariable(flags, "log-level", "PDPP_LOG_LEVEL")
}

func (l *logging) check() error {
	if l.format != "text" && l.format != "json" {
		return &usageError{fmt.Sprintf("--log-format is %q; pass text or json", l.format)}
	}
	if _, err := l.threshold(); err != nil {
		return &usageError{fmt.Sprintf("--log-level is %q; pass debug, info, warn or error", l.level)}
	}
	return nil
}

func (l *logging) threshold() (slog.Level, error) {
	switch l.level {
	case "debug", "info", "warn", "error":
		var level slog.Level
		return level, level.UnmarshalText([]byte(l.level))
	}
	return slog.LevelInfo, &usageError{"unknown level"}
}

// logger is for a command that runs, after check.
func (l *logging) logger() *slog.Logger {
	level, err := l.threshold()
	if err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	destination := printableWriter{l.destination} // a handler writes a line at a time
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(destination, options))
	}
	return slog.New(slog.NewTextHandler(destination, options))
}

// fatal writes why the program ends: one line in either form.
func (l *logging) fatal(err error, code int) {
	if l.format == "json" {
		l.logger().Error(err.Error(), "exit_code", code)
		return
	}
	// The provider may have had a say in the message.
	line := printable(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	// Nothing is left to be done if stderr cannot be written.
	_, _ = fmt.Fprintf(l.destination, "pdpp-mcp: %s\n", line)
}
