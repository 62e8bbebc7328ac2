package sample

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// mailbox is one mail account: recent messages in English with fixed ids and times, and older ones
// in many languages.
type mailbox struct {
	connectionID  string
	prefix        string // of ids
	owner         string // address
	recent        int
	older         int
	deletedThread int // 0: none
}

func personalMailbox() mailbox {
	return mailbox{connectionID: PersonalMail, prefix: "p", owner: "me@example.com", recent: 60, older: 200, deletedThread: 20}
}

func workMailbox() mailbox {
	return mailbox{connectionID: WorkMail, prefix: "w", owner: "me@work.example", recent: 12, older: 88}
}

// letter is a message with what other streams hold of it.
type letter struct {
	message     message
	body        messageBody
	attachments []attachment
}

// fill makes the records of the account, oldest first in every stream.
func (b mailbox) fill(r *rand.Rand) ([]catalog.Record, []catalog.Blob) {
	var letters []letter
	var blobs []catalog.Blob
	add := func(l letter, content []catalog.Blob) {
		letters = append(letters, l)
		blobs = append(blobs, content...)
	}
	for n := b.older; n >= 1; n-- {
		add(b.olderLetter(r, n))
	}
	add(b.sharedLetter(), nil)
	for n := 1; n <= b.recent; n++ {
		add(b.recentLetter(r, n))
	}

	var records []catalog.Record
	for _, l := range letters {
		records = append(records, record(b.connectionID, "messages", l.message.ID, l.message))
	}
	records = append(records, b.threads(letters)...)
	for _, l := range systemLabels() {
		records = append(records, record(b.connectionID, "labels", l.ID, l))
	}
	for _, l := range letters {
		records = append(records, record(b.connectionID, "message_bodies", l.body.ID, l.body))
	}
	for _, l := range letters {
		for _, a := range l.attachments {
			records = append(records, record(b.connectionID, "attachments", a.ID, a))
		}
	}
	return records, blobs
}

// recentLetter is the nth day of 2026. Every fifth tells of an overdraft, every tenth has two
// attachments.
func (b mailbox) recentLetter(r *rand.Rand, n int) (letter, []catalog.Blob) {
	id := fmt.Sprintf("%s-msg-%03d", b.prefix, n)
	received := timestamp(time.Date(2026, time.January, 1+n, 9, n%60, 0, 0, time.UTC))
	name, email := "Ada Lovelace", "ada@example.com"
	if n%2 == 0 {
		name, email = "Grace Hopper", "grace@example.com"
	}
	subject := fmt.Sprintf("%s note %d about %s", b.prefix, n, words(r, 1))
	snippet := words(r, 12)
	if n%5 == 0 {
		subject = fmt.Sprintf("Overdraft notice number %d", n)
		snippet = fmt.Sprintf("Your account had an overdraft of %d dollars at Café Zürich — please review.", n)
	}
	labels := []string{"INBOX"}
	if n%4 == 0 {
		labels = append(labels, "STARRED")
	}
	m := message{
		ID: id, ThreadID: fmt.Sprintf("%s-thr-%d", b.prefix, (n+2)/3), Subject: &subject, FromName: &name, FromEmail: &email,
		To: []string{b.owner}, Cc: []string{}, Bcc: []string{}, ReplyTo: []string{},
		Date: &received, ReceivedAt: received, MessageID: pointer("<" + id + "@example.com>"), References: []string{},
		SizeBytes: pointer(1000 + 10*n), Labels: labels,
		IsFlagged: n%4 == 0, IsSeen: n%3 != 0, IsAnswered: n%12 == 0, HasAttachments: n%10 == 0, Snippet: &snippet,
	}
	l := letter{message: m, body: body(m, recentText(r, n), "en")}
	if !m.HasAttachments {
		return l, nil
	}
	kinds := enclosures(r, id)
	first, blobs := attach(b.connectionID, m, 2, kinds[(n/10-1)%len(kinds)], true)
	second, _ := attach(b.connectionID, m, 3, kinds[0], false)
	l.attachments = []attachment{first, second}
	return l, blobs
}

// recentText is short for most messages, 8 kB and more for every fifth, and over 200 kB for one.
// A long text says in its middle that an overdraft fee was waived.
func recentText(r *rand.Rand, n int) string {
	if n%5 != 0 {
		return words(r, 40)
	}
	length := 480 + 60*n
	if n == 30 {
		length = 28000
	}
	return words(r, length) + " the overdraft fee was waived " + words(r, length)
}

