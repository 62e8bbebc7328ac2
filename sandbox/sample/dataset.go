// Package sample makes the data that the sandbox serves: two mail accounts, a music account and a
// team chat, all invented. The same seed always makes the same bytes.
//
// The first sixty personal messages and the first twelve work messages have fixed ids, times and
// subjects, so that scripts and recorded exchanges can name them whatever the seed is. The data also
// holds what is awkward on purpose: ids with colons, slashes, quotes and spaces, compound keys,
// several scripts, combining marks, long bodies, nulls, offsets of many time zones, deleted records
// and one id that two connections share.
package sample

import (
	"math/rand/v2"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Ids of the connections that every dataset has.
const (
	PersonalMail = "cin_gmail_personal"
	WorkMail     = "cin_gmail_work"
	Music        = "cin_spotify"
	TeamChat     = "cin_slack_team"
)

// SharedID is the id of a thread and of a message that both mail connections hold.
const SharedID = "shared-1"

// emittedAt is when every record was collected; one instant keeps the data independent of the clock.
var emittedAt = time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)

// Dataset returns about 7,800 records of four connections. It is a pure function of seed.
func Dataset(seed uint64) catalog.Dataset {
	set := catalog.Dataset{
		Connectors: []catalog.Connector{gmail(), spotify(), slack()},
		Connections: []catalog.Connection{
			{ID: PersonalMail, ConnectorKey: "gmail", DisplayName: "Personal Gmail"},
			{ID: WorkMail, ConnectorKey: "gmail", DisplayName: "Work Gmail"},
			{ID: Music, ConnectorKey: "spotify", DisplayName: "Spotify"},
			{ID: TeamChat, ConnectorKey: "slack", DisplayName: "Team chat"},
		},
	}
	for _, box := range []mailbox{personalMailbox(), workMailbox()} {
		records, blobs := box.fill(source(seed, box.connectionID))
		set.Records = append(set.Records, records...)
		set.Blobs = append(set.Blobs, blobs...)
	}
	set.Records = append(set.Records, listening(source(seed, Music))...)
	set.Records = append(set.Records, conversations(source(seed, TeamChat))...)
	return set
}

// source gives every connection its own random numbers, so that a change of one does not move the
// others.
func source(seed uint64, connectionID string) *rand.Rand {
	var stream uint64
	for _, c := range []byte(connectionID) {
		stream = stream*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, stream))
}
