package resource

import (
	"slices"
	"strings"
)

// projection returns the fields that a request selects by fields or by view; nil means all granted fields.
func (c *call) projection(source source) ([]string, error) {
	view, hasView := c.parameters.first("view")
	_, hasFields := c.parameters.first("fields")
	switch {
	case hasView && hasFields:
		return nil, invalidRequest("view and fields are mutually exclusive")
	case hasView && c.restricted:
		return nil,
			invalidRequest("Client record reads must use explicit fields; views are resolved when the grant is issued")
	case hasView:
		for _, declared := range source.stream.Views {
			if declared.Name == view {
				return declared.Fields, source.checkGranted(declared.Fields)
			}
		}
		return nil, invalidRequest("Unknown view: %s", view)
	case hasFields:
		names, err := c.namedFields(source)
		if err != nil {
			return nil, err
		}
		return names, source.checkGranted(names)
	}
	return nil, nil
}

// namedFields returns the declared fields that the parameter fields names, or nil if it is absent.
func (c *call) namedFields(source source) ([]string, error) {
	if _, given := c.parameters.first("fields"); !given {
		return nil, nil
	}
	var names []string
	for _, list := range c.parameters.all("fields") {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, invalidRequest("fields must be a comma-separated list of field names")
	}
	for _, name := range names {
		if _, declared := source.field(name); !declared {
			return nil, invalid("unknown_field", "Unknown field: %s", name)
		}
	}
	return names, nil
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
