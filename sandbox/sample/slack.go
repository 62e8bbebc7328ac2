package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// slack declares a team chat. Ids of chat messages hold a colon.
func slack() catalog.Connector {
	return catalog.Connector{
		Key:     "slack",
		Name:    "Slack",
		Streams: []catalog.Stream{channels(), chatMessages(), users()},
	}
}

func channels() catalog.Stream {
	return catalog.Stream{
		Name:             "channels",
		PrimaryKey:       []string{"id"},
		CursorField:      "created_at",
		ConsentTimeField: "created_at",
		Fields: []catalog.Field{
			text("id"),
			text("name", lexical, role("primary-title")),
			text("topic", nullable, lexical),
			integer("member_count", ranged),
			boolean("is_private", aggregated("group_by")),
			moment("created_at", role("event-time"), aggregated("group_by_time")),
		},
		Relations: []catalog.Relation{{
			Name: "chat_messages", Target: "chat_messages", Cardinality: "has_many", ForeignKey: "channel_id",
			DefaultLimit: 10, MaxLimit: 50,
		}},
	}
}

func chatMessages() catalog.Stream {
	return catalog.Stream{
		Name:             "chat_messages",
		PrimaryKey:       []string{"id"},
		CursorField:      "sent_at",
		ConsentTimeField: "sent_at",
		Fields: []catalog.Field{
			text("id"),
			text("channel_id", aggregated("group_by")),
			text("channel_name", aggregated("group_by")),
			text("user_id", aggregated("count_distinct", "group_by")),
			text("user_name", role("actor"), aggregated("count_distinct", "group_by")),
			text("text", lexical, opaque, role("primary-body")),
			moment("sent_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			text("edited_at", nullable, format("date-time")),
			text("thread_root_id", nullable),
			array("reactions"),
			integer("reply_count", ranged, aggregated("max", "min", "sum")),
			boolean("is_pinned", aggregated("group_by")),
		},
		Relations: []catalog.Relation{{
			Name: "replies", Target: "chat_messages", Cardinality: "has_many", ForeignKey: "thread_root_id", DefaultLimit: 10, MaxLimit: 50,
		}},
	}
}

func users() catalog.Stream {
	return catalog.Stream{
		Name:        "users",
		PrimaryKey:  []string{"id"},
		CursorField: "id",
		Fields: []catalog.Field{
			text("id"),
			text("name", lexical, role("primary-title")),
			text("real_name", nullable, lexical),
			text("email", nullable, lexical),
			text("time_zone", nullable, aggregated("group_by")),
			boolean("is_bot", aggregated("group_by")),
		},
	}
}
