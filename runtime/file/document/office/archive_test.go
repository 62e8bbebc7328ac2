package office_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
)

// unzipped returns names and contents in turn.
func unzipped(t interface{ Fatal(...any) }, data []byte) []string {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, entry := range archive.File {
		content, err := fs.ReadFile(archive, entry.Name)
		if err != nil {
			continue // a folder
		}
		parts = append(parts, entry.Name, string(content))
	}
	return parts
}

// zipped returns a zip file of entries, given as names and contents in turn.
func zipped(t interface{ Fatal(...any) }, entries ...string) []byte {
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for i := 0; i+1 < len(entries); i += 2 {
		entry, err := writer.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(entries[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func mainRel(target string) string {
	return `<Relationships><Relationship Id="1" Type="x/officeDocument" Target="` + target + `"/></Relationships>`
}

func docx(t interface{ Fatal(...any) }, document string, more ...string) []byte {
	return zipped(t, append([]string{"_rels/.rels", mainRel("word/document.xml"), "word/document.xml", document},
		more...)...)
}

func pptx(t interface{ Fatal(...any) }, list string) []byte {
	return zipped(t, "_rels/.rels", mainRel("ppt/presentation.xml"), "ppt/presentation.xml",
		"<p:sldIdLst>"+list+"</p:sldIdLst>",
		"ppt/_rels/presentation.xml.rels",
		`<Relationships><Relationship Id="1" Type="x/slide" Target="slides/1.xml"/></Relationships>`,
		"ppt/slides/1.xml", "<p:sld/>")
}

// xlsx returns a workbook with one sheet and one shared string.
func xlsx(t interface{ Fatal(...any) }, sheet, shared string, more ...string) []byte {
	return zipped(t, append([]string{
		"_rels/.rels", mainRel("xl/workbook.xml"), "xl/workbook.xml",
		`<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="1" Type="x/worksheet" ` +
			`Target="s.xml"/><Relationship Id="2" Type="x/sharedStrings" Target="t.xml"/><Relationship Id="3" Type="x/styles" ` +
			`Target="styles.xml"/></Relationships>`,
		"xl/t.xml", "<sst><si><t>" + shared + "</t></si></sst>", "xl/s.xml", sheet, "xl/styles.xml", "<styleSheet/>",
	}, more...)...)
}

func epub(t interface{ Fatal(...any) }, page string, more ...string) []byte {
	return zipped(t, append([]string{
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/list.opf"/></rootfiles></container>`,
		"OEBPS/list.opf", `<package><manifest><item id="a" href="a%20b.xhtml" ` +
			`media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
		"OEBPS/a b.xhtml", page,
	}, more...)...)
}

func odf(t interface{ Fatal(...any) }, content string) []byte {
	return zipped(t, "content.xml", "<office:document-content><office:body>"+content+
		"</office:body></office:document-content>")
}
