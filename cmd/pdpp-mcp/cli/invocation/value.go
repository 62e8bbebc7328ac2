package invocation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Choice is the value of a flag that takes one of a few words. It is a pflag.Value.
type Choice struct {
	chosen *string
	Words  []string
}

// AddChoice adds a flag that takes one of the words. The name may be followed by a comma and the letter of its short form.
func AddChoice(flags *pflag.FlagSet, chosen *string, name, standard, usage string, words ...string) {
	*chosen = standard
	name, letter, _ := strings.Cut(name, ",")
	flags.VarP(&Choice{chosen, words}, name, letter, usage)
}

// Set accepts one of the words.
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

// duration is the value of a flag that takes a positive time, or also 0. It is a pflag.Value.
type duration struct {
	passed    *time.Duration
	takesZero bool
}

var (
	errNotPositive = errors.New("it must be longer than 0, such as 15s")
	errNotDuration = errors.New("it must be 0 or longer, such as 5s")
)

func (d *duration) Set(passed string) error {
	value, err := time.ParseDuration(passed)
	switch isWrong := err != nil || value < 0; {
	case d.takesZero && isWrong:
		return errNotDuration
	case !d.takesZero && (isWrong || value == 0):
		return errNotPositive
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

// AddSlowCall adds the flag for the calls that a server logs with their reads. Its default is below the 10 seconds of the alert.
func AddSlowCall(flags *pflag.FlagSet, threshold *time.Duration) {
	*threshold = 5 * time.Second
	AddDuration(flags, threshold, "slow-call", "log calls that take longer, with their reads of the resource server (0s disables)")
	ReadVariables(flags, "slow-call")
}

// AddDuration adds a flag that takes a time of 0 or longer. Its default is *passed.
func AddDuration(flags *pflag.FlagSet, passed *time.Duration, name, usage string) {
	flags.Var(&duration{passed, true}, name, usage)
}
