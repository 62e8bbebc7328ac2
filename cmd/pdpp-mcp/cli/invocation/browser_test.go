package invocation

import "testing"

// A browser is started only with a display.
func TestBrowserCommand(t *testing.T) {
	tests := []struct{ system, variable, want string }{
		{"linux", "", ""},
		{"linux", "DISPLAY", "xdg-open"},
		{"freebsd", "WAYLAND_DISPLAY", "xdg-open"},
		{"darwin", "", "open"},
		{"windows", "", "rundll32"},
	}
	for _, test := range tests {
		name, _ := browserCommand(test.system, func(variable string) string {
			if variable == test.variable {
				return ":0"
			}
			return ""
		})
		if name != test.want {
			t.Errorf("%s with %q opens with %q, want %q", test.system, test.variable, name, test.want)
		}
	}
}
