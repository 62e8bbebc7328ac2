package plan

import "strings"

// initialisms are written in capitals, as in Go.
var initialisms = map[string]string{"id": "ID", "url": "URL", "rs": "RS"}

// GoName returns the exported Go name of a name in a spec, such as ConnectionID for connection_id.
func GoName(name string) string {
	var goName strings.Builder
	for _, word := range strings.Split(name, "_") {
		goName.WriteString(capitalised(word))
	}
	return goName.String()
}

// LocalName returns the unexported Go name of a name in a spec, such as queryRecords for query_records.
func LocalName(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	return first + GoName(rest)
}

func capitalised(word string) string {
	if initialism, ok := initialisms[word]; ok {
		return initialism
	}
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
