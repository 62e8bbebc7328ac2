package sample

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

const chatMessageCount = 1300

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
	UserID       string   `json:"user_id"`
	Text         string   `json:"text"`
	SentAt       string   `json:"sent_at"`
	EditedAt     *string  `json:"edited_at"`
	ThreadRootID *string  `json:"thread_root_id"`
	Reactions    []string `json:"reactions"`
	ReplyCount   int      `json:"reply_count"`
	IsPinned     bool     `json:"is_pinned"`
}

type user struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Email    *string `json:"email"`
	TimeZone *string `json:"time_zone"`
	Title    *string `json:"title"`
	IsBot    bool    `json:"is_bot"`
}

var channelNames = []string{"general", "random", "release-planning", "bürobedarf", "東京-office", "incidents", "lunch 🍜", "finance"}

// conversations makes the records of the team chat, oldest first in every stream.
func conversations(r *rand.Rand) []catalog.Record {
	rooms, people := team()
	var records []catalog.Record
	for _, c := range rooms {
		records = append(records, record(TeamChat, "channels", c.ID, c))
	}
	records = append(records, chat(r, rooms, people)...)
	for _, u := range people {
		records = append(records, record(TeamChat, "users", u.ID, u))
	}
	return records
}

func team() ([]channel, []user) {
	rooms := make([]channel, len(channelNames))
	for n, name := range channelNames {
		rooms[n] = channel{
			ID: fmt.Sprintf("C%03d", n+1), Name: name, MemberCount: 25 - 2*n, IsPrivate: name == "finance",
			CreatedAt: timestamp(time.Date(2024, time.February, 1+n, 10, 0, 0, 0, time.UTC)),
		}
		if n%3 != 2 {
			rooms[n].Topic = pointer("All about " + name)
		}
	}
	spoken := languages()
	people := make([]user, 24)
	for n := range people {
		tongue := spoken[n%len(spoken)]
		people[n] = user{
			ID: fmt.Sprintf("U%03d", n+1), Name: tongue.name, Email: pointer(fmt.Sprintf("u%d@work.example", n+1)),
			TimeZone: pointer(tongue.zone.String()), Title: pointer("Keeper of the " + nouns[n%len(nouns)]),
		}
		if n%12 == 11 {
			people[n] = user{ID: people[n].ID, Name: fmt.Sprintf("build bot %d", n), IsBot: true}
		}
	}
	return rooms, people
}

// chat makes messages of 2025 and 2026. Ids are those of the channel and the time, with a colon
// between, and the tenth last message was deleted.
func chat(r *rand.Rand, rooms []channel, people []user) []catalog.Record {
	spoken := languages()
	at := time.Date(2025, time.September, 1, 8, 0, 0, 0, time.UTC)
	records := make([]catalog.Record, chatMessageCount)
	roots := map[string]string{} // by channel
	for n := range records {
		at = at.Add(time.Duration(5+r.IntN(500)) * time.Minute)
		room, author := rooms[r.IntN(len(rooms))], r.IntN(len(people))
		m := chatMessage{
			ID: fmt.Sprintf("%s:%d.%06d", room.ID, at.Unix(), n), ChannelID: room.ID, UserID: people[author].ID,
			Text:   spoken[author%len(spoken)].sentences[r.IntN(3)] + " " + words(r, 2+r.IntN(10)),
			SentAt: timestamp(at), Reactions: []string{}, IsPinned: r.IntN(60) == 0,
		}
		switch {
		case n%90 == 45:
			m.Text = "The overdraft of the project account was cleared, see the protocol of the meeting."
		case n%97 == 13:
			m.Text = "`SELECT 1 < 2 && \"a\\b\"`\n<script>not run</script>\ttab & quote"
		}
		if r.IntN(8) == 0 {
			m.Reactions = []string{"👍🏽", "tada"}
		}
		if r.IntN(10) == 0 {
			edited := at.Add(3 * time.Minute).In(spoken[author%len(spoken)].zone).Format(time.RFC3339)
			m.EditedAt = &edited
		}
		if root, found := roots[room.ID]; found && r.IntN(3) == 0 {
			m.ThreadRootID = &root
		} else {
			m.ReplyCount = r.IntN(4)
			roots[room.ID] = m.ID
		}
		records[n] = record(TeamChat, "chat_messages", m.ID, m)
	}
	deleted := &records[len(records)-10]
	*deleted = tombstone(TeamChat, "chat_messages", deleted.Key)
	return records
}
