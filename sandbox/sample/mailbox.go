package sample

import (
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// mailbox is one mail account of the story.
type mailbox struct {
	story        story
	connectionID string
	prefix       string // of ids
	atWork       bool
	kind         string   // of its series
	files        []string // of the story
	people       cast
	bank         *bank // whose balances and statements letters have
	random       *rand.Rand
}

// letter is a message with what other streams hold of it.
type letter struct {
	message     message
	body        messageBody
	attachments []attachment
	deleted     bool
}

// fill makes the records of the account, oldest first in every stream.
func (b mailbox) fill() ([]catalog.Record, []catalog.Blob) {
	var letters []letter
	var blobs []catalog.Blob
	add := func(l letter, content []catalog.Blob) {
		letters = append(letters, l)
		blobs = append(blobs, content...)
	}
	for _, file := range b.files {
		for _, p := range b.story.pieces(file) {
			add(b.letter(p, 0))
		}
	}
	for _, s := range b.story.seriesOf(b.kind) {
		for n := range s.times {
			add(b.letter(b.one(s, n), n+1))
		}
	}
	slices.SortStableFunc(letters, func(a, c letter) int { return strings.Compare(a.message.ReceivedAt, c.message.ReceivedAt) })
	return b.records(letters), blobs
}

// one returns the nth letter of a series, as if it stood in the story.
func (b mailbox) one(s series, n int) piece {
	p := piece{
		head:    []string{fmt.Sprintf("%s-%s-%02d", b.prefix, s.name, n+1), s.at(n).Format(time.RFC3339), s.head[2]},
		headers: map[string]string{"subject": vary(b.random, s.headers["subject"], n+1)},
		text:    vary(b.random, s.text, n+1),
	}
	for _, name := range []string{"to", "labels", "annex"} {
		p.headers[name] = s.headers[name]
	}
	if b.random.IntN(4) == 0 {
		p.headers["flags"] = "unseen"
	}
	return p
}

// letter makes what the account holds of a piece; number counts the letters of a series.
func (b mailbox) letter(p piece, number int) (letter, []catalog.Blob) {
	from := b.people.named(p.head[2])
	text := b.bank.fillIn(p.text)
	snippet := p.headers["snippet"]
	if snippet == "" {
		snippet = opening(text)
	}
	if p.headers["annex"] != "" {
		text += "\n\n" + b.story.annex(b.random, p.headers["annex"], number)
	}
	sent := instant(p.head[1])
	m := message{
		ID: p.head[0], ThreadID: b.threadOf(p), Subject: filled(p.headers["subject"]),
		FromName: &from.name, FromEmail: pointer(b.people.address(from.short, b.atWork)),
		To: b.addresses(p, "to"), Cc: b.addresses(p, "cc"), Bcc: []string{}, ReplyTo: []string{}, References: []string{},
		Date: pointer(sent.Format(time.RFC3339)), ReceivedAt: timestamp(sent), MessageID: pointer(b.messageID(p.head[0])),
		Labels: p.list("labels"), Snippet: &snippet,
		IsDraft: p.has("draft"), IsFlagged: p.has("flagged"), IsSeen: !p.has("unseen"), IsAnswered: p.has("answered"),
		HasAttachments: p.headers["attach"] != "",
	}
	if len(m.To) == 0 {
		m.To = []string{b.people.address("nora", b.atWork)}
	}
	if parent := p.headers["re"]; parent != "" {
		m.InReplyTo, m.References = pointer(b.messageID(parent)), []string{b.messageID(parent)}
	}
	l := letter{deleted: p.headers["deleted"] != ""}
	var blobs []catalog.Blob
	size := 1200 + len(text)
	for i, name := range p.list("attach") {
		a, content := b.attach(m, i+2, name)
		size += *a.SizeBytes * 4 / 3
		l.attachments, blobs = append(l.attachments, a), append(blobs, content...)
	}
	m.SizeBytes = &size
	if p.has("broken") { // what a connector could not read is null
		m.FromName, m.SizeBytes, m.MessageID, m.Date = nil, nil, nil, nil
	}
	language := from.language
	if p.headers["lang"] != "" {
		language = p.headers["lang"]
	}
	l.message, l.body = m, body(m, text, language, p.headers["html"] != "")
	return l, blobs
}

func (b mailbox) messageID(id string) string { return "<" + id + "@" + b.prefix + ".mail.example>" }

// threadOf returns the thread of the answered message. A message that answers none starts a thread: p-msg-012 starts p-thr-12.
func (b mailbox) threadOf(p piece) string {
	root := p.head[0]
	if p.headers["re"] != "" {
		root = p.headers["re"]
	}
	if p.headers["thread"] != "" {
		return p.headers["thread"]
	}
	if number, isStory := strings.CutPrefix(root, b.prefix+"-msg-"); isStory {
		return b.prefix + "-thr-" + strconv.Itoa(must(strconv.Atoi(number)))
	}
	return strings.Replace(root, b.prefix+"-", b.prefix+"-thr-", 1)
}

func (b mailbox) addresses(p piece, header string) []string {
	all := p.list(header)
	for i, who := range all {
		all[i] = b.people.address(who, b.atWork)
	}
	return all
}

// opening returns the beginning of a text as a list of mails shows it.
func opening(text string) string {
	const most = 140
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most]) + "…"
}

func body(m message, text, language string, asHTML bool) messageBody {
	made := messageBody{
		ID: m.ID, MessageID: m.ID, BodyText: text, BodyTextBytes: len(text), BodySource: "text/plain",
		Charset: "utf-8", ContentLanguages: []string{language}, MessageReceivedAt: m.ReceivedAt,
	}
	if asHTML {
		page := `<!DOCTYPE html><html lang="` + language + `"><body><p>` +
			strings.ReplaceAll(html.EscapeString(text), "\n\n", "</p><p>") + "</p></body></html>"
		made.BodyHTML, made.BodyHTMLBytes, made.BodySource = &page, pointer(len(page)), "text/html"
	}
	return made
}

// records are those of all streams. A deleted letter is a tombstone in each of them.
func (b mailbox) records(letters []letter) []catalog.Record {
	var messages, bodies, parts []catalog.Record
	for _, l := range letters {
		id := l.message.ID
		if l.deleted {
			messages = append(messages, tombstone(b.connectionID, "messages", id))
			bodies = append(bodies, tombstone(b.connectionID, "message_bodies", id))
			continue
		}
		messages = append(messages, record(b.connectionID, "messages", id, l.message))
		bodies = append(bodies, record(b.connectionID, "message_bodies", id, l.body))
		for _, a := range l.attachments {
			parts = append(parts, record(b.connectionID, "attachments", a.ID, a))
		}
	}
	all := append(messages, b.threads(letters)...)
	for _, l := range mailLabels(letters) {
		all = append(all, record(b.connectionID, "labels", l.ID, l))
	}
	return append(append(all, bodies...), parts...)
}
