package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

// github declares a code forge. Ids of repositories hold a slash; the other streams have compound keys.
func github() catalog.Connector {
	return catalog.Connector{
		Key:     "github",
		Name:    "GitHub",
		Streams: []catalog.Stream{repositories(), issues(), pullRequests(), commits()},
	}
}

func repositories() catalog.Stream {
	inside := func(name string) catalog.Relation {
		return catalog.Relation{
			Name: name, Target: name, Cardinality: "has_many", ForeignKey: "repository", DefaultLimit: 10, MaxLimit: 50,
		}
	}
	return catalog.Stream{
		Name:             "repositories",
		PrimaryKey:       []string{"full_name"},
		CursorField:      "created_at",
		ConsentTimeField: "created_at",
		Fields: []catalog.Field{
			text("full_name", lexical, role("primary-title")),
			text("description", lexical, role("secondary")),
			text("language", aggregated("group_by")),
			text("visibility", aggregated("group_by")),
			moment("created_at", role("event-time"), aggregated("group_by_time")),
		},
		Relations: []catalog.Relation{inside("issues"), inside("pull_requests"), inside("commits")},
	}
}

// discussed returns the fields that issues and pull requests share.
func discussed() []catalog.Field {
	return []catalog.Field{
		text("repository", aggregated("count_distinct", "group_by")),
		integer("number", ranged, aggregated("max", "min")),
		text("title", lexical, role("primary-title")),
		text("body", lexical, opaque, role("primary-body")),
		text("author", lexical, role("actor"), aggregated("count_distinct", "group_by")),
		text("state", aggregated("group_by")),
		array("labels"),
		integer("comments", ranged, aggregated("max", "min", "sum")),
		moment("created_at", role("event-time"), aggregated("group_by_time", "max", "min")),
		moment("closed_at", nullable, aggregated("group_by_time", "max", "min")),
	}
}

func issues() catalog.Stream {
	return catalog.Stream{
		Name:             "issues",
		PrimaryKey:       []string{"repository", "number"},
		CursorField:      "created_at",
		ConsentTimeField: "created_at",
		Fields:           discussed(),
		Views:            []catalog.View{{Name: "list", Fields: []string{"repository", "number", "title", "author", "state", "created_at"}}},
	}
}

func pullRequests() catalog.Stream {
	return catalog.Stream{
		Name:             "pull_requests",
		PrimaryKey:       []string{"repository", "number"},
		CursorField:      "created_at",
		ConsentTimeField: "created_at",
		Fields: append(discussed(),
			moment("merged_at", nullable, aggregated("group_by_time", "max", "min")),
			integer("additions", ranged, aggregated("max", "min", "sum")),
			integer("deletions", ranged, aggregated("max", "min", "sum")),
		),
	}
}

func commits() catalog.Stream {
	return catalog.Stream{
		Name:             "commits",
		PrimaryKey:       []string{"repository", "sha"},
		CursorField:      "committed_at",
		ConsentTimeField: "committed_at",
		Fields: []catalog.Field{
			text("repository", aggregated("count_distinct", "group_by")),
			text("sha"),
			text("message", lexical, role("primary-title")),
			text("author", lexical, role("actor"), aggregated("count_distinct", "group_by")),
			moment("committed_at", role("event-time"), aggregated("group_by_time", "max", "min")),
		},
	}
}
