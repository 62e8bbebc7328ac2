package mcphost

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// Machine is where hosts keep their files. Tests make one of a folder of their own.
type Machine struct {
	System string // as runtime.GOOS says it
	Home   string // the user's home directory, absolute
	// Getenv gives a variable by which a host lets its files be moved, such as CODEX_HOME; nil for none.
	Getenv func(name string) string
}

// ThisMachine is the machine of this process. Its error is a *credential.Error of class Configuration.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, &credential.Error{
			Class:    credential.Configuration,
			Message:  "there is no home directory, so no host's configuration can be found",
			NextStep: "set HOME, or pass --print and put the configuration in place by hand",
			Cause:    err,
		}
	}
	return Machine{System: runtime.GOOS, Home: home, Getenv: os.Getenv}, nil
}

func (m Machine) variable(name string) string {
	if m.Getenv == nil {
		return ""
	}
	return m.Getenv(name)
}

// applicationData is the folder in which desktop applications keep their settings.
func (m Machine) applicationData() string {
	switch m.System {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		if roaming := m.variable("APPDATA"); roaming != "" {
			return roaming
		}
		return filepath.Join(m.Home, "AppData", "Roaming")
	}
	if configured := m.variable("XDG_CONFIG_HOME"); filepath.IsAbs(configured) {
		return configured
	}
	return filepath.Join(m.Home, ".config")
}

// folder is below the home directory, unless a variable names another place.
func (m Machine) folder(variable, name string) string {
	if moved := m.variable(variable); filepath.IsAbs(moved) {
		return moved
	}
	return filepath.Join(m.Home, name)
}
