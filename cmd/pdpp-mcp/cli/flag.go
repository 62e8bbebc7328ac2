package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// describedFlag is a flag as help and manual pages show it.
type describedFlag struct {
	name  string // such as -o, --output
	kind  string // of its value; empty for a switch
	usage string // with the default, on one line
}

// described returns the flags that are shown.
func described(flags *pflag.FlagSet) []describedFlag {
	var all []describedFlag
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		each := describedFlag{name: "--" + flag.Name}
		if flag.Shorthand != "" {
			each.name = "-" + flag.Shorthand + ", " + each.name
		}
		each.kind, each.usage = pflag.UnquoteUsage(flag)
		if standard := flag.DefValue; !slices.Contains([]string{"", "false", "0", "0s", "[]"}, standard) {
			each.usage += fmt.Sprintf(" (default %s)", standard)
		}
		each.usage = strings.Join(strings.Fields(each.usage), " ")
		all = append(all, each)
	})
	return all
}

// mostBesides is the widest name in columns beside which its usage stands; below a wider one it begins a line.
const mostBesides = 26

// flagLines are the lines of flags in help, each after a line break.
func flagLines(flags *pflag.FlagSet, columns int) string {
	all := described(flags)
	left := make([]string, len(all))
	indent := 0
	for i, each := range all {
		if left[i] = "  " + each.name; !strings.HasPrefix(each.name, "-"+each.name[1:2]+",") {
			left[i] = "      " + each.name
		}
		left[i] = strings.TrimRight(left[i]+" "+each.kind, " ")
		if len(left[i]) <= mostBesides {
			indent = max(indent, len(left[i])+2)
		}
	}
	if indent == 0 {
		indent = mostBesides + 2
	}
	hang, lines := strings.Repeat(" ", indent), ""
	for i, each := range all {
		if len(left[i]) > indent-2 {
			lines += "\n" + left[i]
			left[i] = ""
		}
		line := fmt.Sprintf("%-*s%s", indent, left[i], each.usage)
		lines += "\n" + invocation.WrapLine(line, columns, hang)
	}
	return lines
}
