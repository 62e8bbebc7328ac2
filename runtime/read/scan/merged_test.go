package scan_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// timed is a row with its time.
type timed struct{ handle, at string }

// timesOf returns the rows that match, newest first, read one connection at a time.
func timesOf(t *testing.T, c caller, filter string) []timed {
	t.Helper()
	var all []timed
	for _, connection := range []string{"cin_gmail_personal", "cin_gmail_work"} {
		read := c.call(t, "query_records", fmt.Sprintf(
			`{"stream":"messages","connection_id":%q,"filter":%s,"limit":100,"fields":["received_at"]}`, connection, filter))
		for i, handle := range read.handles(t) {
			var row struct {
				Data struct {
					At string `json:"received_at"`
				}
			}
			if err := json.Unmarshal(read.Data.Data[i], &row); err != nil || row.Data.At == "" || read.Data.HasMore {
				t.Fatalf("%v: %s", err, read.text)
			}
			all = append(all, timed{handle, row.Data.At})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(b.at, a.at) })
	return all
}

// R-SCAN-6, R-SCAN-7: rows of several connections are one list in the order of time, in either direction, whichever fields are requested and
// however few records a call may read. up_to has a time up to which every connection was read.
func TestConnectionsAreMergedByTime(t *testing.T) {
	const filter = `{"is_seen":false}`
	newest := timesOf(t, newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000), filter)
	oldest := slices.Clone(newest)
	slices.SortStableFunc(oldest, func(a, b timed) int { return cmp.Compare(a.at, b.at) })
	if len(newest) < 10 {
		t.Fatalf("%d rows", len(newest))
	}
	box := sandboxOf(t, resource.ReadsV01, "everything")
	for name, test := range map[string]struct {
		arguments, unread string
		want              []timed
	}{
		"by default":      {`"fields":["subject"]`, "older ones", newest},
		"newest first":    {`"order":"desc"`, "older ones", newest},
		"sorted":          {`"sort":"-received_at","fields":["subject"]`, "older ones", newest},
		"oldest first":    {`"order":"asc","fields":["subject"]`, "newer ones", oldest},
		"sorted, rising":  {`"sort":"received_at"`, "newer ones", oldest},
		"counted":         {`"count":"exact","fields":["subject"]`, "older ones", newest},
		"with every time": {`"fields":["received_at"]`, "older ones", newest},
	} {
		for _, most := range []int{20_000, 90, 3} {
			t.Run(fmt.Sprintf("%s, --read-on %d", name, most), func(t *testing.T) {
				c := newCaller(box, most)
				at := map[string]string{}
				for _, row := range test.want {
					at[row.handle] = row.at
				}
				arguments := fmt.Sprintf(`{"stream":"messages","filter":%s,"limit":4,%s}`, filter, test.arguments)
				var times []string
				seen := map[string]bool{}
				for next := arguments; next != ""; {
					read := c.call(t, "query_records", next)
					for _, handle := range read.handles(t) {
						times, seen[handle] = append(times, at[handle]), true
					}
					if !read.Reading.Complete && name != "counted" { // counting continues after the page
						checkUpTo(t, read, test.want, seen, test.unread)
					}
					if next = ""; read.Data.HasMore {
						next = string(read.Next[0].Arguments)
					}
				}
				var want []string
				for _, row := range test.want {
					want = append(want, row.at)
				}
				if !slices.Equal(times, want) || len(seen) != len(want) {
					t.Errorf("times %q of %d records, want %q", times, len(seen), want)
				}
			})
		}
	}
}

