package office_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// hostileFile is a file that is broken or made to do harm. A wanted reason that is empty means that either text or an
// error will do.
type hostileFile struct {
	kind   string
	format document.Format
	data   []byte
	want   document.Obstacle
}

// longest is the processor time that a file may take here. The child process ends after 10 s.
const longest = 10 * time.Second

// R-DOC-4, R-DOC-5: no file breaks a limit or the process, and each that gives no text says why.
func TestHostileFiles(t *testing.T) {
	timetest.WithoutRace(t)
	files := slices.Concat(brokenFiles(t), bombs(t), hostileXML(t), explosions(t), protected(t), mistaken(t))
	counts := map[string]map[string]int{}
	for i, f := range files {
		limits := document.DefaultLimits()
		if f.kind == "text from repetition" || f.kind == "one long attribute" {
			limits.Text = 1 << 20 // the same failures in less time
		}
		began := timetest.Spent()
		text, err := textOf(f.format, f.data, limits)
		outcome := checkResult(t, fmt.Sprintf("%s %d (%s)", f.kind, i, f.format), text, err)
		if took := timetest.Spent() - began; took > longest {
			t.Errorf("%s %d (%s) took %s", f.kind, i, f.format, took)
		}
		if f.want != "" && outcome != string(f.want) {
			t.Errorf("%s %d (%s) gives %s, want %s: %v", f.kind, i, f.format, outcome, f.want, err)
		}
		if counts[f.kind] == nil {
			counts[f.kind] = map[string]int{}
		}
		counts[f.kind][outcome]++
	}
	if len(files) < 200 {
		t.Errorf("%d files, want 200 at least", len(files))
	}
	var table strings.Builder
	writer := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		total := 0
		for _, n := range counts[kind] {
			total += n
		}
		fmt.Fprintf(writer, "%s\t%d\t%v\n", kind, total, counts[kind])
	}
	writer.Flush()
	t.Logf("%d files\n%s", len(files), table.String())
}

// checkResult returns "text" or the reason.
func checkResult(t interface{ Errorf(string, ...any) }, name, text string, err error) string {
	var failure *document.Error
	switch {
	case err == nil:
		if !utf8.ValidString(text) || len(text) > document.DefaultLimits().Text+1<<20 {
			t.Errorf("%s: %d bytes of text, valid is %t", name, len(text), utf8.ValidString(text))
		}
		return "text"
	case text != "" || !errors.As(err, &failure) || failure.Reason == "" || failure.Detail == "":
		t.Errorf("%s: %q, %v", name, text, err)
		return "other"
	}
	return string(failure.Reason)
}

// sampleFiles returns the files of LibreOffice by format.
func sampleFiles(t interface{ Fatal(...any) }) map[document.Format][]byte {
	names := sampleNames()
	if len(names) != 7 {
		t.Fatal("one sample file of each format is needed", names)
	}
	files := map[document.Format][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[document.Format(strings.TrimPrefix(filepath.Ext(name), "."))] = data
	}
	return files
}

func brokenFiles(t *testing.T) []hostileFile {
	var files []hostileFile
	for format, data := range sampleFiles(t) {
		random := rand.New(rand.NewPCG(1, uint64(len(data))))
		for i := range 8 {
			files = append(files, hostileFile{"cut short", format, data[:len(data)*i/8], document.Damaged})
			flipped := bytes.Clone(data)
			for range 1 + i {
				flipped[random.IntN(len(flipped))] ^= 1 << random.IntN(8)
			}
			files = append(files, hostileFile{kind: "bits flipped", format: format, data: flipped})
		}
		for other := range sampleFiles(t) {
			if other != format {
				files = append(files, hostileFile{kind: "another format", format: other, data: data})
			}
		}
		files = append(
			files,
			hostileFile{"behind other bytes", format, append([]byte("%PDF-1.7\n%%EOF\n"), data...), ""},
			hostileFile{"before other bytes", format, append(bytes.Clone(data), "<html><script>alert(1)</script>"...), ""},
			hostileFile{"empty", format, nil, document.Damaged},
			hostileFile{"empty zip", format, zipped(t), document.Damaged},
		)
	}
	return files
}

