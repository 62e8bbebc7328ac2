package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// fjordbank declares a bank. Amounts stand in cents, to be added up, and as people write them.
func fjordbank() catalog.Connector {
	return catalog.Connector{
		Key:     "fjordbank",
		Name:    "Fjordbank",
		Streams: []catalog.Stream{accounts(), transactions(), notices()},
	}
}

func accounts() catalog.Stream {
	ofAccount := func(name string) catalog.Relation {
		return catalog.Relation{
			Name: name, Target: name, Cardinality: "has_many", ForeignKey: "account_id", DefaultLimit: 10, MaxLimit: 50,
		}
	}
	return catalog.Stream{
		Name:        "accounts",
		PrimaryKey:  []string{"id"},
		CursorField: "id",
		Fields: []catalog.Field{
			text("id"),
			text("name", lexical, role("primary-title")),
			text("kind", aggregated("group_by")),
			text("currency"),
			text("opened_at", format("date"), ranged),
			integer("balance_cents", ranged, aggregated("max", "min", "sum")),
		},
		Relations: []catalog.Relation{ofAccount("transactions"), ofAccount("notices")},
	}
}

func transactions() catalog.Stream {
	return catalog.Stream{
		Name:             "transactions",
		PrimaryKey:       []string{"account_id", "number"},
		CursorField:      "booked_at",
		ConsentTimeField: "booked_at",
		Fields: []catalog.Field{
			text("account_id", aggregated("group_by")),
			integer("number", ranged, aggregated("max", "min")),
			moment("booked_at", role("event-time"), aggregated("group_by_time", "max", "min")),
			text("booked_on", format("date"), ranged),
			text("amount", role("amount")),
			integer("amount_cents", ranged, aggregated("max", "min", "sum")),
			text("currency", aggregated("group_by")),
			text("counterparty", lexical, role("primary-title"), aggregated("count_distinct", "group_by")),
			text("description", lexical, role("secondary")),
			text("category", aggregated("count_distinct", "group_by")),
			integer("balance_after_cents", ranged, aggregated("max", "min")),
		},
		Views: []catalog.View{{Name: "statement", Fields: []string{"account_id", "number", "booked_on", "counterparty", "description", "amount"}}},
	}
}

func notices() catalog.Stream {
	return catalog.Stream{
		Name:             "notices",
		PrimaryKey:       []string{"id"},
		CursorField:      "sent_at",
		ConsentTimeField: "sent_at",
		Fields: []catalog.Field{
			text("id"),
			text("account_id", aggregated("group_by")),
			text("kind", aggregated("group_by")),
			text("title", lexical, role("primary-title")),
			text("text", lexical, opaque, role("primary-body")),
			moment("sent_at", role("event-time"), aggregated("group_by_time", "max", "min")),
		},
	}
}
