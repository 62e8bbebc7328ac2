package invocation

import (
	"strings"
	"testing"
)

// What came with a request or an answer is one value of one line of the log, in either form.
func TestLogLinesCannotBeForged(t *testing.T) {
	const forged = "x\ntime=2026-01-01T00:00:00Z level=ERROR msg=forged\r\u2028\x1b[2J"
	for _, format := range []string{"text", "json"} {
		var written strings.Builder
		(&Log{destination: &written, format: format, level: "info"}).Logger().Warn(forged, "path", forged, forged, "x")
		line := strings.TrimSuffix(written.String(), "\n")
		if strings.ContainsAny(line, "\n\r\x1b\u2028") || strings.HasPrefix(line, "time=2026-01-01") {
			t.Errorf("%s: %q", format, line)
		}
	}
}
