// Package commandline writes command lines of pdpp-mcp for errors and hints. They can be pasted into a POSIX shell:
// every value from a provider or user is one quoted word.
package commandline

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// Word quotes a word for a POSIX shell if necessary.
func Word(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Connect returns the command that signs in at a provider, or with a placeholder for its URL. An empty cache root is
// omitted.
func Connect(provider, cacheRoot string) string {
	return Wanted{}.Connect(provider, cacheRoot)
}

// Wanted is the access that a sign-in requests. Empty members are omitted.
type Wanted struct {
	Source                       string // connector, as the provider names it
	Connections, Streams, Fields []string
	Since, Until                 string // RFC 3339
	Label                        string // of the grant, for the user
	Flow                         string // of the sign-in
}

// Connect returns the command that signs in at a provider and requests only this. Without a source, the owner chooses.
func (w Wanted) Connect(provider, cacheRoot string) string {
	line := "pdpp-mcp connect <provider-url>"
	if provider != "" {
		line = "pdpp-mcp connect " + Word(provider)
	}
	if w.Source == "" {
		w = Wanted{Label: w.Label, Flow: w.Flow}
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
		{"flow", []string{w.Flow}},
	} {
		for _, value := range flag.values {
			if value != "" {
				line += " --" + flag.name + " " + Word(value)
			}
		}
	}
	return line + below(cacheRoot)
}

// Read returns a command with --provider-url and --cache-root, such as doctor or connections. Empty values are omitted.
func Read(command, provider, cacheRoot string) string {
	if provider != "" {
		command += " --provider-url " + Word(provider)
	}
	return "pdpp-mcp " + command + below(cacheRoot)
}

func below(cacheRoot string) string {
	if cacheRoot == "" {
		return ""
	}
	return " --cache-root " + Word(cacheRoot)
}