func bombs(t *testing.T) []hostileFile {
	zeros := strings.Repeat("\x00", 8<<20)
	spaces := strings.Repeat(" ", 8<<20)
	inner := zipped(t, "a", zeros)
	many := make([]string, 0, 20_100)
	for i := range 10_050 {
		many = append(many, fmt.Sprintf("word/%d.xml", i), "")
	}
	shared := overlapping(zipped(t, "word/document.xml", "<document/>"), 3)
	return []hostileFile{
		{"zip bomb, flat", document.DOCX, docx(t, "<w:p>"+spaces), document.TooLarge},
		{"zip bomb, flat", document.XLSX, xlsx(t, "<worksheet><sheetData>"+spaces, ""), document.TooLarge},
		{"zip bomb, flat", document.EPUB, epub(t, zeros), document.TooLarge},
		{"zip bomb, nested", document.DOCX, docx(t, "<w:p><w:t>x</w:t></w:p>", "word/embeddings/a.zip", string(inner)), ""},
		{"zip bomb, nested", document.DOCX, zipped(t, "a.zip", string(inner)), document.Damaged},
		{"zip bomb, many entries", document.DOCX, zipped(t, many...), document.TooLarge},
		{"zip bomb, overlapping", document.DOCX, shared, document.Damaged},
	}
}

