package files_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// hostilePDFs are broken copies of PDF files, up to 14 of each and each way, and files that are made to exhaust or
// confuse their reader.
func hostilePDFs(t *testing.T, copies int) map[string][]byte {
	files := map[string][]byte{
		"header alone":  []byte("%PDF-1.7\n"),
		"a zip in it":   append(sampleFile(t, "kautionsabrechnung.pdf"), "PK\x03\x04PK\x05\x06"...),
		"HTML before":   append([]byte("<html><script>alert(1)</script>"), sampleFile(t, "kautionsabrechnung.pdf")...),
		"circle":        tree("<</Type/Pages/Kids[2 0 R]/Count 1>>", ""),
		"10,000 pages":  tree("<</Type/Pages/Kids["+strings.Repeat("3 0 R ", 10_000)+"]/Count 10000>>", ""),
		"claimed pages": tree("<</Type/Pages/Kids[3 0 R]/Count 2147483647>>", ""),
		"deep arrays":   tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "/Annots "+strings.Repeat("[", 100_000)),
		"huge page":     tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "/MediaBox[0 0 1e30 1e30]/Contents 4 0 R"),
		"bomb": tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "/Contents 4 0 R",
			deflated(bytes.Repeat([]byte("q "), 300<<20/2))),
		"nested bomb": tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "/Contents 4 0 R",
			"<</Filter[/FlateDecode/FlateDecode]/Length 9>>stream\n\x78\x9c\x01\x00\nendstream"),
		"recursive form": tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "/Contents 5 0 R/Resources<</XObject<</F 4 0 R>>>>",
			"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 4 0 R>>>>/Length 5>>stream\n/F Do\nendstream"),
		"script": tree("<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"/AA<</O<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.1/'\\))>>>>"),
		"file and address": tree("<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"/Annots[<</Type/Annot/Subtype/FileAttachment/FS(/etc/passwd)>><</Subtype/Link/A<</S/URI/URI(http://127.0.0.1/)>>>>]"),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{
		"mietvertrag-pfluegerstr-18.pdf", "kautionsabrechnung.pdf", "kuendigung.pdf",
		"statement-2026-01.pdf",
	} {
		whole := sampleFile(t, name)
		for i := range copies {
			files[fmt.Sprintf("%s cut %d", name, i)] = whole[:8+(len(whole)-8)*i/14]
			flipped := slices.Clone(whole)
			for range 1 << (i % 8) {
				flipped[8+random.IntN(len(flipped)-8)] ^= 1 << random.IntN(8)
			}
			files[fmt.Sprintf("%s flipped %d", name, i)] = flipped
		}
	}
	return files
}

// tree returns a PDF with a page tree, more members of its page, and objects from 4 on.
func tree(pages, members string, objects ...string) []byte {
	var file strings.Builder
	fmt.Fprintf(&file, "%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj%sendobj\n3 0 "+
		"obj<</Type/Page/Parent 2 0 R%s>>endobj\n", pages, members)
	for i, object := range objects {
		fmt.Fprintf(&file, "%d 0 obj%sendobj\n", 4+i, object)
	}
	file.WriteString("trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF")
	return []byte(file.String())
}

func deflated(content []byte) string {
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, _ = writer.Write(content) // a Buffer does not fail
	_ = writer.Close()
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", packed.Len(), packed.String())
}

// R-DOC-5: a hostile file returns a text, an image or a reason, and no concurrent call fails.
func TestHostilePDFs(t *testing.T) {
	if testing.Short() {
		t.Skip("starts more than a hundred processes")
	}
	neighbours := newProvider(t)
	neighbours.has(file{declared: "text/plain", data: []byte("calm")})
	other := neighbours.connect(t)
	var calls, readers sync.WaitGroup
	files := hostilePDFs(t, timetest.Draws(14))
	names := make(chan string)
	var mu sync.Mutex
	outcomes := map[string]int{}
	for range 2 {
		readers.Go(func() {
			p := newProvider(t)
			session := p.connect(t)
			for name := range names {
				p.has(file{declared: "application/pdf", data: files[name]})
				window, result := read(t, session, wholeFile)
				outcome := window.Document.Reason
				switch {
				case result.IsError:
					t.Errorf("%s: %s", name, result.Content[0].(*mcp.TextContent).Text)
				case len(result.Content) == 2:
					outcome = "image"
				case outcome == "" && window.Document.Format == "pdf":
					outcome = "text"
				case outcome == "":
					t.Errorf("%s: %+v", name, window)
				}
				mu.Lock()
				outcomes[outcome]++
				mu.Unlock()
			}
		})
	}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		names <- name
		if i%8 > 0 {
			continue
		}
		for range 16 {
			calls.Go(func() {
				if window, result := read(t, other, wholeFile); result.IsError || window.Window.Text != "calm" {
					t.Errorf("during %s: error %t, %+v", name, result.IsError, window)
				}
			})
		}
	}
	close(names)
	readers.Wait()
	calls.Wait()
	t.Logf("%d files: %v", len(files), outcomes)
}
