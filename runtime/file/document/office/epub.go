package office

import (
	"bytes"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// readEPUB reads the chapters in the order of the spine. A chapter is read as an HTML page.
func readEPUB(f *file) {
	spine, sheets := f.chapters()
	for e := range f.optional("META-INF/encryption.xml") { // many files encrypt fonts only
		if e.name == "CipherReference" && slices.Contains(spine, unescaped(e.attribute("URI"))) {
			f.fail(document.Encrypted, "its chapters are encrypted")
		}
	}
	for _, chapter := range spine {
		f.readChapter(chapter, sheets)
	}
}

// chapters returns the names of the chapters, and the style sheets.
func (f *file) chapters() (spine []string, sheets [][]byte) {
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
		case e.name == "item" && kind == "text/css":
			sheet := unescaped(path.Join(path.Dir(name), e.attribute("href")))
			if f.entries[partKey(sheet)] != nil && len(sheets) < maxSheets {
				sheets = append(sheets, f.content(sheet))
			}
		case e.name == "itemref" && page != "":
			spine = append(spine, page)
		}
	}
	return spine, sheets
}

// emptyElement is an element that is empty in XHTML. An HTML parser would read the rest of the page as its content.
var emptyElement = regexp.MustCompile(`<(title|script|style|iframe|textarea)((?:\s[^<>]*)?)/>`)

// maxSheets bounds the style sheets that are read.
const maxSheets = 10

// content returns a part, or what of it can be read.
func (f *file) content(name string) []byte {
	part := f.open(name)
	if part == nil {
		return nil
	}
	defer part.Close()
	data, _ := io.ReadAll(part) // the part reports its failure
	return data
}

func (f *file) readChapter(name string, sheets [][]byte) {
	f.mark(document.Chapter, "", false)
	source := f.content(name)
	if source == nil {
		return
	}
	source = emptyElement.ReplaceAll(source, []byte("<$1$2></$1>"))
	source = image.ReplaceAllFunc(source, nameImage)
	text, isText := filetext.ReadPage(source, sheets)
	if !isText {
		f.lose(name, "is not text")
	}
	f.write(text)
}

// image is a picture in a chapter.
var image = regexp.MustCompile(`<img\b[^<>]*>`)

// nameImage adds an alternative text to a picture without one. An empty alternative text means decoration.
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
