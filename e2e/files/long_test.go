package files_test

import (
	"encoding/json"
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

var whole = flag.Bool("whole", false, "read every window of the largest text, which takes minutes")

// R-BLOB-2: a text of 16 MiB is read to its end, by the offsets that its windows show, byte for byte. Each window asks
// for the field, the record and the file once; nothing is kept between them. Without -whole only its first and its last
// windows are.
func TestLongTextToItsEnd(t *testing.T) {
	timetest.WithoutRace(t)
	var text strings.Builder
	for line := 0; text.Len() < blob.MaxText-200; line++ {
		text.WriteString(strconv.Itoa(line) + ";Käse;3,50 €;😀 Zeile mit Text\r\n")
	}
	text.WriteString(strings.Repeat("x", blob.MaxText-text.Len()))
	stored := text.String()
	p := newProvider(t)
	p.has(file{declared: "text/csv; charset=utf-8", data: []byte(stored)})

	var before, after runtime.MemStats
	most := uint64(0)
	characters, at, bytes, windows := len([]rune(stored)), 0, 0, 0
	runtime.ReadMemStats(&before)
	for offset := 0; ; windows++ {
		result, err := p.read(t.Context(), `,"limit_chars":16384,"offset_chars":`+strconv.Itoa(offset))
		if err != nil {
			t.Fatal(err)
		}
		var shown struct {
			Window struct {
				Text  string
				Total int  `json:"total_chars"`
				Next  *int `json:"next_offset_chars"`
			}
		}
		if err := json.Unmarshal(result.Structured, &shown); err != nil {
			t.Fatal(err)
		}
		if offset != at { // windows were skipped
			bytes, at = len(string([]rune(stored)[:offset])), offset
		}
		if !strings.HasPrefix(stored[bytes:], shown.Window.Text) || shown.Window.Total != characters ||
			!strings.Contains(result.Text, "]\n"+shown.Window.Text+"\n[/data ") {
			t.Fatalf("window %d at %d is not what is stored there", windows, offset)
		}
		bytes += len(shown.Window.Text)
		if runtime.ReadMemStats(&after); after.HeapInuse > most {
			most = after.HeapInuse
		}
		if shown.Window.Next == nil {
			break
		}
		if at = *shown.Window.Next; *whole || windows < 2 || at > characters-2*16384 {
			offset = at
		} else {
			offset = characters - 2*16384
		}
	}
	windows++
	if bytes != len(stored) {
		t.Errorf("%d bytes were read, want %d", bytes, len(stored))
	}
	if want := "a1 " + strconv.Itoa(windows) + ", blob_1 " + strconv.Itoa(windows) + ", field-window " +
		strconv.Itoa(windows); p.asked() != want {
		t.Errorf("the resource server was asked for %s, want %s", p.asked(), want)
	}
	t.Logf("%d windows; at most %d MiB of heap in use, %d MiB before", windows, most>>20, before.HeapInuse>>20)
}

// R-WIN-4: after a match in a file come the places of the next ones and the calls that read them.
func TestFurtherMatchesInAFile(t *testing.T) {
	p := newProvider(t)
	filler := strings.Repeat("é", 40_000)
	p.has(file{declared: "text/plain; charset=utf-8", data: []byte("a needle " + filler + " NEEDLE, needle")})
	result, err := p.read(t.Context(), `,"q":"needle","before_chars":2,"after_chars":4`)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		NextMatch []struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"next_match"`
	}
	if err := json.Unmarshal(result.Structured, &shown); err != nil || len(shown.NextMatch) != 2 {
		t.Fatalf("%v: %.600s", err, result.Structured)
	}
	const places = "q occurs again 2 times at offset_chars 40010, 40018."
	for i, offset := range []string{`"offset_chars":40008`, `"offset_chars":40016`} {
		arguments := string(shown.NextMatch[i].Arguments)
		if !strings.Contains(result.Text, places) ||
			!strings.Contains(result.Text, "next_match: read_record_field "+arguments) {
			t.Errorf("the text says %.600s", result.Text)
		}
		if !strings.Contains(arguments, offset) || !strings.Contains(arguments, `"limit_chars":12`) {
			t.Errorf("a next match is read with %s", arguments)
		}
	}
	if want := "a1 1, blob_1 1, field-window 1"; p.asked() != want {
		t.Errorf("the resource server was asked for %s, want %s", p.asked(), want)
	}
}

// R-WIN-4: the window of a match in a table starts with a line, and both channels repeat the header. So does the call
// of the next match, which leaves room for the text before it.
func TestAMatchInATable(t *testing.T) {
	p := newProvider(t)
	rows := "month,hosting,\"other, \u202etotal\"\r\n" + strings.Repeat("2025-10,4100.00,8280.00\r\n", 40)
	p.has(file{declared: "text/csv; charset=utf-8", data: []byte(rows + "2025-11,3300.00,3610.00\r\n" + rows + "2025-11,1,2\r\n")})
	result, err := p.read(t.Context(), `,"q":"2025-11","limit_chars":400`)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Field  struct{ Header string }
		Window struct {
			Text  string
			Start int `json:"start_chars"`
			Match int `json:"match_start_chars"`
		}
		NextMatch []struct {
			Arguments struct {
				Offset int `json:"offset_chars"`
			}
		} `json:"next_match"`
	}
	if err := json.Unmarshal(result.Structured, &shown); err != nil || len(shown.NextMatch) != 1 {
		t.Fatalf("%v: %.600s", err, result.Structured)
	}
	if shown.Field.Header != "month,hosting,\"other, \u202etotal\"" {
		t.Errorf("the header is %q", shown.Field.Header)
	}
	if want := `header="month,hosting,\"other, \u202etotal\""`; !strings.Contains(result.Text, "\n"+want+"\n") {
		t.Errorf("the text lacks %s: %.600s", want, result.Text)
	}
	if lead := shown.Window.Match - shown.Window.Start; !strings.HasPrefix(shown.Window.Text, "2025-10,") || lead < 60 || lead > 90 {
		t.Errorf("%d characters before the match: %.100q", lead, shown.Window.Text)
	}
	second := strings.LastIndex(strings.ReplaceAll(rows+"2025-11,3300.00,3610.00\r\n"+rows+"2025-11", "\u202e", "x"), "2025-11")
	if lead := second - shown.NextMatch[0].Arguments.Offset; lead < 50 {
		t.Errorf("the next match is read from %d characters before it", lead)
	}
}
