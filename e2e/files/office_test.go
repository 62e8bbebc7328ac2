package files_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// R-DOC-1, R-DOC-2: Office files and EPUB are read like PDF, whatever their declared type, and a match says where it
// is.
func TestOfficeDocuments(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	for _, test := range []struct{ file, q, format, part, text string }{
		{"travel-costs.xlsx", "Rope", "xlsx", "sheet 1 of 3: Costs", `Rope, 20 m`},
		{"travel-costs.xlsx", "EUR for one yen", "xlsx", "sheet 2 of 3: Rate, hidden", "EUR for one yen,0.0058"},
		{"fog-talk.pptx", "kettle", "pptx", "slide 4 of 6", "kettle.\n"},
		{"lease-amendment.docx", "twenty-three", "docx", "", "twenty-three], which is dry"},
		{"ticket-booklet.epub", "PINE-4402", "epub", "chapter 4 of 4", "PINE-4402"},
	} {
		for _, declared := range []string{"application/octet-stream", "application/zip", "text/plain", "application/msword"} {
			p.has(file{declared: declared, data: sampleFile(t, test.file)})
			window, result := read(t, session, strings.Replace(wholeFile, "}", fmt.Sprintf(`,"q":%q}`, test.q), 1))
			match := *window.Window.MatchStart - window.Window.Start
			if result.IsError || !strings.HasPrefix(string([]rune(window.Window.Text)[match:]), test.text) || window.Document.Format != test.format ||
				window.Document.Part != test.part {
				t.Errorf("%s as %q: error %t, %+v", test.file, declared, result.IsError, window)
			}
		}
	}
}

// R-DOC-4, R-DOC-5: broken or hostile files return a result with a reason while 16 other calls run without an error.
func TestHostileOfficeDocuments(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	booklet := sampleFile(t, "ticket-booklet.epub")
	neighbours := newProvider(t)
	neighbours.has(file{declared: "text/plain", data: []byte("calm")})
	other := neighbours.connect(t)
	for name, test := range map[string]struct {
		data   []byte
		reason string
	}{
		"cut short": {booklet[:len(booklet)/2], "damaged"},
		"encrypted": {
			[]byte(
				"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"),
			"encrypted",
		},
		"no entries": {[]byte("PK\x05\x06" + strings.Repeat("\x00", 18)), "damaged"},
	} {
		p.has(file{declared: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", data: test.data})
		var calls sync.WaitGroup
		for range 16 {
			calls.Go(func() {
				if window, result := read(t, other, wholeFile); result.IsError || window.Window.Text != "calm" {
					t.Errorf("%s: a neighbour: error %t, %+v", name, result.IsError, window)
				}
			})
		}
		window, result := read(t, session, wholeFile)
		calls.Wait()
		if result.IsError || window.Document.Reason != test.reason || window.Save == "" {
			t.Errorf("%s: error %t, %+v", name, result.IsError, window)
		}
	}
}
