package render

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// notSearched is the line and the member with what a search left out.
const notSearched = "not_searched"

// fieldsNamed is the maximum number of fields that are named. More fields are counted.
const fieldsNamed = 12

// describeSearched returns what a search left out (R-CLAIM-4).
func describeSearched(searched *answer.Searched) string {
	if searched == nil {
		return ""
	}
	var parts []string
	switch unmarked := searched.Unmarked; {
	case !searched.IsMarked:
		parts = append(parts, "unindexed fields, which the schema does not list")
	case len(unmarked) > fieldsNamed:
		parts = append(parts, fmt.Sprintf("%d text fields without lex in schema", len(unmarked)))
	case len(unmarked) > 0:
		names := make([]string, len(unmarked))
		for i, each := range unmarked {
			if names[i] = each.Field; len(searched.Streams) > 1 {
				names[i] = each.Stream + "." + each.Field
			}
		}
		parts = append(parts, "text fields "+strings.Join(listedNames(names), ", "))
	}
	if names := listedNames(searched.Unsearchable); names != nil {
		parts = append(parts, "streams "+strings.Join(names, ", "))
	}
	if streams := searched.WithFiles; streams != nil {
		names := make([]string, len(streams))
		for i, each := range streams {
			names[i] = each.Name
		}
		files := "text of files in " + strings.Join(listedNames(names), ", ")
		if searched.FileRecords > 0 {
			files += fmt.Sprintf(" (%d records)", searched.FileRecords)
		}
		parts = append(parts, files)
	}
	if searched.IndexState != "" {
		parts = append(parts, "records that the provider's index lacks: it is "+ListedName(tool.Clip(searched.IndexState, tool.LabelCharacters)))
	}
	return strings.Join(parts, "; ")
}

func searchedLines(searched *answer.Searched) []string {
	if said := describeSearched(searched); said != "" {
		return []string{notSearched + ": " + said}
	}
	return nil
}

func searchedMembers(searched *answer.Searched) rawjson.Object {
	return withText(nil, notSearched, describeSearched(searched))
}
