package filetext_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// R-BLOB-2: what a person would read of HTML, and of a mail.
func TestReadable(t *testing.T) {
	for name, test := range map[string]struct {
		kind       blob.Kind
		data, want string
	}{
		"blocks and links": {
			blob.HTML, `<title>Offer</title><body><h1>Dear  Nora</h1><p>See <a href="https://x.example/a">the page</a>,<br>or ` +
				`<a href="https://y.example">https://y.example</a>.`,
			"Offer\nDear Nora\nSee the page (https://x.example/a),\nor https://y.example.\n",
		},
		"a table": {
			blob.HTML,
			"<table><tr><th>Day</th><th>Sum</th></tr>\n<tr><td>1 May</td><td>3,50&nbsp;€</td></tr></table>",
			"Day\tSum\n1 May\t3,50 €\n",
		},
		"a list": {blob.HTML, "<ul><li>one<li><b>two</b></ul>", "- one\n- two\n"},
		"what is not shown": {
			blob.HTML,
			"a<style>p{}</style><script>x</script><!-- c --><template>t</template><noscript>n</noscript>b", "ab\n",
		},
		"white space that counts": {blob.HTML, "<pre>  a\n  b</pre>", "  a\n  b\n"},
		"a link to a script":      {blob.HTML, `<a href="javascript:alert(1)">press</a>`, "press\n"},
		"its own charset":         {blob.HTML, "<meta charset=iso-8859-1><p>K\xe4se", "Käse\n"},
		"a Japanese charset":      {blob.HTML, "<meta charset=Shift_JIS><p>\x93\xfa\x96\x7b", "日本\n"},
		"a Chinese charset": {
			blob.HTML,
			"<meta http-equiv=Content-Type content='text/html; charset=big5'><p>\xa4\xa4\xa4\xe5", "中文\n",
		},
		"a charset of no meaning": {blob.HTML, "<meta charset=klingon><p>K\xe4se", "Käse\n"},
		"a charset that is wrong": {blob.HTML, "<meta charset=utf-16><p>Käse", "Käse\n"},
		"UTF-8 cut short":         {blob.HTML, "<meta charset=utf-8><p>Käse\xc3", "Käse\ufffd\n"},
		"a picture's words":       {blob.HTML, `<img src=x alt="two  cats">`, "[two cats]\n"},
		"superscripts": {
			blob.HTML,
			"10<sup>5</sup> m<sup> 2</sup>, CO<sub>2</sub>, x<sup>n+1</sup>, Acme<sup>®</sup>",
			"10^5 m ^2, CO_2, x^(n+1), Acme®\n",
		},
		"scripts by style": {
			blob.HTML, "<style>.up{vertical-align: super} .d { font-size: 0.6em; position: relative; top: 0.33em " +
				"}</style>10<span class='a up'>5</span>3, CO<span class=d><span>2</span></span>, 12<span " +
				"style='vertical-align:super'>th</span> <span>a</span>",
			"10^5 3, CO_2, 12^th a\n",
		},
		"what follows a script": {blob.HTML, "10<sup>5</sup>3 m<sup>2</sup>K H<sub>2</sub>O costs 12<a " +
			"epub:type='noteref'>1</a>, 12<a role=doc-noteref href=#a><sup>2</sup></a> " +
			"2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>x", "10^5 3 m^2 K H_2O costs 12^1, 12^2 2 1/2 x\n"},
		"fields of a form": {blob.HTML, "<input type=checkbox checked>paid <input type=radio>open <input name=n " +
			"value='12 EUR'><input type=hidden value=x><select><option>a<option>b</select>", "☑ paid ☐ open 12 EUR\na\nb\n"},
		"an equation": {
			blob.HTML,
			"Rent is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> of " +
				"<m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>.", "Rent is 1/2 of x^2.\n",
		},
		"drawings": {
			blob.HTML, "a <svg><path d='M0'/></svg> <svg><text>axis</text></svg>",
			"a [drawing not shown] axis\n",
		},
		"elements that end wrong": {blob.HTML, "<sup>a<sub>b</sup>c<math><mfrac></mi>d", "^ab c d\n"},
		"a mail of text": {
			blob.Mail, "From: =?iso-8859-1?q?J=F6rg?= <j@x.example>\nTo: n@x.example\nX-Other: no\nSubject: a\n  b\n\nHello\n",
			"From: Jörg <j@x.example>\nTo: n@x.example\nSubject: a b\n\n--- part 1: text/plain, 6 bytes ---\nHello\n",
		},
		"a mail with a charset that is not decoded": {
			blob.Mail, "Subject: =?iso-2022-cn?q?Annual_report?=\nContent-Type: text/plain; charset=iso-2022-kr\n\nHello\n",
			"Subject: =?iso-2022-cn?q?Annual_report?=\n\n--- part 1: text/plain, 6 bytes ---\nHello\n",
		},
		"a mail with HTML and a mail in it": {
			blob.Mail, "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: " +
				"text/html\n\n<p>Hi<p>you\n--b\nContent-Type: message/rfc822\n\nSubject: inner\n\ndeep\n--b--\n",
			"Subject: s\n\n--- part 1: text/html, 11 bytes ---\nHi\nyou\n\n--- part 2: message/rfc822, 20 bytes ---\nSubject: " +
				"inner\n\n--- part 3: text/plain, 4 bytes ---\ndeep\n",
		},
		"a mail with continuations that are not indented": {
			blob.Mail, "Subject: s\nContent-Type: multipart/mixed;\nboundary=b\n\n--b\nContent-Type: image/png;\nname=\"a: " +
				"b.png\"\nContent-Transfer-Encoding: base64\n\nQUJD\n--b--\n",
			"Subject: s\n\n--- part 1: image/png \"a: b.png\", 3 bytes ---\n(not shown)\n",
		},
		"text that is not mail": {blob.Mail, "just words", "just words"},
	} {
		t.Run(name, func(t *testing.T) {
			text, ok := filetext.Read([]byte(test.data), test.kind, "")
			if !ok || string(text.Bytes) != test.want {
				t.Errorf("got %q, %t, want %q", text.Bytes, ok, test.want)
			}
		})
	}
}

