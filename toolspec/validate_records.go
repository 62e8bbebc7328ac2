package toolspec

import (
	"fmt"
	"strings"
	"unicode"
)

// checkRecords checks that every role of the vocabulary has fields, and that no field is listed twice for one purpose.
func checkRecords(from source, file RecordsFile) {
	roles := map[string]string{}
	for index, role := range file.Roles {
		path := fmt.Sprintf("roles[%d]", index)
		checkUnique(from, path+".role", role.Role, roles)
		checkWord(from, path+".role", "role", role.Role, Roles)
		checkFields(from, path+".fields", role.Fields, map[string]string{})
	}
	for _, name := range Roles.Names() {
		if _, given := roles[name]; !given && from.complete {
			from.add("roles", "lacks %s; list the fields with that role", name)
		}
	}
	fields := map[string]string{}
	for index, conversation := range file.Conversations {
		path := fmt.Sprintf("conversations[%d]", index)
		checkFields(from, path+".fields", conversation.Fields, fields)
		checkName(from, path+".with", conversation.With)
		if from.has(path + ".near_hours") {
			checkPositive(from, path+".near_hours", conversation.NearHours)
		}
	}
	checkWords(from, "words.stop", file.Words.Stop)
	checkWords(from, "words.endings_off", file.Words.EndingsOff)
	checkWords(from, "words.endings_on", file.Words.EndingsOn)
}

// checkWords checks that every word is in lower case, and is listed once.
func checkWords(from source, path string, words []string) {
	seen := map[string]string{}
	for index, word := range words {
		at := fmt.Sprintf("%s[%d]", path, index)
		checkUnique(from, at, word, seen)
		if word != strings.ToLower(word) || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
			from.add(at, "is %q; write one word in small letters", word)
		}
	}
}

// checkFields checks a list of names. An earlier list has the names that are seen.
func checkFields(from source, path string, names []string, seen map[string]string) {
	if from.has(path) && names != nil && len(names) == 0 {
		from.add(path, "is an empty list; name at least one field")
	}
	for index, name := range names {
		at := fmt.Sprintf("%s[%d]", path, index)
		checkName(from, at, name)
		checkUnique(from, at, name, seen)
	}
}
