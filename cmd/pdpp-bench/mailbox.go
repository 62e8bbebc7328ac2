package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The canned mailbox: so many records of 1 kB, newest first, over a year, from a few senders. The server refuses to
// filter, to sort and to add up, as PDPP v0.1 has it.
const (
	mailboxStream  = "mails_"             // followed by the number of records
	mailboxTakes   = 2 * time.Millisecond // for a page of a stream that begins with slow_, which a server with a database hardly takes less for
	mailboxRows    = 100                  // of a page
	mailboxSize    = 1000                 // bytes of a record
	mailboxSenders = 5
	mailboxMarked  = 50 // records that the filter is for
)

// mailboxRefusals are queries that a client token may not use, by the parameter that the refusal names.
var mailboxRefusals = []struct{ parameter, named, code string }{
	{"filter[is_marked]", "filter", "invalid_request"}, {"sort", "sort", "invalid_sort"},
}

// mailbox sends a page. Its cursor is the number of the page.
func (p *provider) mailbox(w http.ResponseWriter, r *http.Request, records int) {
	query := r.URL.Query()
	for _, refused := range mailboxRefusals {
		if query.Has(refused.parameter) {
			refuse(w, refused.code, refused.named)
			return
		}
	}
	page, _ := strconv.Atoi(query.Get("cursor")) // none: the first
	rows, _ := strconv.Atoi(query.Get("limit"))
	if rows < 1 || rows > mailboxRows || page*rows >= records {
		refuse(w, "invalid_request", "limit")
		return
	}
	send(w, p.body(fmt.Sprint(mailboxStream, records, "/", rows, "/", page), func() []byte { return mailboxBody(page, rows, records) }))
}

func refuse(w http.ResponseWriter, code, parameter string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","code":%q,"message":"not supported for client-token reads in PDPP v0.1","param":%q}}`, code, parameter)
}

func mailboxBody(page, rows, records int) []byte {
	var body strings.Builder
	body.WriteString(`{"data":[`)
	for i := range rows {
		separate(&body, i)
		body.WriteString(mail(page*rows+i, records))
	}
	fmt.Fprintf(&body, `],"has_more":%t,`, (page+1)*rows < records)
	if (page+1)*rows < records {
		fmt.Fprintf(&body, `"next_cursor":"%d",`, page+1)
	}
	body.WriteString(`"object":"list","meta":{"count":{"kind":"none"},"warnings":[]}}`)
	return []byte(body.String())
}

func mail(number, records int) string {
	received := time.Date(2026, time.December, 31, 23, 0, 0, 0, time.UTC).Add(-time.Duration(number) * (364 * 24 * time.Hour / time.Duration(records)))
	head := fmt.Sprintf(`{"data":{"id":"m%06d","from_email":"sender%d@example.com","amount":%d.%02d,"is_marked":%t,`+
		`"received_at":%q,"subject":"Note number %d","snippet":"`, number, number%mailboxSenders, number*7919%1000, number%100,
		number%(records/mailboxMarked) == 0, received.Format("2006-01-02T15:04:05.000Z"), number)
	tail := fmt.Sprintf(`"},"emitted_at":"2026-12-31T23:59:59Z","id":"m%06d","object":"record","stream":"mails_%d",`+
		`"connection_id":"cin_gmail_personal","display_name":"Personal Gmail"}`, number, records)
	return head + words(mailboxSize-len(head)-len(tail)) + tail
}
