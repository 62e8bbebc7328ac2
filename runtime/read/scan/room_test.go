package scan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-6: an answer reports where a reading stopped, and the next call reads the rest. This holds even if the last
// record that counts is pages before the last one that was read, when the memory of its page has been reused.
func TestStopsPagesBefore(t *testing.T) {
	server := &standIn{}
	for n := range 1_000 {
		day := n
		if n >= 150 { // 150 records of one time, to the end of the third page, and then 700 of another
			day = 150 * min(n/150, 2)
		}
		server.records = append(server.records,
			number(n, time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -day).Format(time.RFC3339), "a", 0))
	}
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 700})}
	read, err := server.call(t, env, "aggregate",
		`{"stream":"notes","connection_id":"cin_1","metric":"sum","field":"n","group_by":"kind"}`)
	if err != nil {
		t.Fatal(err)
	}
	if read.Reading.Read != 300 || read.UpTo == nil || !strings.HasSuffix(read.UpTo.ID, "r0299") ||
		read.UpTo.Time != "2026-08-03T00:00:00Z" || len(read.Next) != 1 {
		t.Fatalf("it stopped elsewhere:\n%s", read.text)
	}
	rest, err := server.call(t, env, "aggregate", string(read.Next[0].Arguments))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`"value":%d`, (300+999)*700/2); rest.Reading.Read != 700 ||
		!strings.Contains(string(rest.Data.Groups[0]), want) {
		t.Errorf("the rest is %s of\n%s\nwant %s", rest.Data.Groups, rest.text, want)
	}
}

// R-SCAN-4: the first rows may come from any page, and the reading names the last record that it read.
func TestTopOverManyPages(t *testing.T) {
	server := many(900)
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 850})}
	read, err := server.call(t, env, "query_records",
		`{"stream":"notes","connection_id":"cin_1","sort":"-n","limit":3,"fields":["n"]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(read.handles(t)); got != "[cin_1/notes:r0899 cin_1/notes:r0898 cin_1/notes:r0897]" ||
		read.UpTo == nil || !strings.HasSuffix(read.UpTo.ID, "r0050") {
		t.Errorf("rows %s\n%s", got, read.text)
	}
}
