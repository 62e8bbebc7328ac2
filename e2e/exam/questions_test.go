package exam_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/exam/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
)

// question is a question about the sample's year.
type question struct {
	name, text string
	answered   candidate.Answer // nil for the one about changes, which needs a provider to change
	truths     string           // SQL whose rows are the answer
	lacks      string           // what a provider lacks that cannot answer it; empty if every provider can
}

// answer lets a candidate answer the question.
func (q question) answer(t *testing.T, provider *journey.Provider) candidate.Answer {
	if q.answered != nil {
		return q.answered
	}
	return candidate.Changed(func() error { return changeChat(t.Context(), provider.Box.Store()) })
}

const me = "nora.weiss@mail.example"

// group is questions whose answers are summed up together.
type group struct {
	name      string
	questions []question
}

// groups are all questions: those of the baseline, and the later ones about files and documents.
var groups = []group{{"all", questions}, {"files", aboutFiles}, {"documents", aboutDocuments}, {"time", aboutTime}}

// everything returns the questions of all groups.
func everything() []question { return slices.Concat(questions, aboutFiles, aboutDocuments, aboutTime) }

// questions are those of the exam. Nora Weiss asks them at the beginning of May 2026.
var questions = slices.Concat(aboutMail, aboutEvents, aboutHabits)

// aboutMail has the questions about her mailboxes and the attachments.
var aboutMail = []question{
	{
		name: "wrote most", text: "Who wrote most often to my private mailbox, how often, and when last?",
		answered: candidate.WroteMost(me),
		truths: `SELECT from_email, times, received_at FROM (SELECT from_email, count(*) AS times, received_at, max(unixepoch(received_at))
			FROM mail WHERE account = 'cin_gmail_personal' AND from_email <> '` + me + `' GROUP BY from_email)
			ORDER BY times DESC, from_email LIMIT 1`,
	},
	{
		name: "unread", text: "How many mails of my private mailbox have I not read, and what is the newest of them about?",
		answered: candidate.Unread,
		truths: `SELECT (SELECT count(*) FROM mail WHERE account = 'cin_gmail_personal' AND NOT is_seen), subject FROM mail
			WHERE account = 'cin_gmail_personal' AND NOT is_seen ORDER BY unixepoch(received_at) DESC LIMIT 1`,
	},
	{
		name: "longest letter", text: "Read me the longest mail of Hanne Weiss, to its end.",
		answered: candidate.LongestLetter("Hanne Weiss"),
		truths: `SELECT body.text FROM body JOIN mail ON mail.account = body.account AND mail.key = body.mail
			WHERE mail.account = 'cin_gmail_personal' AND from_name = 'Hanne Weiss' ORDER BY length(body.text) DESC LIMIT 1`,
	},
	{
		name: "largest file", text: "What is the largest file that came with my private mail, how large is it, and with which mail did it come?",
		answered: candidate.LargestFile,
		truths: `SELECT name, size, subject FROM file JOIN mail ON mail.account = file.account AND mail.key = file.mail
			WHERE file.account = 'cin_gmail_personal' ORDER BY size DESC LIMIT 1`,
	},
	{
		name: "statement", text: "What do the amounts in the table add up to that came with my bank's statement for January 2026, in cents?",
		answered: candidate.Statement("statement January 2026"),
		truths:   `SELECT sum(cents) FROM payment WHERE bank_account = 'FJ-2204' AND booked_on LIKE '2026-01-%'`,
	},
	{
		name: "which mailbox", text: "In which of my two mailboxes is the mail about the overdraft of the project account?",
		answered: candidate.Mailbox("overdraft project account"),
		truths:   `SELECT DISTINCT account FROM mail WHERE subject LIKE '%overdraft%project account%'`,
	},
	{
		name: "last heard", text: "When did Aiko Tanaka last write me a mail, and to which of my mailboxes?",
		answered: candidate.LastHeard("tanaka"),
		truths:   `SELECT account, received_at FROM mail WHERE from_email LIKE 'tanaka@%' ORDER BY unixepoch(received_at) DESC LIMIT 1`,
	},
}

