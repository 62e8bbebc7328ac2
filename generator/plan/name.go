package plan

import "strings"

// initialisms keep their capitals, as Go has them.
var initialisms = map[string]string{"id": "ID", "url": "URL", "rs": "RS"}

// GoName is the exported Go name of a name in a spec: connection_id is ConnectionID.
func GoName(name string) string {
	var goName strings.Builder
	for _, word := range strings.Split(name, "_") {
		goName.WriteString(capitalised(word))
	}
	return goName.String()
}

// LocalName is the unexported Go name of a name in a spec: query_records is queryRecords.
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
