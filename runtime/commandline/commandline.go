// Package commandline writes the command lines of pdpp-mcp that a person is told to run next. Each can be pasted into a POSIX
// shell: what comes from a provider or a user is one word of it.
package commandline

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// Word quotes what a POSIX shell would split, expand or obey.
func Word(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Connect signs in at a provider; without one, it shows where its URL stands. An empty cache root names none.
func Connect(provider, cacheRoot string) string {
	return Wanted{}.Connect(provider, cacheRoot)
}

// Wanted is what a sign-in asks for. What is empty is not named.
type Wanted struct {
	Source                       string // connector, as the provider names it
	Connections, Streams, Fields []string
	Since, Until                 string // RFC 3339
	Label                        string // of the grant, for the user
}

// Connect signs in at a provider and asks for no more than this. Without a source, to which all else belongs, the owner chooses.
// An empty cache root names none.
func (w Wanted) Connect(provider, cacheRoot string) string {
	line := "pdpp-mcp connect <provider-url>"
	if provider != "" {
		line = "pdpp-mcp connect " + Word(provider)
	}
	if w.Source == "" {
		w = Wanted{Label: w.Label}
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{
		{"source", []string{w.Source}},
		{"connection", w.Connections},
		{"stream", w.Streams},
		{"field", w.Fields},
		{"since", []string{w.Since}},
		{"until", []string{w.Until}},
		{"label", []string{w.Label}},
	} {
		for _, value := range flag.values {
			if value != "" {
				line += " --" + flag.name + " " + Word(value)
			}
		}
	}
	return line + below(cacheRoot)
}

// Read is a command that reads from a provider, such as doctor. Without one it is for every provider of the cache. An empty cache
// root names none.
func Read(command, provider, cacheRoot string) string {
	if provider != "" {
		command += " --provider-url " + Word(provider)
	}
	return "pdpp-mcp " + command + below(cacheRoot)
}

// Connections lists what is stored. An empty cache root names none.
func Connections(cacheRoot string) string { return "pdpp-mcp connections" + below(cacheRoot) }

func below(cacheRoot string) string {
	if cacheRoot == "" {
		return ""
	}
	return " --cache-root " + Word(cacheRoot)
}
