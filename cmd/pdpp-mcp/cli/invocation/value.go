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
func (c *Choice) Type() string { return "string" }

// String returns the chosen word.
func (c *Choice) String() string {
	if c.chosen == nil { // pflag asks an empty value for its default
		return ""
	}
	return *c.chosen
}

// timeout is the value of a flag that takes a time longer than 0. It is a pflag.Value.
type timeout time.Duration

var errNoTimeout = errors.New("it must be longer than 0, such as 15s")

func (t *timeout) Set(passed string) error {
	limit, err := time.ParseDuration(passed)
	if err != nil || limit <= 0 {
		return errNoTimeout
	}
	*t = timeout(limit)
	return nil
}

func (t *timeout) Type() string   { return "duration" }
func (t *timeout) String() string { return time.Duration(*t).String() }

// AddTimeout adds the flag that limits one request to a resource server. Its default is *limit, or rs.DefaultTimeout if that is 0.
func AddTimeout(flags *pflag.FlagSet, limit *time.Duration, usage string) {
	if *limit == 0 {
		*limit = rs.DefaultTimeout
	}
	flags.Var((*timeout)(limit), "rs-timeout", usage)
	ReadVariables(flags, "rs-timeout")
}
