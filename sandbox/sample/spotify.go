package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// spotify declares a music service; top_artists has a compound key.
func spotify() catalog.Connector {
	return catalog.Connector{
		Key:     "spotify",
		Name:    "Spotify",
		Streams: []catalog.Stream{savedTracks(), playHistory(), topArtists()},
	}
}

func savedTracks() catalog.Stream {
	return catalog.Stream{
		Name:             "saved_tracks",
		PrimaryKey:       []string{"id"},
		CursorField:      "added_at",
		ConsentTimeField: "added_at",
		Fields: []catalog.Field{
			text("id"),
			text("name", lexical, role("primary-title")),
			text("album_name", nullable, lexical),
			array("artist_names"),
			moment("added_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			integer("duration_ms", ranged, aggregated("max", "min", "sum")),
			integer("popularity", ranged, aggregated("max", "min")),
			number("tempo", nullable, ranged, aggregated("max", "min")),
			boolean("explicit", aggregated("group_by")),
			text("isrc", nullable),
		},
	}
}

func playHistory() catalog.Stream {
	return catalog.Stream{
		Name:             "play_history",
		PrimaryKey:       []string{"id"},
		CursorField:      "played_at",
		ConsentTimeField: "played_at",
		Fields: []catalog.Field{
			text("id"),
			text("track_id", aggregated("count_distinct", "group_by")),
			text("track_name", lexical, role("primary-title")),
			text("artist_name", lexical, role("actor"), aggregated("count_distinct", "group_by")),
			text("album_name", nullable, lexical, aggregated("count_distinct", "group_by")),
			moment("played_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			text("local_time", format("date-time")),
			integer("ms_played", ranged, aggregated("max", "min", "sum")),
			number("completion", ranged, aggregated("max", "min")),
			boolean("skipped", aggregated("group_by")),
			text("device", nullable, aggregated("group_by")),
			object("context", nullable),
		},
		Views: []catalog.View{
			{Name: "compact", Fields: []string{"id", "track_name", "artist_name", "played_at"}},
		},
	}
}

func topArtists() catalog.Stream {
	return catalog.Stream{
		Name:             "top_artists",
		PrimaryKey:       []string{"user_id", "month"},
		CursorField:      "computed_at",
		ConsentTimeField: "computed_at",
		Fields: []catalog.Field{
			text("user_id", aggregated("group_by")),
			text("month", format("date")),
			moment("computed_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			text("artist_name", lexical, role("primary-title"), aggregated("count_distinct", "group_by")),
			array("runners_up"),
			integer("play_count", ranged, aggregated("max", "min", "sum")),
			number("share", ranged),
		},
	}
}
