package finding_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// readyCall is a call that a result shows.
type readyCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// callLine matches a call in text.
var callLine = regexp.MustCompile(`(?m)^conversation of the first hit: (\S+) (\{.*\})$`)

// R-FIND-3: "how did the discussion about half a map end, and who said what?" takes two calls with either channel.
func TestADiscussionInTwoCalls(t *testing.T) {
	for _, reads := range resource.AllReads() {
		d := newDesk(t, reads)
		text, structured, _ := d.call(t, "search", map[string]any{"q": "half a map"})
		var found struct{ Conversation []readyCall }
		if err := json.Unmarshal([]byte(structured), &found); err != nil || len(found.Conversation) != 1 {
			t.Fatalf("%v: structured output has %+v", err, found)
		}
		line := callLine.FindStringSubmatch(text)
		if line == nil {
			t.Fatalf("no conversation in\n%s", text)
		}
		for _, call := range []readyCall{found.Conversation[0], {line[1], json.RawMessage(line[2])}} {
			text, structured, _ := d.call(t, call.Tool, call.Arguments)
			for channel, said := range map[string]string{"text": text, "structured": structured} {
				at := -1
				for _, words := range [][]string{
					{"henrik", "Two sentences each"},
					{"jonas", "half a map"},
					{"leïla", "worse than an old map"},
					{"henrik", "DECIDED: one archive"},
				} {
					next := strings.Index(said, words[1])
					if next <= at || !strings.Contains(said, words[0]) {
						t.Errorf("%s: %s has not %q in order:\n%s", reads, channel, words, said)
					}
					at = next
				}
			}
		}
	}
}

// belonging are the calls of a document for what its record belongs to.
type belonging struct {
	Conversation, Near, Related []readyCall
}

func (d desk) belonging(t *testing.T, id string) belonging {
	t.Helper()
	_, structured, _ := d.call(t, "fetch", map[string]any{"id": id})
	var document struct{ Metadata belonging }
	if err := json.Unmarshal([]byte(structured), &document); err != nil {
		t.Fatal(err)
	}
	return document.Metadata
}

// R-FIND-3: fetch offers the conversation, the records around this one and those that refer to it, as calls that work.
// The conversation of a reply begins with the message that it answers. That message has its replies.
func TestTheConversationOfARecord(t *testing.T) {
	for _, reads := range resource.AllReads() {
		d := newDesk(t, reads)
		for id, want := range map[string][3]string{
			"cin_slack_team/chat_messages:C003:1758183060.264488": {
				"Two sentences each,Tiles. A path,half a map is worse", "DECIDED: one archive,half a map is worse", "users:U003",
			},
			"cin_slack_team/chat_messages:C003:1758182640.119483": {
				"Tiles. A path,half a map is worse", "DECIDED: one archive,Two sentences each", "users:U004",
			},
			"cin_gmail_personal/messages:p-msg-066": {
				"p-msg-066,p-msg-074", "p-msg-065,p-msg-066,p-msg-068", "message_bodies",
			},
			"cin_gmail_personal/message_bodies:p-msg-066": {
				"", "message_bodies:p-msg-066", "cin_gmail_personal/messages:p-msg-066",
			},
			"cin_calendar/events:evt-20260209-2": {"", "Yoga,evt-20260209-2", "calendars:"},
		} {
			offered := d.belonging(t, id)
			for i, calls := range [][]readyCall{offered.Conversation, offered.Near, offered.Related} {
				text, rows := "", ""
				for _, call := range calls {
					inText, structured, _ := d.call(t, call.Tool, call.Arguments)
					text, rows = text+inText, rows+structured
				}
				if want[i] == "" && calls != nil {
					t.Errorf("%s: %s offers %+v", reads, id, calls)
				}
				for words := range strings.SplitSeq(want[i], ",") {
					if !strings.Contains(text, words) || !strings.Contains(rows, words) {
						t.Errorf("%s: calls %d of %s lack %q:\n%s", reads, i, id, words, text)
					}
				}
			}
		}
	}
}

// R-FIND-3, R-FETCH-3: a call for some fields is answered without what it did not ask for.
func TestAProjectionHasNoConversation(t *testing.T) {
	_, structured, _ := newDesk(t, resource.ReadsOpen).call(t, "fetch",
		map[string]any{"id": "cin_gmail_personal/messages:p-msg-066", "fields": []string{"subject"}})
	if strings.Contains(structured, "thread_id") || strings.Contains(structured, "received_at") {
		t.Errorf("fields that were not asked for: %s", structured)
	}
}

// R-FIND-4: a hit shows who wrote it and where, a transaction its counterparty and amount, an event its start, a track
// its name; a search with hits costs one search and at most five records.
func TestHitsCanBeJudged(t *testing.T) {
	d := newDesk(t, resource.ReadsV01)
	for q, want := range map[string][]string{
		"half a map":        {`"leïla"`, `"nebel"`, "2025-09-18T08:11:00"},
		"Rent":              {`"Tomasz Wilk"`, `"-920.00 EUR"`},
		"Mountain Radio":    {`"Weather at Eleven"`, `"1987 kHz"`},
		"Barometer arrives": {"2026-02-09T08:00:00"},
		"customs fee":       {`"winner@totally-real.example"`},
	} {
		text, structured, asked := d.call(t, "search", map[string]any{"q": q})
		for _, words := range want {
			if !strings.Contains(text, words) || !strings.Contains(structured, words) {
				t.Errorf("%q: a channel lacks %s:\n%s\n%s", q, words, text, structured)
			}
		}
		if others, records := parted(asked); len(others) != 2 || len(records) > 5 {
			t.Errorf("%q: asked %v, want one search, the schema and at most five records", q, asked)
		}
	}
	if _, structured, _ := d.call(t, "fetch",
		map[string]any{"id": "cin_slack_team/chat_messages:C003:1758183060.264488"}); !strings.Contains(structured,
		`"title":"Team chat / nebel / leïla / 2025-09-18T08:11:00.000Z"`) {
		t.Errorf("the title of a chat message: %s", structured)
	}
}

// R-FIND-3: the calls before and after a record begin with it, and continue with its neighbours, however dense its
// thread is.
func TestTheNeighboursInAThread(t *testing.T) {
	for _, reads := range resource.AllReads() {
		d := newDesk(t, reads)
		near := d.belonging(t, "cin_gmail_personal/messages:p-msg-066").Near
		for i, neighbour := range []string{"p-msg-065", "p-msg-068"} {
			text, _, _ := d.call(t, near[i].Tool, near[i].Arguments)
			own, next := strings.Index(text, "p-msg-066"), strings.Index(text, neighbour)
			if own < 0 || next < own {
				t.Errorf("%s: %s:\n%s", reads, near[i].Arguments, text)
			}
		}
	}
}
