package office

import (
	"bytes"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// readEPUB reads the chapters in the order of the spine. A chapter is read as an HTML page.
func readEPUB(f *file) {
	spine := f.chapters()
	for e := range f.optional("META-INF/encryption.xml") { // many files encrypt fonts only
		if e.name == "CipherReference" && slices.Contains(spine, unescaped(e.attribute("URI"))) {
			f.fail(document.Encrypted, "its chapters are encrypted")
		}
	}
	for _, chapter := range spine {
		f.readChapter(chapter)
	}
}

func (f *file) chapters() (spine []string) {
	const container = "META-INF/container.xml"
	name := ""
	f.mainPart = partKey(container)
	for e := range f.elements(container) {
		if e.name == "rootfile" {
			name = e.attribute("full-path")
			break // others are renditions of the same text
		}
	}
	f.mainPart = partKey(name)
	pages := map[string]string{}
	for e := range f.elements(name) {
		kind, page := e.attribute("media-type"), pages[e.attribute("idref")]
		switch {
		case e.name == "item" && (kind == "application/xhtml+xml" || kind == "text/html" || kind == "image/svg+xml"):
			pages[e.attribute("id")] = unescaped(path.Join(path.Dir(name), e.attribute("href")))
		case e.name == "itemref" && page != "":
			spine = append(spine, page)
		}
	}
	return spine
}

// emptyElement is an element that is empty in XHTML. An HTML parser would read the rest of the page as its content.
var emptyElement = regexp.MustCompile(`<(title|script|style|iframe|textarea)((?:\s[^<>]*)?)/>`)

func (f *file) readChapter(name string) {
	f.mark(document.Chapter, "", false)
	page := f.open(name)
	if page == nil {
		return
	}
	defer page.Close()
	source, _ := io.ReadAll(page) // the part reports its failure
	source = emptyElement.ReplaceAll(source, []byte("<$1$2></$1>"))
	source = image.ReplaceAllFunc(source, nameImage)
	text, isText := filetext.Read(source, blob.HTML, "")
	if !isText {
		f.lose(name, "is not text")
	}
	f.write(string(text.Bytes))
}

// image is a picture in a chapter.
var image = regexp.MustCompile(`<img\b[^<>]*>`)

// nameImage gives a picture without alternative text one that says so. An empty alternative text means decoration.
func nameImage(element []byte) []byte {
	if bytes.Contains(element, []byte("alt=")) || bytes.Contains(element, []byte("alt =")) {
		return element
	}
	return append([]byte(`<img alt="picture not shown"`), element[len("<img"):]...)
}

func unescaped(reference string) string {
	if name, err := url.PathUnescape(reference); err == nil {
		return name
	}
	return reference
}
