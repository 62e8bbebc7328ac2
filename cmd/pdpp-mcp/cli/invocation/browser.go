package invocation

import (
	"os"
	"os/exec"
	"runtime"
)

// OpenBrowser opens a checked http or https URL in the browser of this machine. It reports whether the browser was started.
func OpenBrowser(page string) bool {
	name, arguments := browserCommand(runtime.GOOS, os.Getenv)
	if name == "" {
		return false
	}
	// Not bound to a context, because the browser outlives the command. Its messages are dropped, because they would break the screen.
	command := exec.Command(name, append(arguments, page)...)
	if err := command.Start(); err != nil {
		return false
	}
	go func() { _ = command.Wait() }()
	return true
}

// browserCommand returns the program that opens a page, with its arguments. The name is empty without a display.
func browserCommand(system string, getenv func(string) string) (string, []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