// checkUpTo checks that every matching row up to the time of up_to was shown.
func checkUpTo(t *testing.T, read page, want []timed, seen map[string]bool, unread string) {
	t.Helper()
	switch {
	case read.UpTo == nil:
		if len(seen) > 0 {
			t.Errorf("no up_to: %s", read.text)
		}
		return
	case read.UpTo.Time == "" || !strings.Contains(read.text, "up to up_to; "+unread+" have not been read yet."):
		t.Errorf("no time of up_to, or not %q: %s", unread, read.text)
	}
	for _, row := range want {
		isPassed := row.at > read.UpTo.Time
		if unread == "newer ones" {
			isPassed = row.at < read.UpTo.Time
		}
		if isPassed && !seen[row.handle] {
			t.Errorf("up to %s, and %s of %s is not shown", read.UpTo.Time, row.handle, row.at)
		}
	}
}

// R-QRY-5, R-SCAN-6: connections whose records have no time to merge them by are read one after another, and the result says so, and which
// were not read to their ends.
func TestConnectionsWithoutATime(t *testing.T) {
	box := sandboxOf(t, resource.ReadsV01, "everything")
	c := newCaller(box, 20_000)
	const arguments = `{"stream":"labels","filter":{"is_system":false},"limit":%d,"fields":["id"]}`
	read := c.call(t, "query_records", fmt.Sprintf(arguments, 3))
	const separate = "The connections are read one after another: this is not one timeline."
	for _, said := range []string{separate, "not read to their ends: cin_gmail_personal, cin_gmail_work."} {
		if !strings.Contains(read.text, said) || !strings.Contains(read.Note+read.Reading.Note, said) {
			t.Errorf("not said: %s\n%s", said, read.text)
		}
	}
	if strings.Contains(read.text, "up to up_to") {
		t.Errorf("up_to of several connections: %s", read.text)
	}
	for hasPassed := false; read.Data.HasMore; {
		read = c.call(t, "query_records", string(read.Next[0].Arguments))
		handles := read.handles(t)
		hasPassed = hasPassed || len(handles) > 0 && strings.HasPrefix(handles[0], "cin_gmail_work")
		if isFirst := strings.Contains(read.text, "ends: cin_gmail_personal"); hasPassed && isFirst || !strings.Contains(read.text, separate) {
			t.Fatalf("%s", read.text)
		}
	}
	if none := c.call(t, "query_records", `{"stream":"labels","filter":{"name":"none"}}`); strings.Contains(none.text, separate) {
		t.Errorf("no rows have an order: %s", none.text)
	}
}

// otherSchema sends another schema than its reader.
type otherSchema struct {
	rs.Reader
	body string
}

func (o otherSchema) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if strings.HasSuffix(string(request.Path), "/schema") {
		return sent(ctx, []byte(o.body), request)
	}
	return o.Reader.Get(ctx, request)
}

// R-ERR-7: a time that only some connections have is not requested of all of them, because the others would refuse it.
func TestTimeOfSomeConnections(t *testing.T) {
	const connector = `{"connector_key":%q,"granted_connections":[{"connection_id":%q}],"streams":[{"name":"messages",
		"schema":{"properties":{"id":{"type":"string"},"subject":{"type":"string"},"from_name":{"type":"string"}%s}}}]}`
	without := fmt.Sprintf(connector, "gmail", "cin_gmail_personal", "")
	with := fmt.Sprintf(connector, "other", "cin_gmail_work", `,"received_at":{"type":"string","format":"date-time"}`)
	for _, connectors := range []string{without + "," + with, with + "," + without} {
		box := sandboxOf(t, resource.ReadsV01, "everything")
		box.Reader = otherSchema{box.Reader, `{"connectors":[` + connectors + `]}`}
		newCaller(box, 20_000).call(t, "query_records",
			`{"stream":"messages","filter":{"from_name":"Leïla Haddad"},"fields":["subject"],"limit":1}`)
		requests := 0
		for _, asked := range box.taken() {
			if strings.Contains(asked, "/records?") && strings.Contains(asked, "fields=subject") {
				requests++
				if strings.Contains(asked, "received_at") {
					t.Errorf("%s", asked)
				}
			}
		}
		if requests == 0 {
			t.Errorf("no page was read: %q", box.taken())
		}
	}
}
