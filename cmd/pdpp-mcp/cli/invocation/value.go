package invocation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/spf13/pflag"
)

// Choice is the value of a flag that takes one of a few words. It is a pflag.Value.
type Choice struct {
	chosen *string
	Words  []string
}

// AddChoice adds a flag that takes one of the words.
func AddChoice(flags *pflag.FlagSet, chosen *string, name, standard, usage string, words ...string) {
	*chosen = standard
	flags.Var(&Choice{chosen, words}, name, usage)
}

// Set accepts one of the words and fails for any other.
func (c *Choice) Set(passed string) error {
	if !slices.Contains(c.Words, passed) {
		last := len(c.Words) - 1
		return fmt.Errorf("pass %s or %s", strings.Join(c.Words[:last], ", "), c.Words[last])
	}
	*c.chosen = passed
	return nil
}

// Type returns the placeholder for the value in the help.
func (c *Choice) Type() string { return "word" }

// String returns the chosen word.
func (c *Choice) String() string {
	if c.chosen == nil { // pflag asks an empty value for its default
		return ""
	}
	return *c.chosen
}

// duration is the value of a flag that takes a time, which is not negative. It is a pflag.Value.
type duration struct {
	passed    *time.Duration
	takesZero bool
}

var (
	errNoTimeout  = errors.New("it must be longer than 0, such as 15s")
	errNoDuration = errors.New("it must be 0 or longer, such as 5s")
)

func (d *duration) Set(passed string) error {
	value, err := time.ParseDuration(passed)
	switch {
	case d.takesZero && (err != nil || value < 0):
		return errNoDuration
	case !d.takesZero && (err != nil || value <= 0):
		return errNoTimeout
	}
	*d.passed = value
	return nil
}

func (d *duration) Type() string { return "duration" }

func (d *duration) String() string {
	if d.passed == nil { // pflag asks an empty value for its default
		return ""
	}
	return d.passed.String()
}

// AddTimeout adds the flag that limits one request to a resource server. Its default is *limit, or rs.DefaultTimeout if that is 0.
func AddTimeout(flags *pflag.FlagSet, limit *time.Duration, usage string) {
	if *limit == 0 {
		*limit = rs.DefaultTimeout
	}
	flags.Var(&duration{passed: limit}, "rs-timeout", usage)
	ReadVariables(flags, "rs-timeout")
}

// defaultSlowCall is below the ten seconds of the alert for slow calls, so that the log says which they were.
const defaultSlowCall = 5 * time.Second

// AddSlowCall adds the flag that says which calls a server logs with their reads.
func AddSlowCall(flags *pflag.FlagSet, longer *time.Duration) {
	*longer = defaultSlowCall
	AddDuration(flags, longer, "slow-call", "log a call that takes longer, with its reads of the resource server; 0s for none")
	ReadVariables(flags, "slow-call")
}

// AddDuration adds a flag that takes a time of 0 or longer. Its default is *passed.
func AddDuration(flags *pflag.FlagSet, passed *time.Duration, name, usage string) {
	flags.Var(&duration{passed, true}, name, usage)
}
