package sample

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

type calendar struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	TimeZone string `json:"time_zone"`
}

type event struct {
	ID          string   `json:"id"`
	CalendarID  string   `json:"calendar_id"`
	Title       string   `json:"title"`
	StartsAt    string   `json:"starts_at"`
	EndsAt      string   `json:"ends_at"`
	LocalStart  string   `json:"local_start"`
	Location    *string  `json:"location"`
	Attendees   []string `json:"attendees"`
	Description *string  `json:"description"`
	Status      string   `json:"status"`
	IsRecurring bool     `json:"is_recurring"`
}

// agenda makes the records of the calendar, oldest first in every stream.
func agenda(s story, people cast) []catalog.Record {
	var events []event
	for _, row := range s.rows("calendar") {
		start, length := instant(row[0]), must(time.ParseDuration(row[1]))
		e := event{CalendarID: row[2], Title: row[3], Location: filled(row[4]), Attendees: invited(people, row[5]), Status: "confirmed"}
		weeks, times, note := repetition(row[6])
		switch note {
		case "(cancelled)":
			e.Status = "cancelled"
		case "tentative":
			e.Status = "tentative"
		default:
			e.Description = filled(note)
		}
		e.IsRecurring = times > 1
		for n := range times {
			events = append(events, e.at(start, 7*weeks*n, length))
		}
	}
	for _, again := range s.seriesOf("event") {
		for n := range again.times {
			e := event{CalendarID: again.head[2], Title: again.head[3], Location: filled(again.head[4]), Attendees: invited(people, again.head[5]), Status: "confirmed", IsRecurring: true}
			events = append(events, e.at(again.first, n*again.days, time.Hour))
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return strings.Compare(a.StartsAt, b.StartsAt) })
	var records []catalog.Record
	for _, c := range []calendar{{"private", s.facts["me"], "Europe/Berlin"}, {"work", s.facts["company"], "Europe/Berlin"}, {"travel", "Away 🧭", "UTC"}} {
		records = append(records, record(Calendar, "calendars", c.ID, c))
	}
	onDay := map[string]int{}
	for _, e := range events {
		day := strings.ReplaceAll(e.LocalStart[:len(time.DateOnly)], "-", "")
		onDay[day]++
		e.ID = fmt.Sprintf("evt-%s-%d", day, onDay[day])
		records = append(records, record(Calendar, "events", e.ID, e))
	}
	return records
}

// repetition reads "every 2 25" before a note: each second week, twenty-five times.
func repetition(text string) (weeks, times int, note string) {
	rest, repeats := strings.CutPrefix(text, "every ")
	if !repeats {
		return 0, 1, text
	}
	every, count, _ := strings.Cut(rest, " ")
	return must(strconv.Atoi(every)), must(strconv.Atoi(count)), ""
}

// at returns the event some days after start. What repeats keeps its hour by the clock of Berlin; what does not keeps
// its offset.
func (e event) at(start time.Time, days int, length time.Duration) event {
	if e.IsRecurring {
		start = start.In(berlin).AddDate(0, 0, days)
	}
	e.StartsAt, e.EndsAt, e.LocalStart = timestamp(start), timestamp(start.Add(length)), start.Format(time.RFC3339)
	return e
}

// invited are people as the calendar calls them.
func invited(people cast, names string) []string {
	all := []string{}
	for _, short := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }) {
		p := people.named(short)
		if p.inCalendar == "" {
			all = append(all, p.name)
			continue
		}
		all = append(all, p.inCalendar)
	}
	return all
}
