package resource

import (
	"slices"
	"strings"
)

// projection names the fields that a request asks for by fields or by view; nil means all that are granted.
func (c *call) projection(source source) ([]string, error) {
	view, hasView := c.parameters.first("view")
	_, hasFields := c.parameters.first("fields")
	switch {
	case hasView && hasFields:
		return nil, invalidRequest("view and fields are mutually exclusive")
	case hasView:
		for _, declared := range source.stream.Views {
			if declared.Name == view {
				return declared.Fields, source.checkGranted(declared.Fields)
			}
		}
		return nil, invalidRequest("Unknown view: %s", view)
	case hasFields:
		return c.namedFields(source)
	}
	return nil, nil
}

func (c *call) namedFields(source source) ([]string, error) {
	var names []string
	for _, list := range c.parameters.all("fields") {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if _, declared := source.field(name); !declared {
			return nil, invalid("unknown_field", "Unknown field: %s", name)
		}
	}
	return names, source.checkGranted(names)
}

// checkGranted refuses fields that the grant leaves out. The error is a *problem or nil.
func (s source) checkGranted(names []string) error {
	var missing []string
	for _, name := range names {
		if !s.grants(name) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return forbidden("field_not_granted", "Fields not in grant: %s", strings.Join(missing, ", "))
	}
	return nil
}
