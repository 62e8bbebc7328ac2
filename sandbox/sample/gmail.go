package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// gmail declares a mail service: envelopes in messages, texts in message_bodies.
func gmail() catalog.Connector {
	return catalog.Connector{
		Key:     "gmail",
		Name:    "Gmail",
		Streams: []catalog.Stream{messages(), threads(), labels(), messageBodies(), attachments()},
	}
}

func messages() catalog.Stream {
	fields := []catalog.Field{
		text("id"),
		text("thread_id"),
		text("subject", nullable, lexical, role("primary-title")),
		text("from_name", nullable, lexical, role("actor")),
		text("from_email", nullable, lexical),
		array("to"),
		array("cc"),
		array("bcc"),
		array("reply_to"),
		moment("date", nullable, role("event-time"), aggregated("group_by_time", "max", "min")),
		moment("received_at", role("event-time"), aggregated("group_by_time", "max", "min")),
		text("message_id", nullable),
		text("in_reply_to", nullable),
		array("references"),
		integer("size_bytes", nullable, ranged, aggregated("max", "min", "sum")),
		array("labels"),
		boolean("is_draft", aggregated("group_by")),
		boolean("is_flagged", aggregated("group_by")),
		boolean("is_seen", aggregated("group_by")),
		boolean("is_answered", aggregated("group_by")),
		boolean("has_attachments", aggregated("group_by")),
		text("snippet", nullable, lexical, role("secondary")),
	}
	return catalog.Stream{
		Name:             "messages",
		PrimaryKey:       []string{"id"},
		CursorField:      "received_at",
		ConsentTimeField: "received_at",
		Fields:           fields,
		Views: []catalog.View{
			{Name: "envelope", Fields: []string{
				"id", "thread_id", "subject", "from_name", "from_email", "to", "cc", "date", "received_at", "labels",
			}},
			{Name: "reconciliation", Fields: []string{
				"id", "thread_id", "subject", "from_name", "from_email", "received_at", "size_bytes", "has_attachments", "snippet",
			}},
			{Name: "full", Fields: names(fields)},
		},
		Relations: []catalog.Relation{
			{Name: "message_bodies", Target: "message_bodies", Cardinality: "has_one", ForeignKey: "message_id"},
			{
				Name: "attachments", Target: "attachments", Cardinality: "has_many", ForeignKey: "message_id",
				DefaultLimit: 10, MaxLimit: 50,
			},
		},
	}
}

func threads() catalog.Stream {
	return catalog.Stream{
		Name:             "threads",
		PrimaryKey:       []string{"id"},
		CursorField:      "last_message_date",
		ConsentTimeField: "last_message_date",
		Fields: []catalog.Field{
			text("id"),
			text("subject", nullable, lexical, role("primary-title")),
			array("participant_emails"),
			integer("message_count", ranged),
			moment("first_message_date", nullable, aggregated("group_by_time")),
			moment("last_message_date", nullable, role("event-time"), aggregated("group_by_time")),
			array("labels"),
			integer("unread_count", ranged),
			integer("flagged_count", ranged),
			boolean("has_attachments"),
		},
	}
}

func labels() catalog.Stream {
	return catalog.Stream{
		Name:        "labels",
		PrimaryKey:  []string{"id"},
		CursorField: "id",
		Fields: []catalog.Field{
			text("id"),
			text("name", role("primary-title")),
			text("color", nullable),
			boolean("is_system"),
		},
	}
}

func messageBodies() catalog.Stream {
	return catalog.Stream{
		Name:             "message_bodies",
		PrimaryKey:       []string{"id"},
		CursorField:      "message_received_at",
		ConsentTimeField: "message_received_at",
		Fields: []catalog.Field{
			text("id"),
			text("message_id"),
			text("body_text", nullable, lexical, opaque, role("primary-body")),
			text("body_html", nullable, opaque),
			integer("body_text_bytes", nullable, ranged, aggregated("max", "min", "sum")),
			integer("body_html_bytes", nullable, ranged, aggregated("max", "min", "sum")),
			text("body_source", nullable, aggregated("group_by")),
			text("charset", nullable, aggregated("group_by")),
			array("content_languages"),
			moment("message_received_at", role("event-time"), aggregated("group_by_time", "max", "min")),
		},
	}
}

func attachments() catalog.Stream {
	return catalog.Stream{
		Name:             "attachments",
		PrimaryKey:       []string{"id"},
		CursorField:      "message_received_at",
		ConsentTimeField: "message_received_at",
		Fields: []catalog.Field{
			text("id"),
			text("message_id"),
			text("filename", nullable, lexical, role("primary-title")),
			text("content_type", aggregated("group_by")),
			integer("size_bytes", nullable, ranged, aggregated("max", "min", "sum")),
			text("content_id", nullable),
			boolean("is_inline", aggregated("group_by")),
			text("encoding", nullable),
			text("part_index"),
			moment("message_received_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			object("blob_ref", nullable),
			text("content_sha256", nullable),
			text("hydration_status", aggregated("group_by")),
			text("hydration_error", nullable),
		},
	}
}

func names(fields []catalog.Field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.Name
	}
	return all
}
