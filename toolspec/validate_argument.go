package toolspec

import (
	"fmt"
	"slices"
	"strings"
)

// forbiddenArguments are names that no tool may have, and why.
var forbiddenArguments = map[string]string{
	"connector_instance_id": "name sources with connection_id (R-SURF-6)",
	"profile":               "there is one surface and no choice of it (R-SURF-2)",
	"toolset":               "there is one surface and no choice of it (R-SURF-2)",
	targetWord:              "the word means the record that a call names",
}

// checkArguments checks the names, types and words of a list of arguments.
func checkArguments(from source, arguments []Argument) {
	names := map[string]string{}
	for index, argument := range arguments {
		path := fmt.Sprintf("arguments[%d]", index)
		checkArgumentName(from, path+".name", argument.Name, names)
		checkType(from, path, argument)
		checkBounds(from, path, argument)
		checkEnum(from, path, argument)
		checkWordOfType(from, path+".check", argument.Check, argument.Type, Checks)
		checkWordOfType(from, path+".send", argument.Send, argument.Type, Sends)
		checkWordOfType(from, path+".complete", argument.Complete, argument.Type, Completions)
		checkSendPath(from, path, argument)
		checkAs(from, path, argument)
	}
	for index, argument := range arguments {
		if other := argument.DeclaredFor; other != "" && !slices.ContainsFunc(arguments, func(a Argument) bool { return a.Name == other }) {
			from.add(fmt.Sprintf("arguments[%d].declared_for", index), "is %q, which is not an argument of this tool; name one", other)
		}
		if other := argument.SentWith; other != "" && !slices.ContainsFunc(arguments, func(a Argument) bool { return a.Name == other && !a.Required }) {
			from.add(fmt.Sprintf("arguments[%d].sent_with", index), "is %q, which is not an optional argument of this tool; name one", other)
		}
		for number, alias := range argument.Aliases {
			checkArgumentName(from, fmt.Sprintf("arguments[%d].aliases[%d]", index, number), alias, names)
		}
	}
}

// checkArgumentName checks a name or an alias. Names that differ only by underscores count as equal: models mix them up, and
// their Go names may be the same.
func checkArgumentName(from source, path, name string, seen map[string]string) {
	if name == "" {
		return
	}
	checkName(from, path, name)
	if why, forbidden := forbiddenArguments[name]; forbidden {
		from.add(path, "must not be %q: %s", name, why)
	}
	folded := strings.ReplaceAll(name, "_", "")
	if first, twice := seen[folded]; twice {
		from.addOwn(path, "is %q, the same as %s except for underscores; give each argument its own name", name, first)
		return
	}
	seen[folded] = path
}

func checkType(from source, path string, argument Argument) {
	if argument.Type == "" {
		return
	}
	word, known := findArgumentType(argument.Type)
	switch {
	case !known:
		from.add(path+".type", "%s", unknown("type", argument.Type, ArgumentTypeNames()))
	case argument.Required && word.RequiredFunction == "":
		from.add(path+".required", "is true, but %s is always optional; remove it", article(argument.Type))
	}
}

func checkBounds(from source, path string, argument Argument) {
	if _, known := findArgumentType(argument.Type); !known {
		return
	}
	if argument.Type != "integer" {
		for _, key := range []string{".minimum", ".maximum"} {
			if from.has(path + key) {
				from.add(path+key, "bounds %s; only an integer has bounds, remove it", article(argument.Type))
			}
		}
		return
	}
	if argument.Minimum != nil && argument.Maximum != nil && *argument.Minimum > *argument.Maximum {
		from.add(path+".minimum", "is %d, above the maximum %d; swap them", *argument.Minimum, *argument.Maximum)
	}
}

func checkEnum(from source, path string, argument Argument) {
	if !from.has(path + ".enum") {
		return
	}
	if _, known := findArgumentType(argument.Type); known && argument.Type != "string" {
		from.add(path+".enum", "lists the values of %s; only a string has them, remove it", article(argument.Type))
		return
	}
	if argument.Enum != nil && len(argument.Enum) == 0 {
		from.add(path+".enum", "is an empty list; list the values, or remove the key")
	}
	seen := map[string]string{}
	for index, value := range argument.Enum {
		checkUnique(from, fmt.Sprintf("%s.enum[%d]", path, index), value, seen)
	}
}

// checkWordOfType checks that a word exists and fits the argument's type.
func checkWordOfType(from source, path, name, argumentType string, table Words) {
	if name == "" {
		return
	}
	word, known := table.find(name)
	if !known {
		from.add(path, "%s", unknown("word", name, table.Names()))
		return
	}
	if _, typed := findArgumentType(argumentType); !typed {
		return
	}
	if _, fits := word.functionFor(argumentType); !fits {
		from.add(path, "is %q, which does not fit %s; %s", name, article(argumentType), fitting(table, argumentType))
	}
}

// fitting lists the words that fit a type, as advice.
func fitting(table Words, argumentType string) string {
	list := []string{}
	for _, word := range table {
		if _, fits := word.functionFor(argumentType); fits {
			list = append(list, word.Name)
		}
	}
	if len(list) == 0 {
		return "remove it, no word does"
	}
	return "use one of " + strings.Join(list, ", ")
}

// checkSendPath checks an argument that is a segment of the path: it must be required and safe (R-ARG-7).
func checkSendPath(from source, path string, argument Argument) {
	if argument.Send != SendPath || argument.Type != "string" {
		return
	}
	if !argument.Required && from.complete {
		from.add(path+".send", "puts an optional argument into the path; add required: true")
	}
	checkSegment(from, path, argument)
}

// checkSegment notes an argument whose value could leave its segment of the path.
func checkSegment(from source, path string, argument Argument) {
	word, known := Checks.find(argument.Check)
	switch {
	case argument.Check != "" && !known: // reported as an unknown word
	case argument.Check == "" && len(argument.Enum) > 0:
		for index, value := range argument.Enum {
			if !plainKey.MatchString(value) || strings.HasPrefix(value, ".") {
				from.add(fmt.Sprintf("%s.enum[%d]", path, index), "is %q, which is unsafe in a path; use letters, digits, _ and -", value)
			}
		}
	case argument.Check == "" && !from.complete:
	case argument.Check == "":
		from.addMissing(path+".check", "is missing on a part of the path; use one of %s (R-ARG-7)", strings.Join(segmentChecks(), ", "))
	case !word.Segment:
		from.add(path+".check", "is %q, which is not safe for a part of the path; use one of %s (R-ARG-7)", argument.Check, strings.Join(segmentChecks(), ", "))
	}
}

func segmentChecks() []string {
	safe := slices.DeleteFunc(slices.Clone(Checks), func(word Word) bool { return !word.Segment })
	return safe.Names()
}

func checkAs(from source, path string, argument Argument) {
	switch {
	case argument.As == "":
	case argument.Send == "" && from.complete, argument.Send == SendPath:
		from.add(path+".as", "renames an argument that is not sent in the query; remove it")
	case argument.As == argument.Name:
		from.add(path+".as", "repeats the argument's name; remove it")
	}
}
