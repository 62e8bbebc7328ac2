package invocation

import "github.com/spf13/pflag"

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