// R-BLOB-2: windows are those of any field, counted in code points.
func TestSelect(t *testing.T) {
	const text = "Grüße 😀 aus KÄSE und Brot"
	number := func(n int64) *int64 { return &n }
	for name, test := range map[string]struct {
		selector filetext.Selector
		want     string // the window's text; empty: the match does not occur
		start    int64
	}{
		"all":                  {filetext.Selector{}, text, 0},
		"from the middle":      {filetext.Selector{Offset: number(6), Limit: number(3)}, "😀 a", 6},
		"past the end":         {filetext.Selector{Offset: number(99)}, "", 25},
		"a match":              {filetext.Selector{Match: "käse", Limit: number(4)}, "KÄSE", 12},
		"a match in its place": {filetext.Selector{Match: "käse", Before: number(4), After: number(4)}, "aus KÄSE und", 8},
		"a match at the start": {
			filetext.Selector{Match: "GRÜ", Before: number(9)},
			"Grüße 😀 aus "[:len("Grüße 😀 aus ")], 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			window, found := test.selector.Select([]byte(text))
			if !found || window.Text != test.want || window.Start != test.start ||
				window.End != test.start+int64(utf8.RuneCountInString(test.want)) || window.Total != 25 {
				t.Errorf("got %+v, %t", window, found)
			}
		})
	}
	if _, found := (filetext.Selector{Match: "Wurst"}).Select([]byte(text)); found {
		t.Error("finds what does not occur")
	}
}

// R-WIN-4: without before_chars, the window of a match starts with the line or sentence that leads to it, and always
// has the match.
func TestLead(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	long := strings.Repeat("word ", 100)
	const letter = "Dear tenant.\n\nThis lease begins in May. On the day of the move the tenant gets all keys, which are three\n" +
		"door keys and two cellar keys."
	for name, test := range map[string]struct {
		text     string
		selector filetext.Selector
		want     string // how the window starts
	}{
		"a sentence over two lines": {letter, filetext.Selector{Match: "door keys"}, "On the day"},
		"the start of the text":     {letter, filetext.Selector{Match: "begins"}, "Dear"},
		"a row of a table":          {"month,sum\n" + strings.Repeat("2025-01,4100.00,4180.00\n", 9), filetext.Selector{Match: "sum"}, "month"},
		"words without an end":      {long + "match", filetext.Selector{Match: "match"}, "word"},
		"letters without an end":    {strings.Repeat("x", 500) + "match", filetext.Selector{Match: "match"}, "match"},
		"a short window":            {letter, filetext.Selector{Match: "door keys", Limit: number(20)}, "door"},
		"as many as asked":          {letter, filetext.Selector{Match: "door keys", Before: number(6)}, "three"},
		"with an end":               {letter, filetext.Selector{Match: "door keys", After: number(4)}, "On the day"},
		"a language without spaces": {strings.Repeat("海", 20) + "。" + strings.Repeat("山", 70) + "川", filetext.Selector{Match: "川"}, "山"},
	} {
		t.Run(name, func(t *testing.T) {
			window, found := test.selector.Select([]byte(test.text))
			if !found || !strings.HasPrefix(window.Text, test.want) || !strings.Contains(window.Text, test.selector.Match) {
				t.Errorf("got %+v, %t", window, found)
			}
			if test.selector.After != nil && !strings.HasSuffix(window.Text, test.selector.Match+" and") {
				t.Errorf("the window ends with %q", window.Text)
			}
		})
	}
}