// aboutEvents has the questions about what happened, and what did not.
var aboutEvents = []question{
	{
		name: "launch", text: "When will Nebel be launched after all, and who announced that day?",
		answered: candidate.Announced("Nebel launch date"),
		truths: `SELECT substr(subject, instr(subject, 'date, ') + 6), from_name FROM mail
			WHERE subject LIKE 'Nebel: new launch date, %' ORDER BY unixepoch(received_at) DESC LIMIT 1`,
	},
	{
		name: "archive or tiles", text: "What did the team decide about archives and tiles, who wrote that down, and when?",
		answered: candidate.Decided("DECIDED archive"),
		truths:   `SELECT author, sent_at, text FROM chat WHERE text LIKE 'DECIDED:%archive%'`,
	},
	{
		name: "dearer", text: "Which day did my music subscription get dearer, and from what to what?",
		answered: candidate.Dearer("change price plan"),
		truths: `SELECT substr(text, instr(text, 'from ') + 5, instr(text, ' your Family') - instr(text, 'from ') - 5),
			substr(text, instr(text, 'instead of ') + 11, 9), substr(text, instr(text, 'costs ') + 6, 9)
			FROM body JOIN mail ON mail.account = body.account AND mail.key = body.mail WHERE subject = 'A change to the price of your Family plan'`,
	},
	{
		name: "lost parcel", text: "My lost parcel was found: what is its number, and when and where does it come?",
		answered: candidate.Parcel("parcel"),
		truths: `SELECT substr(subject, 8), substr(came, instr(came, ' on ') + 4, 12), substr(came, 1, instr(came, ' on ') - 1)
			FROM (SELECT subject, substr(text, instr(text, 'comes to ') + 9) AS came
			FROM body JOIN mail ON mail.account = body.account AND mail.key = body.mail WHERE subject LIKE 'Found: PP-%')`,
	},
	{
		name: "clause", text: "What does clause 7 of my bank's terms say, as they were sent last?",
		answered: candidate.Clause("clause terms overdraft", "7. ", "8. "),
		truths: `SELECT trim(substr(text, at, instr(text, char(10) || '8. ') - at), char(10)) FROM (SELECT text, instr(text, char(10) || '7. ') + 1 AS at
			FROM body JOIN mail ON mail.account = body.account AND mail.key = body.mail
			WHERE from_email LIKE '%@fjordbank.example' AND text LIKE '%' || char(10) || '7. %' ORDER BY unixepoch(received_at) DESC LIMIT 1)`,
	},
	{
		name: "nothing there", text: "What did the workshop write about the repair of my bicycle?",
		answered: candidate.Nothing("bicycle", "workshop"),
		truths:   `SELECT CASE count(*) WHEN 0 THEN 'nothing' ELSE 'something' END FROM live WHERE data LIKE '%bicycle%'`,
	},
	{
		name: "no such source", text: "How many steps did I walk in March?",
		answered: candidate.NoSource("steps", "health", "activity", "walks"),
		truths:   `SELECT CASE count(*) WHEN 0 THEN 'no such data' ELSE 'some' END FROM live WHERE stream LIKE '%step%' OR stream LIKE '%health%'`,
	},
}

