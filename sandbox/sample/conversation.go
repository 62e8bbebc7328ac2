package sample

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

type channel struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Topic       *string `json:"topic"`
	MemberCount int     `json:"member_count"`
	IsPrivate   bool    `json:"is_private"`
	CreatedAt   string  `json:"created_at"`
}

type chatMessage struct {
	ID           string   `json:"id"`
	ChannelID    string   `json:"channel_id"`
	ChannelName  string   `json:"channel_name"`
	UserID       string   `json:"user_id"`
	UserName     string   `json:"user_name"`
	Text         string   `json:"text"`
	SentAt       string   `json:"sent_at"`
	EditedAt     *string  `json:"edited_at"`
	ThreadRootID *string  `json:"thread_root_id"`
	Reactions    []string `json:"reactions"`
	ReplyCount   int      `json:"reply_count"`
	IsPinned     bool     `json:"is_pinned"`

	deleted bool
}

type user struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	RealName *string `json:"real_name"`
	Email    *string `json:"email"`
	TimeZone *string `json:"time_zone"`
	IsBot    bool    `json:"is_bot"`
}

// talk is the team chat while it is made.
type talk struct {
	story    story
	people   cast
	channels []channel
	users    []user
	messages []*chatMessage
}

// conversations makes the records of the team chat, oldest first in every stream.
func conversations(s story, r *rand.Rand, people cast) []catalog.Record {
	t := &talk{story: s, people: people}
	t.meet()
	t.readChat()
	t.chatter(r)
	slices.SortStableFunc(t.messages, func(a, b *chatMessage) int { return strings.Compare(a.SentAt+a.ID, b.SentAt+b.ID) })
	var records []catalog.Record
	for _, c := range t.channels {
		records = append(records, record(TeamChat, "channels", c.ID, c))
	}
	for _, m := range t.messages {
		if m.deleted {
			records = append(records, tombstone(TeamChat, "chat_messages", m.ID))
		} else {
			records = append(records, record(TeamChat, "chat_messages", m.ID, m))
		}
	}
	for _, u := range t.users {
		records = append(records, record(TeamChat, "users", u.ID, u))
	}
	return records
}

// meet reads who is there, and the channels.
func (t *talk) meet() {
	for _, row := range t.story.rows("people") {
		if p := t.people.named(row[0]); p.chat != "" {
			zone := "Europe/Berlin"
			if p.short == "aiko" {
				zone = t.story.facts["partner_zone"]
			}
			t.users = append(t.users, user{
				ID: fmt.Sprintf("U%03d", len(t.users)+1), Name: p.chat, RealName: &p.name, Email: filled(p.work), TimeZone: &zone,
			})
		}
	}
	for _, row := range t.story.rows("chat") {
		switch row[0] {
		case "channel":
			t.channels = append(t.channels, channel{
				ID: row[1], Name: row[2], Topic: filled(row[3]), MemberCount: 7, CreatedAt: timestamp(instant(row[4])), IsPrivate: row[5] == "private",
			})
		case "bot":
			t.users = append(t.users, user{ID: row[1], Name: row[2], IsBot: true})
		}
	}
}

var (
	chatDay     = regexp.MustCompile(`^# (.+) (\d{4}-\d\d-\d\d)$`)
	chatLine    = regexp.MustCompile(`^( *)(\d\d:\d\d) ([^:]+): (.*?)(?: \{([^{}]*)\})?$`)
	chatEdition = regexp.MustCompile(`edited (\d\d:\d\d)`)
)

// readChat reads the messages of the chat.
func (t *talk) readChat() {
	var room, day string
	var root *chatMessage
	for line := range strings.Lines(t.story.text("chat")) {
		line = strings.TrimRight(line, "\n")
		if begun := chatDay.FindStringSubmatch(line); begun != nil {
			room, day, root = begun[1], begun[2], nil
			continue
		}
		said := chatLine.FindStringSubmatch(line)
		if said == nil {
			continue
		}
		if said[1] == "" {
			root = nil
		}
		m := t.say(room, said[3], atBerlin(day, said[2]), said[4], said[3]+said[4], root)
		if root == nil {
			root = m
		}
		m.mark(day, said[5])
	}
}

// mark reads what stands at the end of a line: an edition, a pin, a deletion, reactions.
func (m *chatMessage) mark(day, marks string) {
	if edited := chatEdition.FindStringSubmatch(marks); edited != nil {
		m.EditedAt = pointer(atBerlin(day, edited[1]).Format(time.RFC3339))
		marks = strings.Replace(marks, edited[0], "", 1)
	}
	for _, mark := range strings.Fields(marks) {
		switch mark {
		case "pinned":
			m.IsPinned = true
		case "deleted":
			m.deleted = true
		default:
			m.Reactions = append(m.Reactions, mark)
		}
	}
}

// chatter fills the channels with what is said on any day.
func (t *talk) chatter(r *rand.Rand) {
	for _, s := range t.story.seriesOf("chat") {
		openings, answers := s.lines()
		var names []string
		for _, short := range strings.Split(s.head[3], ", ") {
			names = append(names, t.people.named(short).chat)
		}
		for n := range s.times {
			at := s.at(n).Add(time.Duration(r.IntN(90)) * time.Minute)
			place := fmt.Sprint(s.name, n)
			root := t.say(s.head[2], pick(r, names), at, vary(r, pick(r, openings), n+1), place, nil)
			for i := range r.IntN(3) {
				at = at.Add(time.Duration(1+r.IntN(15)) * time.Minute)
				t.say(s.head[2], pick(r, names), at, vary(r, pick(r, answers), n+1), fmt.Sprint(place, i), root)
			}
		}
	}
}

// say adds a message. Its id is that of the channel and the time, with a colon between, as Slack makes them;
// place keeps two of one second apart.
func (t *talk) say(room, name string, at time.Time, text, place string, root *chatMessage) *chatMessage {
	digest := fnv.New32a()
	digest.Write([]byte(place))
	c := t.channels[slices.IndexFunc(t.channels, func(c channel) bool { return c.Name == room })]
	u := t.users[slices.IndexFunc(t.users, func(u user) bool { return u.Name == name })]
	m := &chatMessage{
		ID: fmt.Sprintf("%s:%d.%06d", c.ID, at.Unix(), digest.Sum32()%1e6), ChannelID: c.ID, ChannelName: c.Name,
		UserID: u.ID, UserName: u.Name, Text: text, SentAt: timestamp(at), Reactions: []string{},
	}
	if root != nil {
		m.ThreadRootID = &root.ID
		root.ReplyCount++
	}
	t.messages = append(t.messages, m)
	return m
}

// atBerlin returns a day and a time by the clock of Berlin.
func atBerlin(day, clock string) time.Time {
	return must(time.ParseInLocation("2006-01-02 15:04", day+" "+clock, berlin))
}
