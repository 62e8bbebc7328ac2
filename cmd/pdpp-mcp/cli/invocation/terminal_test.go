package invocation

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// commands has characters that a terminal would act on or not show.
const commands = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b\u200b\ufeff\u2028\u2029\u00ad\U000e0041\U000e0001"

// An error that quotes a resource server stays one line without control characters.
func TestErrorsCannotCommandTheTerminal(t *testing.T) {
	var written strings.Builder
	fails := &Log{destination: &written, format: "text", level: "info"}
	fails.Fatal(&rs.Error{
		Status: 400, Type: "t", Code: "c" + commands, Message: "m" + commands + "\nok",
		Envelope: []byte(`{}`),
	}, 1)
	if shown := written.String(); strings.ContainsFunc(shown, isControl) || strings.Count(shown, "\n") != 1 {
		t.Errorf("%q", shown)
	}
}

// Text, JSON, cells and logs of either form never contain a character that a terminal would act on or not show. JSON
// keeps its meaning.
func FuzzNothingUnseenIsPrinted(f *testing.F) {
	for _, text := range []string{
		commands, "👨‍👩‍👧‍👦", "a\xff\xc2b", "\u2066\U000110bd\u180e\ufff9",
		"plain", "\n\t\r",
	} {
		f.Add(text)
	}
	unseen := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded := string(rawjson.Quote(text))
		forms := map[string]string{"text": Printable(text), "JSON": Printable(encoded), "cell": OneLine(text)}
		for _, format := range []string{"text", "json"} {
			var written strings.Builder
			log := &Log{destination: &written, format: format, level: "info"}
			log.Logger().Info(text, "key", text)
			log.Fatal(&rs.Error{Status: 400, Code: text, Message: text}, 1)
			forms["log as "+format] = written.String()
		}
		for form, shown := range forms {
			if strings.ContainsFunc(shown, unseen) || !utf8.ValidString(shown) {
				t.Errorf("%s: %q is shown as %q", form, text, shown)
			}
		}
		var before, after string
		if json.Unmarshal([]byte(encoded), &before) != nil || json.Unmarshal([]byte(forms["JSON"]), &after) != nil ||
			before != after {
			t.Errorf("%q says %q after it was %q", forms["JSON"], after, before)
		}
	})
}

// Printable escapes control characters in JSON, which keeps its meaning.
func TestEscapedJSON(t *testing.T) {
	const sent = "{\n\"a\": \"\u009b31m\u202e\x7f é\"\n}"
	shown := Printable(sent)
	if strings.ContainsAny(shown, "\u009b\u202e\x7f") || !strings.Contains(shown, " é\"\n}") {
		t.Errorf("shown is %q", shown)
	}
	var before, after map[string]string
	if json.Unmarshal([]byte(sent), &before) != nil || json.Unmarshal([]byte(shown), &after) != nil ||
		before["a"] != after["a"] {
		t.Errorf("%q says %q, and before %q", shown, after, before)
	}
}

// Data from a request or an answer stays one value on one line of the log, in either form.
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