// overlapping repeats the directory entry of a zip file with one entry under other names.
func overlapping(file []byte, times int) []byte {
	start := bytes.Index(file, []byte("PK\x01\x02"))
	end := bytes.Index(file, []byte("PK\x05\x06"))
	out := bytes.Clone(file[:start])
	for i := range times {
		entry := bytes.Clone(file[start:end])
		entry[46] = byte('a' + i)
		out = append(out, entry...)
	}
	tail := bytes.Clone(file[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(times))
	binary.LittleEndian.PutUint16(tail[10:], uint16(times))
	binary.LittleEndian.PutUint32(tail[12:], uint32(times*(end-start)))
	return append(out, tail...)
}

func hostileXML(t *testing.T) []hostileFile {
	laughs := `<!DOCTYPE a [<!ENTITY l0 "ha">` + func() (declared string) {
		for i := range 9 {
			declared += fmt.Sprintf(`<!ENTITY l%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
		}
		return declared
	}() + `]><w:p><w:t>&l9;</w:t></w:p>`
	external := `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:p><w:t>&x;</w:t></w:p>`
	remote := `<!DOCTYPE a SYSTEM "http://127.0.0.1:1/x.dtd"><w:p><w:t>&x;</w:t></w:p>`
	var files []hostileFile
	for _, source := range []struct {
		kind, xml string
		want      document.Obstacle
	}{
		{"entities", laughs, document.Damaged},
		{"external entities", external, document.Damaged},
		{"external entities", remote, document.Damaged},
		{"nested elements", strings.Repeat("<w:p>", 300) + strings.Repeat("</w:p>", 300), document.TooLarge},
		{"nested elements", strings.Repeat("<w:tbl><w:tr><w:tc>", 100_000), document.TooLarge},
		{"elements that do not match", "<w:p><w:t>a</w:p></w:t>", document.Damaged},
		{"elements that do not match", "</w:p></w:p>", document.Damaged},
		{"elements that do not match", "<w:p><w:t>a", document.Damaged},
		{
			"elements out of place",
			"<w:tc><w:p><w:tr><w:ins><w:tc/></w:ins></w:tr></w:p></w:tc><w:comment/><w:gridSpan w:val='9'/>", "",
		},
		{"elements out of place", "<w:footnote><w:tbl><w:tr/></w:tbl></w:footnote><w:del/><w:pPr/><w:ph/><w:sld/>", ""},
		{"no XML", "\xff\xfe\x00", document.Damaged},
		{"no XML", "<?xml version='1.0' encoding='klingon'?><a/>", document.Damaged},
		{"no XML", "", document.NoText},
		{"one long attribute", "<w:p w:a='" + strings.Repeat("a1b2", 1<<20) + "'/>", document.TooLarge},
	} {
		files = append(files, hostileFile{source.kind, document.DOCX, docx(t, source.xml), source.want})
	}
	for _, xml := range []string{
		laughs, external, "<p/></body>", "<text:list-item><text:p>a</text:p></text:list-item>", "<dc:p/><dc:deletion/>",
		"<table:table-cell/><text:change text:change-id='x'/><text:change-end/>",
		"<text:changed-region><text:insertion/></text:changed-region>",
	} {
		for _, format := range []document.Format{document.ODT, document.ODS, document.ODP} {
			files = append(files, hostileFile{"OpenDocument out of place", format, odf(t, xml), ""})
			files = append(files, hostileFile{"OpenDocument out of place", format, zipped(t, "content.xml", xml), ""})
		}
	}
	return files
}

// explosions are small files that could grow into a lot of text.
func explosions(t *testing.T) []hostileFile {
	long := strings.Repeat("long ", 20_000)
	cell := func(text string) string { return "<w:tbl><w:tr><w:tc>" + text + "</w:tc></w:tr></w:tbl>" }
	quotes := `<w:p><w:t>""""""""</w:t></w:p>`
	for range 60 {
		quotes = cell(quotes)
	}
	rels := `<Relationships><Relationship Id="1" Type="x/footnotes" Target="footnotes.xml"/><Relationship Id="2" ` +
		`Type="x/numbering" Target="numbering.xml"/></Relationships>`
	rows := strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 1_000)
	region := "<text:tracked-changes><text:changed-region text:id='a'><text:deletion><office:change-info><dc:creator>" +
		long +
		"</dc:creator></office:change-info><text:p>" + long +
		"</text:p></text:deletion></text:changed-region></text:tracked-changes>"
	return []hostileFile{
		{"text from repetition", document.DOCX, docx(t, quotes), document.TooLarge},
		{
			"text from repetition", document.DOCX,
			docx(t, "<w:p>"+strings.Repeat(`<w:footnoteReference w:id="1"/>`, 1_000)+"</w:p>",
				"word/_rels/document.xml.rels", rels, "word/footnotes.xml", `<w:footnotes><w:footnote w:id="1"><w:p><w:t>`+long+
					`</w:t></w:p></w:footnote></w:footnotes>`,
				"word/numbering.xml", "<w:numbering/>"), document.TooLarge,
		},
		{
			"text from repetition", document.DOCX,
			docx(t, cell(strings.Repeat(`<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:t>a</w:t></w:p>`, 1_000)),
				"word/_rels/document.xml.rels", rels, "word/footnotes.xml", "<w:footnotes/>",
				"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText w:val="`+long+
					`"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`),
			document.TooLarge,
		},
		{
			"text from repetition", document.DOCX,
			docx(t, `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan `+
				`w:val="2000000000"/></w:tcPr><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b</w:t></w:p></w:tc></w:tr></w:tbl>`),
			"",
		},
		{
			"text from repetition", document.XLSX, xlsx(t, "<worksheet><sheetData>"+rows+"</sheetData></worksheet>", long),
			document.TooLarge,
		},
		{
			"text from repetition", document.XLSX,
			xlsx(t, "<worksheet><sheetData>"+strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 1_000)+
				"</sheetData></worksheet>", ""), document.TooLarge,
		},
		{
			"text from repetition", document.XLSX,
			xlsx(t, `<worksheet><sheetData><row r="2000000000"><c r="ZZZZZZZZ1" s="-4"><v>1</v></c><c t="s"><v>-1</v></c><c `+
				`t="s"><v>99999999999999999999</v></c></row></sheetData></worksheet>`, ""), "",
		},
		{
			"text from repetition", document.ODS,
			odf(t, "<table:table><table:table-row table:number-rows-repeated='1048576'><table:table-cell "+
				"table:number-columns-repeated='16384'><text:p>a</text:p></table:table-cell></table:table-row></table:table>"),
			document.TooLarge,
		},
		{
			"text from repetition", document.ODS,
			odf(t, "<table:table><table:table-row table:number-rows-repeated='2000000000'><table:table-cell "+
				"table:number-columns-repeated='2000000000'/></table:table-row></table:table>"), "",
		},
		{"text from repetition", document.ODT, odf(t, "<text:p><text:s text:c='2000000000'/>a</text:p>"), ""},
		{
			"text from repetition", document.ODT,
			odf(t, region+strings.Repeat("<text:p><text:change text:change-id='a'/></text:p>", 1_000)), document.TooLarge,
		},
		{"text from repetition", document.PPTX, pptx(t, strings.Repeat(`<p:sldId r:id="1"/>`, 20_000)), document.TooLarge},
	}
}

