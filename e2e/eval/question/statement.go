package question

import (
	"regexp"
	"strings"
)

var parameter = regexp.MustCompile(`:([a-z_]+)\b`)

// Statement returns the SQL of the truth as one statement without parameters, over the tables of the sandbox's
// database.
func (a Asked) Statement() string {
	return tables + parameter.ReplaceAllStringFunc(a.SQL, func(name string) string {
		value, known := a.values[name[1:]]
		if !known {
			return name
		}
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	})
}

// sandboxFunctions are those that the sandbox adds to SQLite.
var sandboxFunctions = regexp.MustCompile(`\b(?:instant|time_bucket|value_text|matched)\(`)

// Portable reports whether any SQLite can run the SQL of the truth.
func (q Question) Portable() bool { return !sandboxFunctions.MatchString(q.SQL) }
