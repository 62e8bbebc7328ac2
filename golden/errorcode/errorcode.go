// Package errorcode says of every machine-readable code what it means and what to do about it: the codes that a model, a
// client of the hosted server or a script meets. docs/troubleshooting.md is written from it, and tests hold it to the
// constants of the packages that raise the codes. It is linked into no program.
package errorcode

// Entry is one code.
type Entry struct {
	Code    string
	Status  int    // HTTP status that it comes with, or 0 when it has none or several
	Meaning string // what happened, in one sentence
	Next    string // what to do now, and who: the model, the owner of the data, or the operator
}

// Section is the codes that are met in one place.
type Section struct {
	Title   string
	Intro   string  // where they are met, in Markdown
	Keyed   string  // the head of the first column
	Entries []Entry // in the order of the page
}

// Sections are all codes, in the order of the page.
func Sections() []Section {
	return []Section{adapterSection, providerSection, warningSection, hostedSection, exitSection}
}