// olderLetter is the nth letter before 2026, in a language that changes from letter to letter. Four
// letters make a thread; its later ones refer to the first.
func (b mailbox) olderLetter(r *rand.Rand, n int) (letter, []catalog.Blob) {
	spoken := languages()
	tongue := spoken[n%len(spoken)]
	id := fmt.Sprintf("%s-old-%03d", b.prefix, n)
	sent := time.Date(2025, time.December, 31, 20, 0, 0, 0, time.UTC).Add(-time.Duration(n) * 31 * time.Hour)
	snippet := tongue.sentences[r.IntN(len(tongue.sentences))]
	m := message{
		ID: id, ThreadID: fmt.Sprintf("%s-thr-old-%d", b.prefix, (n+3)/4), Subject: pointer(tongue.subjects[r.IntN(len(tongue.subjects))]),
		FromName: pointer(tongue.name), FromEmail: pointer(tongue.email),
		To: []string{b.owner}, Cc: []string{}, Bcc: []string{}, ReplyTo: []string{tongue.email},
		Date: pointer(sent.In(tongue.zone).Format(time.RFC3339)), ReceivedAt: timestamp(sent.Add(90 * time.Second)),
		MessageID: pointer("<" + id + "@example.com>"), References: []string{},
		SizeBytes: pointer(800 + r.IntN(60000)), Labels: []string{"INBOX", "Receipts/2025"},
		IsDraft: n%50 == 0, IsFlagged: r.IntN(9) == 0, IsSeen: r.IntN(4) != 0, IsAnswered: r.IntN(5) == 0,
		HasAttachments: n%6 == 0, Snippet: &snippet,
	}
	if n%4 != 0 {
		parent := fmt.Sprintf("<%s-old-%03d@example.com>", b.prefix, (n+3)/4*4)
		m.InReplyTo, m.References = &parent, []string{parent}
	}
	if n%25 == 0 { // what a connector could not read is null
		m.Subject, m.FromName, m.SizeBytes, m.Snippet = nil, nil, nil, nil
	}
	size := 400 + r.IntN(1200)
	if n%12 == 0 {
		size = 12000 + r.IntN(28000)
	}
	l := letter{message: m, body: body(m, tongue.prose(r, size), tongue.tag)}
	if !m.HasAttachments {
		return l, nil
	}
	kinds := enclosures(r, id)
	a, blobs := attach(b.connectionID, m, 2, kinds[n/6%len(kinds)], true)
	l.attachments = []attachment{a}
	return l, blobs
}

// sharedLetter has the same id in every account.
func (b mailbox) sharedLetter() letter {
	at := timestamp(time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC))
	m := message{
		ID: SharedID, ThreadID: SharedID, Subject: pointer("😀 emoji subject in " + b.connectionID),
		To: []string{"me@example.com", "me@work.example"}, Cc: []string{}, Bcc: []string{}, ReplyTo: []string{},
		ReceivedAt: at, References: []string{}, SizeBytes: pointer(512), Labels: []string{"INBOX"}, IsSeen: true,
		Snippet: pointer("The same message reached both accounts."),
	}
	return letter{message: m, body: body(m, "The same message reached both accounts. 😀 e\u0301", "en")}
}

func body(m message, content, tag string) messageBody {
	made := messageBody{
		ID: m.ID, MessageID: m.ID, BodyText: content, BodyTextBytes: len(content), BodySource: "text/plain",
		Charset: "utf-8", ContentLanguages: []string{tag}, MessageReceivedAt: m.ReceivedAt,
	}
	if tag != "en" && len(content) < 1000 {
		html := "<html><body lang=\"" + tag + "\"><p>" + content + "</p></body></html>"
		made.BodyHTML, made.BodyHTMLBytes, made.BodySource = &html, pointer(len(html)), "text/html"
	}
	return made
}

// threads sums letters up, in order of their first letter.
func (b mailbox) threads(letters []letter) []catalog.Record {
	byID := map[string]*thread{}
	var order []*thread
	for _, l := range letters {
		m := l.message
		t, found := byID[m.ThreadID]
		if !found {
			t = &thread{ID: m.ThreadID, Subject: m.Subject, ParticipantEmails: []string{}, FirstMessageDate: m.ReceivedAt, Labels: m.Labels}
			byID[m.ThreadID] = t
			order = append(order, t)
		}
		if m.FromEmail != nil && !slices.Contains(t.ParticipantEmails, *m.FromEmail) {
			t.ParticipantEmails = append(t.ParticipantEmails, *m.FromEmail)
		}
		t.MessageCount++
		t.LastMessageDate = m.ReceivedAt
		t.HasAttachments = t.HasAttachments || m.HasAttachments
		if !m.IsSeen {
			t.UnreadCount++
		}
		if m.IsFlagged {
			t.FlaggedCount++
		}
	}
	deleted := b.prefix + "-thr-" + strconv.Itoa(b.deletedThread)
	records := make([]catalog.Record, len(order))
	for i, t := range order {
		if t.ID == deleted {
			records[i] = tombstone(b.connectionID, "threads", t.ID)
			continue
		}
		records[i] = record(b.connectionID, "threads", t.ID, t)
	}
	return records
}

func systemLabels() []label {
	return []label{
		{ID: "INBOX", Name: "Inbox", IsSystem: true},
		{ID: "STARRED", Name: "Starred", IsSystem: true},
		{ID: "Receipts/2025", Name: "Receipts 2025", Color: pointer("#16a765")},
		{ID: "Familie & Freunde", Name: "Familie & Freunde", Color: pointer("#fb4c2f")},
	}
}

func pointer[T any](v T) *T { return &v }
