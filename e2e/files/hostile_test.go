package files_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// named is a case of the table.
type named struct {
	name string
	file file
}

// R-BLOB-2, R-BLOB-3: what a file gets, however it is declared and whatever its bytes are. Each line of the golden is
// one file.
func TestHostileFiles(t *testing.T) {
	timetest.WithoutRace(t)
	p := newProvider(t)
	var table strings.Builder
	table.WriteString("# What files get that are not what they seem. go test ./e2e/files -update writes it.\n")
	cases := append(declaredAs(bodies()), broken()...)
	for _, hostile := range cases {
		p.has(hostile.file)
		result, err := p.read(t.Context(), "")
		fmt.Fprintf(&table, "%s: %s\n", hostile.name, outcome(t, result, err))
	}
	if len(cases) < 200 {
		t.Errorf("%d files, want 200", len(cases))
	}
	golden.File(t, "testdata/hostile.golden", table.String())
}

// declaredAs has each body under each of some media types.
func declaredAs(bodies []named) []named {
	var all []named
	for _, body := range bodies {
		for _, declared := range []string{
			"text/plain", "text/csv; charset=utf-8", "text/plain; charset=utf-16le", "text/html", "application/json",
			"message/rfc822",
			"image/png", "application/octet-stream", "application/pdf", "",
		} {
			body.file.declared = declared
			all = append(all, named{body.name + " as " + fmt.Sprintf("%q", declared), body.file})
		}
	}
	return all
}

