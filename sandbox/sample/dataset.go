// Package sample makes the data that the sandbox serves: a year of Nora Weiss, who is invented. She draws maps in
// Berlin, loses a flat and finds one, goes to Japan, is overdrawn, and waits for a barometer.
//
// Person makes other persons, whose story is drawn from the templates in story/generated.
//
// The story stands in the folder story, as text; FACTS.md says what can be known from it, and a test holds it to the
// data. What happens between is filled in by the seed. The same seed always makes the same bytes, and another one
// the same story. The data also holds what is awkward on purpose: ids with colons, slashes, quotes and spaces,
// compound keys, several scripts, combining marks, long bodies, nulls, offsets of many time zones, deleted records,
// texts that pose as something else, and one id that two connections share.
package sample

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Ids of the connections that every dataset has.
const (
	PersonalMail = "cin_gmail_personal"
	WorkMail     = "cin_gmail_work"
	Music        = "cin_spotify"
	TeamChat     = "cin_slack_team"
	Forge        = "cin_github"
	Calendar     = "cin_calendar"
	Bank         = "cin_fjordbank"
)

// What tests name.
const (
	// PersonalMessages is the number of messages in the private mailbox, for any seed.
	PersonalMessages = 271
	// SharedID is the id of a thread and of a message that both mail connections hold.
	SharedID = "shared-1"
	// LongLetter is the message, and its body, of more than 400 kB: the diaries of Nora's grandfather.
	LongLetter = "p-msg-034"
	// LongLetterWords find the long letter, among a few others.
	LongLetterWords = "Möwe"
)

// emittedAt is when every record was collected; one instant keeps the data independent of the clock.
var emittedAt = time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)

// Dataset returns about 5,500 records of seven connections. It is a pure function of seed.
func Dataset(seed uint64) catalog.Dataset { return nora(seed).dataset() }

func (s story) dataset() catalog.Dataset {
	set := catalog.Dataset{
		Connectors: []catalog.Connector{gmail(), spotify(), slack(), github(), googleCalendar(), fjordbank()},
		Connections: []catalog.Connection{
			{ID: PersonalMail, ConnectorKey: "gmail", DisplayName: "Personal Gmail"},
			{ID: WorkMail, ConnectorKey: "gmail", DisplayName: "Work Gmail"},
			{ID: Music, ConnectorKey: "spotify", DisplayName: "Spotify"},
			{ID: TeamChat, ConnectorKey: "slack", DisplayName: "Team chat"},
			{ID: Forge, ConnectorKey: "github", DisplayName: "GitHub"},
			{ID: Calendar, ConnectorKey: "google_calendar", DisplayName: "Calendar"},
			{ID: Bank, ConnectorKey: "fjordbank", DisplayName: "Fjordbank"},
		},
	}
	people, money := s.cast(), openBank(s, source(s.seed, Bank))
	for _, box := range []mailbox{
		{connectionID: PersonalMail, prefix: "p", kind: "mail", files: []string{"mail_personal_1", "mail_personal_2"}},
		{connectionID: WorkMail, prefix: "w", kind: "work", files: []string{"mail_work"}, atWork: true},
	} {
		box.story, box.people, box.bank, box.random = s, people, money, source(s.seed, box.connectionID)
		records, blobs := box.fill()
		set.Records = append(set.Records, records...)
		set.Blobs = append(set.Blobs, blobs...)
	}
	set.Records = append(set.Records, listening(s, source(s.seed, Music))...)
	set.Records = append(set.Records, conversations(s, source(s.seed, TeamChat), people)...)
	set.Records = append(set.Records, forge(s, source(s.seed, Forge), people)...)
	set.Records = append(set.Records, agenda(s, people)...)
	set.Records = append(set.Records, money.records()...)
	return set
}

// Shared is Dataset(1), made once in a process for all who only read it.
var Shared = sync.OnceValue(func() catalog.Dataset { return Dataset(1) })

// source returns the random numbers of a connection, so that a change of one connection does not change the others.
func source(seed uint64, connectionID string) *rand.Rand {
	var stream uint64
	for _, c := range []byte(connectionID) {
		stream = stream*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, stream))
}