// aboutHabits has the questions about habits, and about single days.
var aboutHabits = []question{
	{
		name: "changes", text: "What has changed in the team chat since I looked last?",
		truths: `SELECT group_concat(said, ', ' ORDER BY version) FROM (SELECT version, iif(deleted_at IS NULL, 'changed ', 'deleted ') || key AS said
			FROM record WHERE stream = 'chat_messages' ORDER BY version DESC LIMIT 2)`,
	},
	{
		name: "writes most", text: "Who writes most in the team chat, and how much?",
		answered: candidate.WritesMost,
		truths:   `SELECT author, count(*) AS times FROM chat GROUP BY author ORDER BY times DESC, author LIMIT 1`,
	},
	{
		name: "listened to", text: "For how many minutes did I listen to Mountain Radio?",
		answered: candidate.ListenedTo("Mountain Radio"),
		truths:   `SELECT coalesce(sum(ms), 0) / 60000 FROM play WHERE artist = 'Mountain Radio'`,
	},
	{
		name: "that week", text: "What went on in the week of 26 January 2026: how much in each account, and what was in the calendar?",
		answered: candidate.Week(berlin("2026-01-26")),
		truths: `, week AS (SELECT unixepoch('2026-01-26T00:00:00+01:00') AS first, unixepoch('2026-02-02T00:00:00+01:00') AS past),
			happened AS (SELECT 1 AS part, account, unixepoch(received_at) AS at FROM mail UNION ALL SELECT 2, account, unixepoch(sent_at) FROM chat
				UNION ALL SELECT 3, account, unixepoch(played_at) FROM play UNION ALL SELECT 4, account, unixepoch(booked_at) FROM payment)
			SELECT what, said FROM (SELECT part, 0 AS at, account AS what, count(*) AS said FROM happened, week
				WHERE at >= first AND at < past GROUP BY part, account
				UNION ALL SELECT 5, -unixepoch(starts_at), datetime(starts_at, '+1 hours'), title FROM event, week
				WHERE unixepoch(starts_at) >= first AND unixepoch(starts_at) < past) ORDER BY part, at, what`,
	},
	{
		name: "that day", text: "What was in my calendar on 22 October 2025, where, and at what time was that in Berlin?",
		answered: candidate.Planned(berlin("2025-10-22")),
		truths: `SELECT datetime(starts_at, '+2 hours'), title, coalesce(location, '') FROM event
			WHERE unixepoch(starts_at) >= unixepoch('2025-10-22T00:00:00+02:00') AND unixepoch(starts_at) < unixepoch('2025-10-23T00:00:00+02:00')
			ORDER BY unixepoch(starts_at) DESC`,
	},
	{
		name: "issue", text: "Who opened the issue about archives that break on old phones, when was it closed, and what does it say?",
		answered: candidate.Issue("archives old phones"),
		truths:   `SELECT author, closed_at, text FROM issue WHERE repository = 'kartenwerk/pfad' AND number = 131`,
	},
}

// aboutFiles are the questions about attachments other than the statement.
var aboutFiles = []question{
	{
		name: "moving day", text: "Until when, in Berlin, does the move last by the calendar file that I sent around, and where is it?",
		answered: candidate.Ends("moving day 31 January", berlin("2026-01-31").Location()),
		truths: `SELECT datetime(substr(ends, 1, 4) || '-' || substr(ends, 5, 2) || '-' || substr(ends, 7, 2) || ' ' || substr(ends, 10, 2) || ':' ||
			substr(ends, 12, 2), '+1 hours'), replace(substr(place, 1, instr(place, char(13)) - 1), '\,', ',')
			FROM (SELECT substr(text, instr(text, 'DTEND:') + 6, 16) AS ends, substr(text, instr(text, 'LOCATION:') + 9) AS place
			FROM enclosed WHERE name = 'moving-day.ics')`,
	},
	{
		name: "picture", text: "What is the picture that I sent when the barometer hung: its name, kind and size, and what is to be seen?",
		answered: candidate.Shown("Es hängt"),
		truths: `SELECT name, content_type, size, digest FROM file JOIN mail ON mail.account = file.account AND mail.key = file.mail
			WHERE subject = 'Es hängt'`,
	},
}

// berlin returns the beginning of a day in Berlin.
func berlin(date string) time.Time {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	day, err := time.ParseInLocation(time.DateOnly, date, zone)
	if err != nil {
		panic(err)
	}
	return day
}
