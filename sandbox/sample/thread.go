package sample

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// threads sums letters up, in order of their first letter.
func (b mailbox) threads(letters []letter) []catalog.Record {
	byID := map[string]*thread{}
	var order []*thread
	deleted := map[string]bool{}
	for _, l := range letters {
		m := l.message
		t, found := byID[m.ThreadID]
		if !found {
			t = &thread{ID: m.ThreadID, Subject: m.Subject, ParticipantEmails: []string{}, FirstMessageDate: m.ReceivedAt, Labels: m.Labels}
			byID[m.ThreadID] = t
			order = append(order, t)
		}
		deleted[t.ID] = l.deleted
		if !slices.Contains(t.ParticipantEmails, *m.FromEmail) {
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
	records := make([]catalog.Record, len(order))
	for i, t := range order {
		if deleted[t.ID] {
			records[i] = tombstone(b.connectionID, "threads", t.ID)
			continue
		}
		records[i] = record(b.connectionID, "threads", t.ID, t)
	}
	return records
}

// mailLabels returns the labels that letters carry.
func mailLabels(letters []letter) []label {
	colors := map[string]*string{"Bank": pointer("#16a765"), "Familie & Freunde": pointer("#fb4c2f"), "Nebel": pointer("#e8741c")}
	system := []string{"INBOX", "SENT", "DRAFT", "SPAM"}
	var names []string
	for _, l := range letters {
		names = append(names, l.message.Labels...)
	}
	slices.Sort(names)
	var all []label
	for _, name := range slices.Compact(names) {
		all = append(all, label{ID: name, Name: name, Color: colors[name], IsSystem: slices.Contains(system, name)})
	}
	return all
}
