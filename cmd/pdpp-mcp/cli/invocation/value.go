package invocation

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a zone must not depend on the machine

	"github.com/spf13/pflag"
	"github.com/thlib/go-timezone-local/tzlocal"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Choice is the value of a flag that takes one of a few words. It is a pflag.Value.
type Choice struct {
	chosen *string
	Words  []string
}

// AddChoice adds a flag that takes one of the words. The name may be followed by a comma and the letter of its short
// form.
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

func (c *Choice) String() string {
	if c.chosen == nil { // pflag asks an empty value for its default
		return ""
	}
	return *c.chosen
}

// duration is the value of a flag that takes a positive time, and 0 if that is allowed. It is a pflag.Value.
type duration struct {
	passed    *time.Duration
	takesZero bool
}

func (d *duration) Set(passed string) error {
	value, err := time.ParseDuration(passed)
	switch isWrong := err != nil || value < 0; {
	case d.takesZero && isWrong:
		return errors.New("it must be 0 or longer, such as 5s")
	case !d.takesZero && (isWrong || value == 0):
		return errors.New("it must be longer than 0, such as 15s")
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

// AddTimeout adds the flag that limits one request to a resource server. Its default is *limit, or rs.DefaultTimeout if
// that is 0.
func AddTimeout(flags *pflag.FlagSet, limit *time.Duration, usage string) {
	if *limit == 0 {
		*limit = rs.DefaultTimeout
	}
	flags.Var(&duration{passed: limit}, "rs-timeout", usage)
	ReadVariables(flags, "rs-timeout")
}

// AddSlowCall adds the flag for the calls that a server logs with their reads. Its default is below the 10 seconds of
// the alert.
func AddSlowCall(flags *pflag.FlagSet, threshold *time.Duration) {
	*threshold = 5 * time.Second
	AddDuration(flags, threshold, "slow-call", "log calls that take longer, with their reads of the resource server (0s disables)")
	ReadVariables(flags, "slow-call")
}

// AddDuration adds a flag that takes a time of 0 or longer. Its default is *passed.
func AddDuration(flags *pflag.FlagSet, passed *time.Duration, name, usage string) {
	flags.Var(&duration{passed, true}, name, usage)
}

// FormJSON is the output format for programs.
const FormJSON = "json"

// Form is the output format of a command that prints for people or as JSON.
type Form struct{ chosen string }

// AddFlags adds --format, with the format for people as its default, and --json.
func (f *Form) AddFlags(flags *pflag.FlagSet, forPeople string) {
	AddChoice(flags, &f.chosen, "format", forPeople, forPeople+" or json", forPeople, FormJSON)
	AddJSON(flags, &f.chosen)
}

// IsJSON reports whether JSON was chosen.
func (f *Form) IsJSON() bool { return f.chosen == FormJSON }

// AddJSON adds --json, which is short for --format json. The call command has its own --json, which stays.
func AddJSON(flags *pflag.FlagSet, chosen *string) {
	if flags.Lookup("json") != nil {
		return
	}
	flags.BoolFunc("json", "short for --format json", func(passed string) error {
		if passed == "true" {
			*chosen = FormJSON
		}
		return nil
	})
}

// zone is a flag value: the zone of dates and groups.
type zone struct{ clock *tool.Clock }

const zoneFlag = "time-zone"

// AddZone adds the flag for the zone of dates and groups. The default is the zone of the machine if local is set,
// otherwise UTC. If the command has an argument of that name, the argument keeps its flag. The variable then sets the
// zone of calls without the argument.
func AddZone(flags *pflag.FlagSet, clock *tool.Clock, local bool) {
	usual := "UTC"
	clock.Zone = time.UTC
	if local {
		usual = "the machine's zone"
		name, err := tzlocal.RuntimeTZ()
		if found, unknown := time.LoadLocation(name); err == nil && unknown == nil && name != "Etc/UTC" && found != time.Local {
			clock.Zone = found
		}
	}
	if flags.Lookup(zoneFlag) != nil {
		if named := os.Getenv("PDPP_TIME_ZONE"); named != "" {
			_ = zone{clock}.Set(named) // the commands with the flag refuse an unknown zone
		}
		return
	}
	flags.Var(zone{clock}, zoneFlag, "IANA `zone` of dates and groups, such as Europe/Berlin (default: "+usual+")")
	flags.Lookup(zoneFlag).DefValue = ""
	ReadVariables(flags, zoneFlag)
	annotate(flags, zoneFlag, sharedFlag, "")
}

func (z zone) Set(name string) error {
	found, err := time.LoadLocation(name)
	if err != nil || found == time.Local { // Local is not an IANA name
		return fmt.Errorf("unknown zone: use an IANA name such as Europe/Berlin or UTC")
	}
	z.clock.Zone = found
	return nil
}

func (z zone) String() string {
	if z.clock == nil || z.clock.Zone == nil {
		return ""
	}
	return z.clock.Zone.String()
}

func (z zone) Type() string { return "zone" }
