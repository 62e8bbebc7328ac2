package invocation

import (
	"fmt"
	"os"
	"time"
	_ "time/tzdata" // a zone must not depend on the machine

	"github.com/spf13/pflag"
	"github.com/thlib/go-timezone-local/tzlocal"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// zone is a flag value: the zone of dates and groups.
type zone struct{ clock *tool.Clock }

const zoneFlag = "time-zone"

// AddZone adds the flag for the zone of dates and groups. The default is the zone of the machine if local is set, otherwise UTC.
// A command with an argument of that name keeps its flag, and the variable sets the zone of a call without the argument.
func AddZone(flags *pflag.FlagSet, clock *tool.Clock, local bool) {
	usual := "UTC"
	clock.Zone = time.UTC
	if local {
		usual = "the machine's zone"
		clock.Zone = machineZone()
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
	annotate(flags, zoneFlag, sharedFlag)
}

// machineZone returns the zone of this machine, or UTC if its IANA name is unknown.
func machineZone() *time.Location {
	if name, err := tzlocal.RuntimeTZ(); err == nil && name != "Etc/UTC" {
		if found, err := time.LoadLocation(name); err == nil && found != time.Local {
			return found
		}
	}
	return time.UTC
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
