package scan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// warnings returns the warnings of the schema, one for each source that was not read, with the reason, and one for the
// streams without a time.
func (t *timeline) warnings() warnings {
	var leftOut []string
	found := warnings(t.document.Warnings())
	for _, source := range t.sources {
		if source.noTime && !slices.Contains(leftOut, source.stream) {
			leftOut = append(leftOut, source.stream)
		}
		if source.err != nil {
			found.add(tally.WarnPartial, fmt.Sprintf("%s is missing from this page: %s", source.name(), reasonOf(source.err)))
		}
	}
	if leftOut != nil {
		found.add(tally.WarnLeftOut, "without a time, left out: "+joined(leftOut))
	}
	if t.leftOut > 0 {
		found.add(tally.WarnPartial, fmt.Sprintf("%d streams of connections are left out: one call reads %d; pass %s to read others",
			t.leftOut, maxSources, wire.ConnectionID))
	}
	return found
}

// isOwnBound reports whether an error only ends a source early.
func isOwnBound(err error) bool {
	return errors.Is(err, tool.ErrNoRecordsLeft) || errors.Is(err, errNoCursor) || errors.Is(err, errRepeatedCursor)
}

// namesListed is the number of names that a sentence lists.
const namesListed = 40

// joined returns names for a sentence, up to namesListed, and the number of the others.
func joined(names []string) string {
	if len(names) <= namesListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namesListed], ", "), len(names)-namesListed)
}

// reasonOf describes an error in one sentence without content of a record.
func reasonOf(err error) string {
	var refused *rs.Error
	var own *tool.Error
	var failure *rs.Failure
	switch {
	case errors.As(err, &refused):
		return fmt.Sprintf("the resource server answered %d %s.", refused.Status, refused.Code)
	case errors.As(err, &failure):
		return fmt.Sprintf("it could not be read (%s).", failure.Reason)
	case errors.As(err, &own):
		return own.Message + "."
	case isOwnBound(err):
		return err.Error() + "."
	}
	return "it could not be read."
}