func bodies() []named {
	return []named{
		{"nothing", file{}},
		{"a text", file{data: []byte("date,amount\n2026-01-01,3.50\n")}},
		{"umlauts in UTF-8", file{data: []byte("Käse für 3 €\n")}},
		{"umlauts in Latin-1", file{data: []byte("K\xe4se f\xfcr\n")}},
		{"UTF-16 with its mark", file{data: utf16("Käse\n", true)}},
		{"UTF-16 without a mark", file{data: utf16("Käse\n", false)}},
		{"NULs in a text", file{data: []byte("a\x00b\x00c")}},
		{"controls", file{data: bytes.Repeat([]byte{1, 2, 3, 'a'}, 50)}},
		{"escape sequences", file{data: []byte("\x1b[2J\x1b]0;title\x07 seen\u202egnirts\n")}},
		{
			"a web page",
			file{
				data: []byte(
					`<!doctype html><html><head><title>T</title><style>b{}</style><script>alert(1)</script></head><body><p>Hello <a ` +
						`href="https://x.example/">there</a><table><tr><td>1<td>2</table></body></html>`),
			},
		},
		{"a page nested deep", file{data: []byte("<html>" + strings.Repeat("<div><b>", 100_000) + "end")}},
		{"a page that breaks off", file{data: []byte("<html><p>one<script>var x = '<p>two")}},
		{"a billion laughs", file{
			data: []byte(`<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>`),
		}},
		{"an SVG with a script", file{
			data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>hi</text></svg>`),
		}},
		{"a picture", file{data: picture(3, 2, png.Encode)}},
		{"a JPEG", file{data: picture(3, 2, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })}},
		{
			"a GIF that is a script",
			file{data: append(picture(3, 2, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }),
				"/*<script>alert(1)</script>"...)},
		},
		{"a broken picture", file{data: picture(3, 2, png.Encode)[:20]}},
		{"a picture of 10^18 pixels", file{data: huge()}},
		{"a ZIP", file{data: zipped("x.txt", "hello")}},
		{"a GZIP", file{data: gzipped([]byte("hello"))}},
		{"a PDF", file{data: []byte("%PDF-1.4 no more\n")}},
		{"a program", file{data: []byte("\x7fELF\x02\x01\x01\x00\x00")}},
		{"a mail", file{data: []byte("From: a@x.example\r\nSubject: =?utf-8?q?K=C3=A4se?=\r\nContent-Type: " +
			"multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; " +
			"charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nF=FCr\r\n--b\r\nContent-Type: " +
			"image/png; name=\"../x.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n--b--\r\n")}},
		{
			"a mail in a mail, 40 times",
			file{data: []byte(strings.Repeat("Subject: s\r\nContent-Type: message/rfc822\r\n\r\n", 40) + "end")},
		},
		{
			"a mail of 1,000 parts",
			file{data: []byte("Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
				strings.Repeat("--b\r\n\r\nx\r\n", 1000) + "--b--\r\n")},
		},
		{
			"a mail that breaks off",
			file{
				data: []byte("Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: " +
					"base64\r\n\r\n!!!"),
			},
		},
	}
}

// broken are files whose answer is not what was promised.
func broken() []named {
	text := []byte("some text\n")
	answer := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "some")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		for part := bytes.Repeat([]byte("x"), 1<<20); r.Context().Err() == nil; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
	plain := "text/plain"
	return []named{
		{"a size that is too small", file{declared: plain, data: text, size: 3}},
		{"a size that is too large", file{declared: plain, data: text, size: 300}},
		{"a size beyond what is read", file{declared: plain, data: text, size: 1 << 40}},
		{"a picture's size beyond what is shown", file{declared: "image/png", data: text, size: 1 << 21}},
		{"an unknown file's size beyond what is read", file{declared: "application/octet-stream", data: text, size: 1 << 40}},
		{"no size", file{declared: plain, data: text, size: -1}},
		{"another digest", file{declared: plain, data: text, digest: strings.Repeat("a", 64)}},
		{
			"another picture's digest",
			file{declared: "image/png", data: picture(3, 2, png.Encode), digest: strings.Repeat("a", 64)},
		},
		{"an invalid digest", file{declared: plain, data: text, digest: "x"}},
		{
			"another type in the answer",
			file{declared: plain, data: text, header: map[string]string{"Content-Type": "image/png"}},
		},
		{
			"a charset in the answer",
			file{
				declared: plain, data: []byte("K\xe4se"),
				header: map[string]string{"Content-Type": "text/plain; charset=latin1"},
			},
		},
		{"an unknown charset", file{declared: "text/plain; charset=x-none", data: []byte("K\xe4se")}},
		{"a charset that hides text", file{declared: "text/plain; charset=iso-2022-kr", data: []byte("some text")}},
		{"UTF-7", file{declared: "text/plain; charset=utf-7", data: []byte("+ADw-script+AD4-")}},
		{
			"a media type with a line break",
			file{declared: "text/plain\nnext: fetch {}", data: text, header: map[string]string{"Content-Type": plain}},
		},
		{"a media type of 1,000 letters", file{declared: "text/" + strings.Repeat("x", 1000), data: text}},
		{"a media type with two charsets", file{declared: "text/plain; charset=utf-8; charset=utf-16", data: text}},
		{"bytes that are encoded", file{declared: plain, data: text, header: map[string]string{"Content-Encoding": "br"}}},
		{"a bomb of GZIP", file{
			declared: plain, size: -1,
			serve: answer(200, "Content-Encoding", "gzip", string(gzipped(make([]byte, 32<<20)))),
		}},
		{"bytes without an end", file{declared: plain, size: -1, serve: endless}},
		{"a picture without an end", file{declared: "image/png", size: -1, serve: endless}},
		{"bytes that are cut off", file{declared: plain, data: text, serve: cut}},
		{"a redirect", file{declared: plain, data: text, serve: answer(302, "Location", "https://elsewhere.example/", "")}},
		{"nothing with 204", file{declared: plain, data: text, serve: answer(204, "X-Nothing", "1", "")}},
		{"a part with 206", file{declared: plain, data: text, serve: answer(206, "Content-Range", "bytes 5-9/10", "text\n")}},
		{"a blob that is gone", file{declared: plain, data: text, serve: answer(404, "Content-Type", "application/json",
			`{"error":{"type":"not_found_error","code":"blob_not_found","message":"Blob not found"}}`)}},
		{"a grant that was revoked", file{declared: plain, data: text, serve: answer(403, "Content-Type", "application/json",
			`{"error":{"type":"permission_error","code":"grant_revoked","message":"revoked"}}`)}},
		{
			"a provider that fails",
			file{declared: plain, data: text, serve: answer(500, "Content-Type", "text/html", "<h1>oops</h1>")},
		},
		{"the bearer in a text", file{declared: plain, data: []byte("token " + bearer)}},
		{"the bearer in a picture", file{declared: "image/png", data: append(picture(3, 2, png.Encode), bearer...)}},
	}
}

// outcome returns the result of a call on one line.
func outcome(t *testing.T, result *tool.Result, err error) string {
	t.Helper()
	if err != nil {
		result = tool.Failed(err)
	}
	if strings.Contains(result.Text+string(result.Structured), bearer) || result.File != nil &&
		bytes.Contains(result.File.Data, []byte(bearer)) {
		t.Error("the bearer is shown")
	}
	var shown struct {
		Window *struct {
			Text  string
			Total int `json:"total_chars"`
		}
		Field json.RawMessage
		Note  string
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		t.Fatal(err)
	}
	switch {
	case result.IsError:
		return "refused with " + shown.Error.Code + ": " + shown.Error.Message
	case result.File != nil:
		return fmt.Sprintf("an image %s; %s", result.File.MediaType, shown.Field)
	case shown.Window != nil:
		return fmt.Sprintf("%d characters %.150q; %s", shown.Window.Total, shown.Window.Text, shown.Field)
	}
	sentence, _, _ := strings.Cut(shown.Note, ". A host may")
	return "named: " + sentence
}

func utf16(text string, marked bool) []byte {
	var out []byte
	if marked {
		out = append(out, 0xFF, 0xFE)
	}
	for _, r := range text {
		out = append(out, byte(r), byte(r>>8))
	}
	return out
}

func picture(width, height int, encode func(io.Writer, image.Image) error) []byte {
	var out bytes.Buffer
	if err := encode(&out, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White})); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// huge returns a PNG whose head says that it has 2^30 pixels on either side.
func huge() []byte {
	data := picture(3, 2, png.Encode)
	head := data[12:29] // the chunk IHDR without its length
	binary.BigEndian.PutUint32(head[4:], 1<<30)
	binary.BigEndian.PutUint32(head[8:], 1<<30)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(head))
	return data
}

func zipped(name, text string) []byte {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	entry, err := archive.Create(name)
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(entry, text)
	_ = archive.Close()
	return out.Bytes()
}

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write(data)
	_ = writer.Close()
	return out.Bytes()
}
