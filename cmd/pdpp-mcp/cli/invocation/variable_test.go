package invocation

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// R-OPS-3: flags that are read again are what they were at the start, and what was passed wins over a variable.
func TestFlagsAreReadRefill(t *testing.T) {
	t.Setenv("PDPP_ALLOWED_HOSTS", "from.the.variable")
	add := func(flags *pflag.FlagSet) (hosts *[]string) {
		hosts = flags.StringSlice("allowed-host", []string{"standard"}, "")
		ReadVariables(flags, "allowed-host")
		return hosts
	}
	for line, want := range map[string][]string{
		"":                              {"from.the.variable"},
		"--allowed-host=":               {},
		"--allowed-host=a,b":            {"a", "b"},
		`--allowed-host="a,b",c,"d""e"`: {"a,b", "c", `d"e`},
	} {
		command := &cobra.Command{Use: "serve"}
		first := add(command.Flags())
		if err := command.ParseFlags([]string{line}[:min(len(line), 1)]); err != nil {
			t.Fatal(err)
		}
		if err := Fill(command); err != nil {
			t.Fatal(err)
		}
		fresh := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		again := add(fresh)
		if err := Refill(fresh, command); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(*first, want) || !slices.Equal(*again, want) {
			t.Errorf("%q gives %q and again %q, want %q", line, *first, *again, want)
		}
	}
}