// Any bytes of any kind are read without a panic, as valid UTF-8 that is not much longer than they are, and windows of
// it make it up.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "a\x00b", "<html><p>a<table><td>b", "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--",
		"\xff\xfea\x00", "<?xml version='1.0' encoding='iso-8859-2'?>\xb1", "Content-Transfer-Encoding: base64\n\nYQ==",
		"<a href=http://x><a href=http://y>z",
	} {
		for kind := range 4 {
			f.Add([]byte(seed), kind, "utf-8")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, number int, charset string) {
		kind := []blob.Kind{blob.Plain, blob.HTML, blob.Mail, filetext.KindOf(data)}[uint(number)%4]
		text, ok := filetext.Read(data, kind, charset)
		if !ok {
			return
		}
		if !utf8.Valid(text.Bytes) || len(text.Bytes) > 200*(len(data)+10) {
			t.Fatalf("%d bytes became %d, valid %t", len(data), len(text.Bytes), utf8.Valid(text.Bytes))
		}
		var whole strings.Builder
		limit := int64(7)
		for offset := int64(0); whole.Len() < min(len(text.Bytes), 1000); {
			window, _ := filetext.Selector{Offset: &offset, Limit: &limit}.Select(text.Bytes)
			whole.WriteString(window.Text)
			offset = window.End
		}
		if !bytes.HasPrefix(text.Bytes, []byte(whole.String())) {
			t.Error("the windows are another text")
		}
	})
}

// R-WIN-4: words are found regardless of normalization and white space. The place of a match counts whole characters of
// the text.
func TestMatches(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("testdata", "find-in-file-nfd.txt"))
	if err != nil {
		t.Fatal(err)
	}
	nfd := string(file)
	for name, test := range map[string]struct {
		text, words string
		want        []string
	}{
		"composed in decomposed":    {nfd, "café", []string{"Cafe\u0301"}},
		"several words":             {nfd, "Café Zürich bill", []string{"Cafe\u0301 Zu\u0308rich bill"}},
		"decomposed in composed":    {"Café, café", "cafe\u0301", []string{"Café", "café"}},
		"another character":         {"Café Cafe\u0301 Cafe", "cafe", []string{"Cafe"}},
		"no-break spaces":           {nfd, "1 450 EUR", []string{"1\u00a0450\u00a0EUR"}},
		"a line break":              {nfd, "due on the 3rd", []string{"due on\nthe 3rd"}},
		"white space of any length": {"a \t\r\n\u3000b a b", "a\u2003b", []string{"a \t\r\n\u3000b", "a b"}},
		"a soft hyphen":             {"Ver\u00adtrag", "vertrag", []string{"Ver\u00adtrag"}},
		"a ligature":                {"the o\ufb03ce, o\ufb00", "office", []string{"o\ufb03ce"}},
		"part of a ligature":        {"o\ufb03ce", "off", []string{"o\ufb03"}},
		"no overlap":                {"aaaa", "aa", []string{"aa", "aa"}},
		"only what is ignored":      {"a\u00adb", "\u00ad", nil},
		"nothing":                   {"a", "", nil},
		"invalid bytes":             {"\xff\xfe a \xff", "A", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for match := range filetext.Matches([]byte(test.text), test.words) {
				rest := filetext.From([]byte(test.text), match.Start)
				found = append(found, string(rest[:len(rest)-len(filetext.From(rest, match.End-match.Start))]))
			}
			if !slices.Equal(found, test.want) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
}