func protected(t *testing.T) []hostileFile {
	ole := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
		"E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"...)
	locked := docx(t, "<w:p><w:t>a</w:t></w:p>")
	for at := 0; ; {
		next := bytes.Index(locked[at:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += next + 1
		locked[at+7] |= 1
	}
	manifest := "<manifest:manifest><manifest:file-entry " +
		"manifest:full-path='content.xml'><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
	return []hostileFile{
		{"encrypted", document.OLE, ole, document.Encrypted},
		{"old binary", document.OLE, ole[:8], document.Unsupported},
		{"encrypted", document.DOCX, locked, document.Encrypted},
		{
			"encrypted", document.ODT, zipped(t, "META-INF/manifest.xml", manifest, "content.xml", "\x01\x02"),
			document.Encrypted,
		},
		{"encrypted", document.EPUB, epub(t, "\x01\x02", "META-INF/encryption.xml",
			`<encryption><EncryptedData><CipherData><CipherReference `+
				`URI="OEBPS/a%20b.xhtml"/></CipherData></EncryptedData></encryption>`), document.Encrypted},
	}
}

// mistaken are files that refer to parts that they do not have, or to what is outside.
func mistaken(t *testing.T) []hostileFile {
	rel := func(attributes string) []byte {
		return zipped(t, "_rels/.rels", "<Relationships><Relationship Id='1' Type='x/officeDocument' "+attributes+
			"/></Relationships>")
	}
	return []hostileFile{
		{"missing parts", document.DOCX, rel("Target='word/document.xml'"), document.Damaged},
		{"missing parts", document.XLSX, rel("Target='../../../../etc/passwd'"), document.Damaged},
		{"links out", document.DOCX, rel("Target='http://127.0.0.1:1/' TargetMode='External'"), document.Damaged},
		{"links out", document.PPTX, rel("Target='file:///etc/passwd'"), document.Damaged},
		{"missing parts", document.PPTX, pptx(t, `<p:sldId r:id="7"/>`), document.Damaged},
		{"missing parts", document.EPUB, zipped(t, "META-INF/container.xml", "<container/>"), document.Damaged},
		{"missing parts", document.ODS, zipped(t, "styles.xml", "<a/>"), document.Damaged},
	}
}

// R-DOC-4: each limit holds, and the one below it lets the file pass.
func TestLimits(t *testing.T) {
	file := docx(t, "<w:document><w:body><w:p><w:r><w:t>twenty bytes of text</w:t></w:r></w:p></w:body></w:document>")
	enough := document.Limits{Entries: 2, Unpacked: 300, Nesting: 5, Text: 100}
	if text, err := textOf(document.DOCX, file, enough); err != nil || text != "twenty bytes of text\n" {
		t.Fatalf("%q, %v", text, err)
	}
	for name, less := range map[string]func(*document.Limits){
		"entries":  func(l *document.Limits) { l.Entries-- },
		"unpacked": func(l *document.Limits) { l.Unpacked = 160 },
		"nesting":  func(l *document.Limits) { l.Nesting-- },
		"text":     func(l *document.Limits) { l.Text = 20 },
	} {
		limits := enough
		less(&limits)
		var failure *document.Error
		if _, err := textOf(document.DOCX, file, limits); !errors.As(err, &failure) || failure.Reason != document.TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// R-DOC-5: whatever the parts of a file hold, the reader returns, and it returns the same every time.
func TestDamagedParts(t *testing.T) {
	timetest.WithoutRace(t)
	files := sampleFiles(t)
	formats := slices.Sorted(maps.Keys(files))
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formats).Draw(t, "format")
		parts := unzipped(t, files[format])
		part := 2*rapid.IntRange(0, len(parts)/2-1).Draw(t, "part") + 1
		content := []byte(parts[part])
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			if len(content) == 0 {
				break
			}
			start := rapid.IntRange(0, len(content)-1).Draw(t, "start")
			end := min(len(content), start+rapid.IntRange(0, 40).Draw(t, "length"))
			content = slices.Replace(content, start, end, rapid.SampledFrom(splices).Draw(t, "splice")...)
		}
		parts[part] = string(content)
		data := zipped(t, parts...)
		text, err := textOf(format, data, document.DefaultLimits())
		checkResult(t, string(format), text, err)
		if again, _ := textOf(format, data, document.DefaultLimits()); again != text {
			t.Errorf("two texts: %q and %q", text, again)
		}
	})
}

// splices replace bytes of parts.
var splices = [][]byte{
	nil, []byte("0"), []byte("99999999999"), []byte("-1"), []byte("<"), []byte("/>"), []byte("<w:p/>"),
	[]byte("<text:list-item/>"), []byte("\xff"),
	[]byte("&lt;"), []byte("</w:p>"), []byte(`"`), []byte("<table:table-row>"), []byte("</table:table-row>"),
	[]byte("E+9;[h]"),
}
