package invocation

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// WrongSettings has every wrong setting of a command, each on a line with its place, its value and what to pass
// instead.
type WrongSettings struct {
	lines []string
	code  int

	isUnread bool // no setting of the configuration file could be read
}

func (w *WrongSettings) Error() string { return strings.Join(w.lines, "\n") }

// Lines returns a line for each setting.
func (w *WrongSettings) Lines() []string { return w.lines }

// ExitCode returns ExitConfiguration, unless Fail has chosen another code.
func (w *WrongSettings) ExitCode() int { return cmp.Or(w.code, ExitConfiguration) }

// Fail adds a line and chooses the exit code.
func (w *WrongSettings) Fail(code int, line string) {
	w.lines, w.code = append(w.lines, line), code
}

// Add adds a wrong value of a flag. A URL is shown without its password.
func (w *WrongSettings) Add(flags *pflag.FlagSet, flag, value, fix string) {
	w.add(Place(flags, flag), value, fix)
}

func (w *WrongSettings) add(place, value, fix string) {
	if parsed, err := url.Parse(value); err == nil && parsed.User != nil {
		parsed.User = url.User("…")
		value = parsed.String()
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: invalid value %q: %s", place, value, fix))
}

// Include adds the wrong settings of Fill or Refill. It reports whether the other settings are worth checking.
func (w *WrongSettings) Include(filled error) bool {
	before, ok := errors.AsType[*WrongSettings](filled)
	if ok {
		w.lines = slices.Concat(w.lines, before.lines)
	}
	return filled == nil || ok && !before.isUnread
}

// Err returns w, or nil if no setting is wrong.
func (w *WrongSettings) Err() error {
	if w.lines == nil {
		return nil
	}
	return w
}

// reason returns why a flag refused a value, without the words of pflag and strconv.
func reason(flag *pflag.Flag, err error) string {
	if _, isSyntax := errors.AsType[*strconv.NumError](err); isSyntax {
		if flag.Value.Type() == "bool" {
			return "pass true or false"
		}
		return "pass a number such as " + cmp.Or(flag.DefValue, "1")
	}
	return cmp.Or(errors.Unwrap(err), err).Error()
}
