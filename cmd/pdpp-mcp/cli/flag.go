package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// DescribedFlag is a flag as help and manual pages show it.
type DescribedFlag struct {
	Name  string // such as -o, --output
	Kind  string // of its value; empty for a switch
	Usage string // with the default, on one line
}

// Described returns the flags that are shown.
func Described(flags *pflag.FlagSet) []DescribedFlag {
	var all []DescribedFlag
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		each := DescribedFlag{Name: "--" + flag.Name}
		if flag.Shorthand != "" {
			each.Name = "-" + flag.Shorthand + ", " + each.Name
		}
		each.Kind, each.Usage = pflag.UnquoteUsage(flag)
		if standard := flag.DefValue; !slices.Contains([]string{"", "false", "0", "0s", "[]"}, standard) {
			each.Usage += fmt.Sprintf(" (default %s)", standard)
		}
		each.Usage = strings.Join(strings.Fields(each.Usage), " ")
		all = append(all, each)
	})
	return all
}

// mostBesides is the widest name in columns beside which its usage stands; below a wider one it begins a line.
const mostBesides = 26

// flagLines are the lines of flags in help, each after a line break.
func flagLines(flags *pflag.FlagSet, columns int) string {
	all := Described(flags)
	left := make([]string, len(all))
	indent := 0
	for i, each := range all {
		if left[i] = "  " + each.Name; !strings.HasPrefix(each.Name, "-"+each.Name[1:2]+",") {
			left[i] = "      " + each.Name
		}
		left[i] = strings.TrimRight(left[i]+" "+each.Kind, " ")
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
		line := fmt.Sprintf("%-*s%s", indent, left[i], each.Usage)
		lines += "\n" + invocation.WrapLine(line, columns, hang)
	}
	return lines
}
