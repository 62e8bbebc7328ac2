package invocation

import "github.com/spf13/pflag"

// FormJSON is the form of output for programs, by which --format and --json mean the same in every command.
const FormJSON = "json"

// Form is the form of output of a command that prints for people or as JSON.
type Form struct{ chosen string }

// AddFlags adds --format, whose default is the form for people, and --json.
func (f *Form) AddFlags(flags *pflag.FlagSet, forPeople string) {
	AddChoice(flags, &f.chosen, "format", forPeople, forPeople+" or json", forPeople, FormJSON)
	AddJSON(flags, &f.chosen)
}

// IsJSON reports whether JSON was chosen.
func (f *Form) IsJSON() bool { return f.chosen == FormJSON }

// AddJSON adds --json, which is short for --format json, unless the command has a flag of that name.
func AddJSON(flags *pflag.FlagSet, chosen *string) {
	if flags.Lookup("json") != nil {
		return // of call, where it holds the arguments
	}
	flags.BoolFunc("json", "short for --format json", func(passed string) error {
		if passed == "true" {
			*chosen = FormJSON
		}
		return nil
	})
}
