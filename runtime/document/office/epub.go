package office

import (
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// readEPUB reads the chapters in the order of the spine. A chapter is read as an HTML page.
func readEPUB(f *file) error {
	var container struct {
		Packages []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	var list struct {
		Items []struct {
			ID   string `xml:"id,attr"`
			Href string `xml:"href,attr"`
			Type string `xml:"media-type,attr"`
		} `xml:"manifest>item"`
		Spine []struct {
			ID string `xml:"idref,attr"`
		} `xml:"spine>itemref"`
	}
	var encryption struct {
		Parts []struct {
			Name string `xml:"URI,attr"`
		} `xml:"EncryptedData>CipherData>CipherReference"`
	}
	if err := f.decode("META-INF/container.xml", &container); err != nil {
		return err
	}
	if len(container.Packages) == 0 {
		return damaged("it does not say where its list of chapters is")
	}
	name := container.Packages[0].Path
	if err := f.decode(name, &list); err != nil {
		return err
	}
	if err := f.decode("META-INF/encryption.xml", &encryption); err != nil { // many files encrypt fonts only
		return err
	}
	pages := map[string]string{}
	for _, item := range list.Items {
		if item.Type == "application/xhtml+xml" || item.Type == "text/html" {
			pages[item.ID] = unescaped(path.Join(path.Dir(name), item.Href))
		}
	}
	var spine []string
	for _, item := range list.Spine {
		if page := pages[item.ID]; page != "" {
			spine = append(spine, page)
		}
	}
	for _, part := range encryption.Parts {
		if slices.Contains(spine, unescaped(part.Name)) {
			return encrypted("its chapters are encrypted")
		}
	}
	return inOrder(step{spine, f.readChapter})
}

// emptyElement is an element that XHTML closes at once, and whose content HTML would take to be all that follows.
var emptyElement = regexp.MustCompile(`<(title|script|style|iframe|textarea)((?:\s[^<>]*)?)/>`)

func (f *file) readChapter(name string) error {
	f.mark(document.Chapter, "", false)
	page, err := f.open(name)
	if err != nil {
		return err
	}
	defer page.Close()
	source, err := io.ReadAll(page)
	if err != nil {
		return failureOf(err)
	}
	text, isText := filetext.Read(emptyElement.ReplaceAll(source, []byte("<$1$2></$1>")), blob.HTML, "")
	if !isText {
		return damaged("a chapter is not text")
	}
	f.write(string(text.Bytes))
	return f.failure
}

// unescaped returns the name of an entry for a reference to it.
func unescaped(reference string) string {
	if name, err := url.PathUnescape(reference); err == nil {
		return name
	}
	return reference
}
