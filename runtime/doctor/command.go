package doctor

import (
	"regexp"
	"strings"
)

// Commands are meant to be copied into a shell, and parts of them may come from the provider.

var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// shellWord quotes what a POSIX shell would split, expand or obey.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func curl(address string) string { return "curl -s " + shellWord(address) }

func (e *examination) connectCommand() string { return "pdpp-mcp connect " + shellWord(e.provider) }

// again is for what only the provider, the network or time can mend.
func (e *examination) again() string { return doctorCommand(e.provider) }

func doctorCommand(provider string) string {
	return "pdpp-mcp doctor --provider-url " + shellWord(provider)
}
