package main

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser shows a page to the person at this machine, if there is a display. It is an http or https URL that
// was checked. A browser that does not open is no failure: the link has been printed.
func openBrowser(page string) {
	name, arguments := browserCommand(runtime.GOOS, os.Getenv)
	if name == "" {
		return
	}
	// Not bound to a context: the browser outlives the sign-in. Its own messages would break the screen.
	command := exec.Command(name, append(arguments, page)...)
	if err := command.Start(); err == nil {
		go func() { _ = command.Wait() }()
	}
}

// browserCommand is empty where nobody would see a browser.
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
