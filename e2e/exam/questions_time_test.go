package exam_test

import (
	"github.com/pdppmcp/pdpp-mcp/e2e/exam/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// berlinClock is the clock in Berlin of the second s since 1970, for strftime.
const berlinClock = `s + CASE WHEN s < unixepoch('2025-10-26 01:00') THEN 7200 WHEN s < unixepoch('2026-03-29 01:00') THEN 3600 ELSE 7200 END, 'unixepoch'`

const heard = `FROM (SELECT unixepoch(played_at) AS s FROM play)`

// aboutTime asks about days, weeks, weekdays, hours and zones. Two questions are across a change of daylight saving.
var aboutTime = []question{
	{
		name: "weekday", text: "On which weekday, in Berlin, do I listen to music most, and to how many songs?",
		answered: candidate.Groups("play_history", blind.Arguments{
			"group_by_time": "played_at", "granularity": "weekday", "time_zone": "Europe/Berlin", "sort": "-value", "limit": 1,
		}),
		truths: `SELECT CASE day WHEN '0' THEN 'Sunday' WHEN '1' THEN 'Monday' WHEN '2' THEN 'Tuesday' WHEN '3' THEN 'Wednesday' WHEN '4' THEN 'Thursday'
			WHEN '5' THEN 'Friday' ELSE 'Saturday' END, times FROM (SELECT strftime('%w', ` + berlinClock + `) AS day, count(*) AS times ` + heard + ` GROUP BY 1)
			ORDER BY times DESC LIMIT 1`,
	},
	{
		name: "hour", text: "At which hour of the day, in Berlin, do I listen to music most?",
		answered: candidate.Groups("play_history", blind.Arguments{
			"group_by_time": "played_at", "granularity": "hour_of_day", "time_zone": "Europe/Berlin", "sort": "-value", "limit": 1,
		}),
		truths: `SELECT strftime('%H', ` + berlinClock + `), count(*) ` + heard + ` GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`,
	},
	{
		name: "hour elsewhere", text: "At which three hours of the day in Kathmandu is most written in the team chat?",
		answered: candidate.Groups("chat_messages", blind.Arguments{
			"group_by_time": "sent_at", "granularity": "hour_of_day", "time_zone": "Asia/Kathmandu", "sort": "-value", "limit": 3,
		}),
		truths: `SELECT strftime('%H', unixepoch(sent_at) + 20700, 'unixepoch'), count(*) FROM chat GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3`,
	},
	{
		name: "days around the change", text: "How many songs did I hear on each day, in Berlin, from 28 to 30 March 2026, when the clocks changed?",
		answered: candidate.Groups("play_history", blind.Arguments{
			"group_by_time": "played_at", "granularity": "day", "time_zone": "Europe/Berlin",
			"filter": blind.Arguments{"played_at": blind.Arguments{"gte": "2026-03-27T23:00:00Z", "lt": "2026-03-30T22:00:00Z"}},
		}),
		truths: `SELECT strftime('%F', ` + berlinClock + `) AS day, count(*) ` + heard + ` WHERE day BETWEEN '2026-03-28' AND '2026-03-30' GROUP BY 1 ORDER BY 1`,
	},
	{
		name: "hours of the change", text: "At which hours, in Berlin, did I hear songs in the week of the change of the clocks in October 2025?",
		answered: candidate.Groups("play_history", blind.Arguments{
			"group_by_time": "played_at", "granularity": "hour", "time_zone": "Europe/Berlin",
			"filter": blind.Arguments{"played_at": blind.Arguments{"gte": "2025-10-25T22:00:00Z", "lt": "2025-11-01T23:00:00Z"}},
		}),
		truths: `SELECT strftime('%FT%H:00', ` + berlinClock + `) AS hour, count(*) ` + heard + ` WHERE hour >= '2025-10-26' AND hour < '2025-11-02' GROUP BY 1 ORDER BY 1`,
	},
	{
		name: "busiest week", text: "In which week did the most mails come to my private mailbox, and how many?",
		answered: candidate.Groups("messages", blind.Arguments{
			"group_by_time": "received_at", "granularity": "week", "time_zone": "UTC", "sort": "-value", "limit": 1, "connection_id": "cin_gmail_personal",
		}),
		truths: `SELECT date(unixepoch(received_at), 'unixepoch', 'weekday 0', '-6 days'), count(*) FROM mail WHERE account = 'cin_gmail_personal' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`,
	},
	{
		name: "a day of everything", text: "How many songs, chat messages and payments were there on 11 March 2026?",
		answered: candidate.Groups("*", blind.Arguments{
			"group_by": "stream", "sort": "key", "filter": blind.Arguments{"time": blind.Arguments{"gte": "2026-03-11", "lte": "2026-03-11"}},
		},
			"play_history", "chat_messages", "transactions"),
		truths: `SELECT stream, count(*) FROM (SELECT 'play_history' AS stream, played_at AS at FROM play UNION ALL SELECT 'chat_messages', sent_at FROM chat
			UNION ALL SELECT 'transactions', booked_at FROM payment) WHERE at LIKE '2026-03-11%' GROUP BY 1 ORDER BY 1`,
	},
	{
		name: "loudest month", text: "In which month did I hear the most songs, and how many?",
		answered: candidate.Groups("play_history", blind.Arguments{
			"group_by_time": "played_at", "granularity": "month", "time_zone": "UTC", "sort": "-value", "limit": 1,
		}),
		truths: `SELECT strftime('%Y-%m-01', unixepoch(played_at), 'unixepoch'), count(*) FROM play GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`,
	},
}
