package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// googleCalendar declares a calendar. starts_at is in UTC; local_start has the offset of the place.
func googleCalendar() catalog.Connector {
	return catalog.Connector{
		Key:     "google_calendar",
		Name:    "Google Calendar",
		Streams: []catalog.Stream{calendars(), calendarEvents()},
	}
}

func calendars() catalog.Stream {
	return catalog.Stream{
		Name:        "calendars",
		PrimaryKey:  []string{"id"},
		CursorField: "id",
		Fields: []catalog.Field{
			text("id"),
			text("name", lexical, role("primary-title")),
			text("time_zone"),
		},
		Relations: []catalog.Relation{{
			Name: "events", Target: "events", Cardinality: "has_many", ForeignKey: "calendar_id", DefaultLimit: 10, MaxLimit: 50,
		}},
	}
}

func calendarEvents() catalog.Stream {
	return catalog.Stream{
		Name:             "events",
		PrimaryKey:       []string{"id"},
		CursorField:      "starts_at",
		ConsentTimeField: "starts_at",
		Fields: []catalog.Field{
			text("id"),
			text("calendar_id", aggregated("group_by")),
			text("title", lexical, role("primary-title")),
			moment("starts_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			moment("ends_at", aggregated("max", "min")),
			text("local_start", format("date-time")),
			text("location", nullable, lexical),
			array("attendees"),
			text("description", nullable, lexical, role("secondary")),
			text("status", aggregated("group_by")),
			boolean("is_recurring", aggregated("group_by")),
		},
		Views: []catalog.View{{Name: "agenda", Fields: []string{"id", "title", "starts_at", "ends_at", "location"}}},
	}
}
