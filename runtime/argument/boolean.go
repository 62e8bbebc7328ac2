package argument

import "github.com/pdppmcp/pdpp-mcp/runtime/tool"

// Boolean gives an optional true or false, or nil when it is absent. No other value stands for either.
func (a *Arguments) Boolean(name string) *bool {
	value := a.take(name)
	if value == nil {
		return nil
	}
	given := string(value) == "true"
	if !given && string(value) != "false" {
		a.fail(refuse(tool.InvalidArguments, name, "must be true or false; got "+shown(value)))
		return nil
	}
	return &given
}
