package sample_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// checks say of each kind of attachment whether it is what its name promises.
var checks = map[string]func([]byte) error{
	".png":  func(content []byte) error { _, err := png.Decode(bytes.NewReader(content)); return err },
	".csv":  func(content []byte) error { _, err := csv.NewReader(bytes.NewReader(content)).ReadAll(); return err },
	".ics":  between("BEGIN:VCALENDAR\r\n", "END:VCALENDAR\r\n"),
	".vcf":  between("BEGIN:VCARD\r\n", "END:VCARD\r\n"),
	".html": between("<!DOCTYPE html>\n", "</html>\n"),
	".pdf":  between("%PDF-", "%%EOF\n"),
	".docx": holdsPart("word/document.xml"),
	".xlsx": holdsPart("xl/workbook.xml"),
	".pptx": holdsPart("ppt/presentation.xml"),
	".epub": holdsPart("META-INF/container.xml"),
}

// holdsPart checks that a file is a zip file with an entry.
func holdsPart(name string) func([]byte) error {
	return func(content []byte) error {
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		_, err = fs.Stat(archive, name)
		return err
	}
}

func between(begin, end string) func([]byte) error {
	return func(content []byte) error {
		if !bytes.HasPrefix(content, []byte(begin)) || !bytes.HasSuffix(content, []byte(end)) {
			return fmt.Errorf("it does not stand between %q and %q", begin, end)
		}
		return nil
	}
}

// What is attached to mails are files that programs open.
func TestAttachmentsAreReal(t *testing.T) {
	seen := map[string]bool{}
	for name, content := range attached(t) {
		kind := path.Ext(name)
		seen[kind] = true
		if check := checks[kind]; check != nil {
			if err := check(content); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for kind := range checks {
		if !seen[kind] {
			t.Errorf("no attachment is a %s", kind)
		}
	}
}

// The statement that the bank attaches is what its own stream has of the month.
func TestStatementAddsUp(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(attached(t)["statement-2026-01.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cents := func(text string) int {
		amount, err := strconv.Atoi(strings.Replace(text, ".", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		return amount
	}
	sum, want := 0, 0
	for _, row := range rows[1:] {
		sum += cents(row[3])
	}
	for _, r := range sample.Shared().Records {
		var booked struct {
			Account string `json:"account_id"`
			On      string `json:"booked_on"`
			Cents   int    `json:"amount_cents"`
		}
		if r.Stream != "transactions" {
			continue
		}
		if err := json.Unmarshal(r.Data, &booked); err != nil {
			t.Fatal(err)
		}
		if booked.Account == sample.MainAccount && strings.HasPrefix(booked.On, "2026-01-") {
			want += booked.Cents
		}
	}
	if sum != want || len(rows) < 10 {
		t.Errorf("%d rows add up to %d, the transactions to %d", len(rows)-1, sum, want)
	}
}

// attached returns the content of every attachment that was fetched, by name.
func attached(t *testing.T) map[string][]byte {
	t.Helper()
	set := sample.Shared()
	blobs := map[string][]byte{}
	for _, blob := range set.Blobs {
		blobs[blob.ID] = blob.Bytes
	}
	files := map[string][]byte{}
	for _, r := range set.Records {
		var part struct {
			Name string `json:"filename"`
			Blob *struct {
				ID string `json:"blob_id"`
			} `json:"blob_ref"`
		}
		if r.Stream != "attachments" {
			continue
		}
		if err := json.Unmarshal(r.Data, &part); err != nil {
			t.Fatal(err)
		}
		if part.Blob != nil {
			files[part.Name] = blobs[part.Blob.ID]
		}
	}
	return files
}
