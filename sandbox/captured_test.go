package sandbox_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// capturedConnections are those of the server that the captures were made of, which its owner's token showed (212).
var capturedConnections = []catalog.Connection{
	{ID: "cin_github_main", ConnectorKey: "github", DisplayName: "GitHub main"},
	{ID: "cin_gmail_personal", ConnectorKey: "gmail", DisplayName: "Personal Gmail"},
	{ID: "cin_gmail_work", ConnectorKey: "gmail", DisplayName: "Work Gmail"},
	{ID: "cin_reddit_main", ConnectorKey: "reddit", DisplayName: "Reddit main"},
	{ID: "cin_lab_a", ConnectorKey: "typelab", DisplayName: "Lab A"},
	{ID: "cin_lab_b", ConnectorKey: "typelab", DisplayName: "Lab B"},
}

// captured collects what the captures show of the data behind them.
type captured struct {
	connectors []catalog.Connector
	records    map[[3]string]map[string]json.RawMessage // by connection, stream and key
}

// capturedDataset returns the data that the captures were made of, as far as they show it: what the owner's schema
// declares (813i), every record that occurs in an answer, and enough others to reach the counts. The records of typelab
// are known in full.
func capturedDataset(t *testing.T, all []capture) catalog.Dataset {
	t.Helper()
	c := captured{records: map[[3]string]map[string]json.RawMessage{}}
	for _, each := range all {
		var body any
		decoder := json.NewDecoder(strings.NewReader(string(each.response)))
		decoder.UseNumber()
		if decoder.Decode(&body) == nil {
			c.collect(body)
		}
		if each.name == "813i-owner-schema-compact" {
			c.declare(t, each.response)
		}
	}
	for id, at := range map[string][2]string{
		"1045ba14583c4648168a8d5feda9fa6b1593b7b9b17a338057329b1c025198d5": {"cin_gmail_personal", "p-msg-020:2"},
		"ac02405b4d7add0d4737e5f837d7ba7ae41db27db8c1fb33464e978a72713349": {"cin_gmail_work", "w-msg-010:2"},
		"faa94bca440597db0955ef5368b1adcd5f7e9931d801cb8d74d2a9c1f0879134": {"cin_gmail_work", "w-msg-010:1"},
	} { // blobs whose record no answer shows, or shows as it was before
		c.add(at[0], "attachments", at[1], map[string]any{"blob_ref": map[string]any{
			"blob_id": "blob_sha256_" + id, "mime_type": "application/pdf", "size_bytes": 1627, "sha256": id, "fetch_url": "/v1/blobs/blob_sha256_" + id,
		}})
	}
	c.fill()
	set := catalog.Dataset{Connectors: c.connectors, Connections: capturedConnections}
	for _, name := range slices.SortedFunc(maps.Keys(c.records), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		data, err := json.Marshal(c.records[name])
		if err != nil {
			t.Fatal(err)
		}
		set.Records = append(set.Records, catalog.Record{
			ConnectionID: name[0], Stream: name[1], Key: name[2], Data: data, EmittedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		})
	}
	set.Blobs = c.blobs()
	return set
}

// blobs are of the size and the type that records say, and of no content.
func (c *captured) blobs() []catalog.Blob {
	var blobs []catalog.Blob
	for name, record := range c.records {
		var reference struct {
			ID   string `json:"blob_id"`
			Type string `json:"mime_type"`
			Size int    `json:"size_bytes"`
		}
		if json.Unmarshal(record["blob_ref"], &reference) == nil && reference.ID != "" {
			blobs = append(blobs, catalog.Blob{ID: reference.ID, ConnectionID: name[0], ContentType: reference.Type, Bytes: make([]byte, reference.Size)})
		}
	}
	return blobs
}

// collect keeps the data of every record in an answer. What one answer leaves out another may have.
func (c *captured) collect(body any) {
	switch body := body.(type) {
	case []any:
		for _, each := range body {
			c.collect(each)
		}
	case map[string]any:
		connection, _ := body["connection_id"].(string)
		data, isRecord := body["data"].(map[string]any)
		if isRecord && body["object"] == "record" {
			record := c.record(connection, body["stream"].(string), body["id"].(string))
			for name, value := range data {
				if !strings.HasPrefix(name, trimmed) {
					record[name], _ = json.Marshal(value)
				}
			}
		}
		for _, each := range body {
			c.collect(each)
		}
	}
}

func (c *captured) record(connection, stream, key string) map[string]json.RawMessage {
	name := [3]string{connection, stream, key}
	if c.records[name] == nil {
		c.records[name] = map[string]json.RawMessage{}
	}
	return c.records[name]
}

// add adds fields that a record lacks.
func (c *captured) add(connection, stream, key string, fields map[string]any) {
	record := c.record(connection, stream, key)
	for name, value := range fields {
		if _, known := record[name]; !known {
			record[name], _ = json.Marshal(value)
		}
	}
}

// declare reads the compact schema, whose flags say what a field can do.
func (c *captured) declare(t *testing.T, schema []byte) {
	t.Helper()
	var document struct {
		Connectors []struct {
			Key     string `json:"connector_key"`
			Streams []struct {
				Name        string                     `json:"name"`
				PrimaryKey  []string                   `json:"primary_key"`
				CursorField string                     `json:"cursor_field"`
				Fields      map[string]json.RawMessage `json:"field_capabilities"`
				Relations   []struct {
					Name         string `json:"name"`
					Stream       string `json:"stream"`
					Cardinality  string `json:"cardinality"`
					ForeignKey   string `json:"foreign_key"`
					DefaultLimit int    `json:"default_limit"`
					MaxLimit     int    `json:"max_limit"`
				} `json:"expand_capabilities"`
			} `json:"streams"`
		} `json:"connectors"`
	}
	if err := json.Unmarshal(schema, &document); err != nil {
		t.Fatal(err)
	}
	for _, connector := range document.Connectors {
		declared := catalog.Connector{Key: connector.Key, Name: connector.Key}
		for _, shown := range connector.Streams {
			stream := catalog.Stream{
				Name: shown.Name, PrimaryKey: shown.PrimaryKey, CursorField: shown.CursorField, ConsentTimeField: shown.CursorField,
			}
			for _, name := range memberNames(schema, shown.Name) {
				var flags string
				if err := json.Unmarshal(shown.Fields[name], &flags); err != nil {
					t.Fatal(err)
				}
				stream.Fields = append(stream.Fields, parseFlags(name, flags))
			}
			for _, relation := range shown.Relations {
				stream.Relations = append(stream.Relations, catalog.Relation{
					Name: relation.Name, Target: relation.Stream, Cardinality: relation.Cardinality,
					ForeignKey: "message_id", DefaultLimit: relation.DefaultLimit, MaxLimit: relation.MaxLimit,
				})
			}
			stream.Views = capturedViews[shown.Name]
			declared.Streams = append(declared.Streams, stream)
		}
		c.connectors = append(c.connectors, declared)
	}
	// One that requests name (510), and that no connection is of.
	c.connectors = append(c.connectors, catalog.Connector{Key: "spotify", Name: "Spotify", Streams: []catalog.Stream{{Name: "top_artists"}}})
	c.connectors = append(c.connectors, catalog.Connector{Key: "reddit", Name: "Reddit", Streams: []catalog.Stream{{
		Name: "posts", PrimaryKey: []string{"id"}, CursorField: "created_at",
		Fields: []catalog.Field{parseFlags("id", "t=string,eq"), parseFlags("title", "t=string,eq,lex"), parseFlags("created_at", "t=string,role=event-time,eq,r=gte")},
	}}})
}

// capturedGrants returns the grants of the client tokens in the captures, by placeholder (862b, 863b, 865b and the
// answers to them).
func capturedGrants() map[string]catalog.Grant {
	personal, work := []string{"cin_gmail_personal"}, []string{"cin_gmail_work"}
	both := append(slices.Clone(personal), work...)
	laboratory := func(streams ...catalog.StreamGrant) catalog.Grant {
		return catalog.Grant{ConnectorKey: "typelab", Streams: streams}
	}
	gmail := func(streams ...catalog.StreamGrant) catalog.Grant {
		return catalog.Grant{ConnectorKey: "gmail", Streams: streams}
	}
	at := func(day int) time.Time { return time.Date(2026, time.January, day, 0, 0, 0, 0, time.UTC) }
	four := []string{"id", "subject", "received_at", "thread_id"}
	fresh := gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: personal})
	fresh.ExpiresAt = time.Now().Add(time.Hour)
	labA, labB := []string{"cin_lab_a"}, []string{"cin_lab_b"}
	ranged := gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: personal, Fields: four, Since: at(10), Until: at(20)})
	ranged.ExpiresAt = fresh.ExpiresAt
	narrow := gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: personal, Fields: four, Since: at(10), Until: at(32)})
	return map[string]catalog.Grant{
		"client_gmail_narrow": narrow,
		"client_lab":          laboratory(catalog.StreamGrant{Name: "samples", ConnectionIDs: labA}, catalog.StreamGrant{Name: "words", ConnectionIDs: labA}),
		"client_lab_both": laboratory(catalog.StreamGrant{Name: "samples", ConnectionIDs: append(labA, labB...)},
			catalog.StreamGrant{Name: "words", ConnectionIDs: labA}, catalog.StreamGrant{Name: "notes", ConnectionIDs: labB}),
		"client_gmail_mixed": gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: both},
			catalog.StreamGrant{Name: "labels", ConnectionIDs: personal}, catalog.StreamGrant{Name: "threads", ConnectionIDs: work}),
		"client_no_blobref": gmail(catalog.StreamGrant{Name: "attachments", ConnectionIDs: personal, Fields: []string{
			"id", "filename", "message_id", "part_index", "message_received_at", "hydration_status",
		}}),
		"client_github":     {ConnectorKey: "github", Streams: []catalog.StreamGrant{{Name: "repositories", ConnectionIDs: []string{"cin_github_main"}}}},
		"client_reddit":     {ConnectorKey: "reddit", Streams: []catalog.StreamGrant{{Name: "posts", ConnectionIDs: []string{"cin_reddit_main"}}}},
		"client_time_range": ranged,
		"client_resources": gmail(catalog.StreamGrant{
			Name: "messages", ConnectionIDs: personal, Resources: []string{"p-msg-001", "p-msg-005", "p-msg-010"},
		}),
		"client_view":       gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: personal, Fields: append(four, "from_name", "from_email", "to", "cc", "date", "labels")}),
		"client_single_use": fresh, "client_refresh": fresh, "client_refresh_2": fresh, "client_refresh_4": fresh, "client_rt_expired": fresh,
		"client_agent": gmail(catalog.StreamGrant{Name: "messages", ConnectionIDs: both, Fields: four, Since: at(1)},
			catalog.StreamGrant{Name: "labels", ConnectionIDs: personal}),
		"client_expired_2": fresh, // after it was refreshed
	}
}

// capturedViews are those that requests name (040, 865, 802).
var capturedViews = map[string][]catalog.View{
	"messages": {{Name: "envelope", Fields: []string{"id", "thread_id", "subject", "from_name", "from_email", "to", "cc", "date", "received_at", "labels"}}},
	"samples":  {{Name: "basic", Fields: []string{"id", "title"}}},
}

// memberNames returns the names of the fields of a stream in the order in which the schema has them.
func memberNames(schema []byte, stream string) []string {
	_, rest, _ := strings.Cut(string(schema), `"name": "`+stream+"\",\n     \"primary_key\"") // and not a relation of that name
	_, rest, _ = strings.Cut(rest, `"field_capabilities": {`)
	block, _, _ := strings.Cut(rest, "}")
	var names []string
	for line := range strings.Lines(block) {
		if name, _, found := strings.Cut(strings.TrimSpace(line), `": `); found {
			names = append(names, strings.TrimPrefix(name, `"`))
		}
	}
	return names
}

// parseFlags reads the grammar of compact flags. A string with ranges is a time, which the flags do not say.
func parseFlags(name, flags string) catalog.Field {
	field := catalog.Field{Name: name}
	for flag := range strings.SplitSeq(flags, ",") {
		key, value, _ := strings.Cut(flag, "=")
		switch key {
		case "t":
			field.Type, field.Nullable = strings.CutSuffix(value, "|null")
		case "role":
			field.Role = value
		case "eq":
			field.Exact = true
		case "r":
			field.Range = strings.Split(value, "|")
		case "lex":
			field.Lexical = true
		case "a":
			field.Aggregations = strings.Split(value, "|")
		}
	}
	if field.Type == "string" && (field.Range != nil || slices.Contains(field.Aggregations, "group_by_time")) {
		field.Format = "date-time"
		if name == "day" {
			field.Format = "date"
		}
	}
	return field
}

// fill adds what no answer shows: the other records that the counts are of.
func (c *captured) fill() {
	day := func(start string, days int) string {
		first, _ := time.Parse(time.DateOnly, start)
		return first.AddDate(0, 0, days).Format(time.DateOnly)
	}
	for i := 1; i <= 50; i++ {
		at := day("2026-04-01", i%25)
		c.add("cin_lab_a", "samples", fmt.Sprintf("g%02d", i), map[string]any{
			"id": fmt.Sprintf("g%02d", i), "title": fmt.Sprintf("bulk %d", i), "kind": fmt.Sprintf("k%02d", i%15), "qty": i,
			"amount": float64(i) * 1.25, "flag": i%2 == 0, "at": at + "T12:00:00.000Z", "day": at, "tags": []string{},
			"info": map[string]any{}, "mixed": i, "plain_num": i, "code": fmt.Sprintf("C%d", i),
		})
	}
	for i := 1; i <= 60; i++ {
		c.mail("cin_gmail_personal", "p", i, day("2026-01-01", i-1)+fmt.Sprintf("T09:%02d:00.000Z", i%60))
	}
	for i := 1; i <= 12; i++ {
		c.mail("cin_gmail_work", "w", i, day("2026-01-01", i-1)+fmt.Sprintf("T10:%02d:00.000Z", i%60))
	}
	for _, label := range []string{"INBOX", "STARRED", "SENT"} {
		c.add("cin_gmail_personal", "labels", label, map[string]any{"name": label, "canonical_name": strings.ToLower(label), "parent_name": nil, "is_system": true, "message_count": 3})
	}
	for _, name := range []string{"PDP-Connect/pdpp", "octo/hello world", "octo/deep/er", "octo/ünï"} {
		c.add("cin_github_main", "repositories", name, map[string]any{
			"id": name, "full_name": name, "description": "A protocol for the portability of personal data", "language": "Go",
			"stargazers_count": 3, "source_updated_at": "2026-05-01T00:00:00Z",
		})
	}
	c.add("cin_github_main", "starred", "octo/er", map[string]any{"id": "octo/er", "starred_at": "2026-05-01T00:00:00Z"})
	delete(c.records, [3]string{"cin_lab_a", "words", "new"}) // written between 770l and 811
	c.add("cin_reddit_main", "posts", "reddit:post:abc123", map[string]any{"title": "A personal data portability protocol", "created_at": "2026-05-01T00:00:00Z"})
	c.add("cin_reddit_main", "posts", "reddit:post:abc124", map[string]any{"id": "reddit:post:abc124", "title": "Another post", "created_at": "2026-05-01T00:00:00Z"})
	c.records[[3]string{"cin_gmail_work", "messages", "p-msg-003"}] = c.records[[3]string{"cin_gmail_personal", "messages", "p-msg-003"}]
}

// mail adds a message with its thread and its body.
func (c *captured) mail(connection, prefix string, i int, received string) {
	id := fmt.Sprintf("%s-msg-%03d", prefix, i)
	subject := fmt.Sprintf("%s note %d about travel", prefix, i)
	snippet := "mountain meeting recipe notebook garden invoice coffee protocol"
	if i%5 == 0 {
		subject = fmt.Sprintf("Overdraft notice number %d", i)
		snippet = fmt.Sprintf("Your account had an overdraft of %d dollars at Café Zürich — please review.", i)
	}
	c.add(connection, "messages", id, map[string]any{
		"id": id, "thread_id": fmt.Sprintf("%s-thr-%d", prefix, i%20+1), "subject": subject, "from_name": "Grace Hopper",
		"from_email": "grace@example.com", "to": []string{"me@example.com"}, "cc": []string{}, "bcc": []string{}, "reply_to": []string{},
		"date": received, "received_at": received, "message_id": "<" + id + "@example.com>", "in_reply_to": nil, "references": []string{},
		"size_bytes": 1000 + 10*i, "labels": []string{"INBOX"}, "is_draft": false, "is_flagged": i%4 == 0, "is_seen": i%2 == 0,
		"is_answered": i%10 == 0, "has_attachments": i%10 == 0, "snippet": snippet,
	})
	body := "meeting mountain, an overdraft fee, recipe, coffee in the garden."
	if i == 5 {
		body = strings.Repeat("meeting mountain needle overdraft recipe garden invoice. ", 95) + "😀 Third needle, Second NEEDLE " + strings.Repeat("coffee travel protocol ", 170)
	}
	c.add(connection, "message_bodies", id, map[string]any{
		"id": id, "message_id": id, "body_text": body, "body_html": nil, "body_text_bytes": len(body), "body_html_bytes": nil,
		"body_source": "text", "charset": "utf-8", "content_languages": []string{"en"}, "message_received_at": received,
	})
	thread := fmt.Sprintf("%s-thr-%d", prefix, i%20+1)
	c.add(connection, "threads", thread, map[string]any{
		"id": thread, "subject": subject, "participant_emails": []string{"grace@example.com"}, "message_count": 3, "first_message_date": received,
		"last_message_date": received, "labels": []string{"INBOX"}, "unread_count": 0, "flagged_count": 0, "has_attachments": false,
	})
	if i%10 == 0 {
		c.attachment(connection, id, 1, received)
		c.attachment(connection, id, 2, received)
	}
}

func (c *captured) attachment(connection, message string, part int, received string) {
	id := fmt.Sprintf("%s:%d", message, part)
	c.add(connection, "attachments", id, map[string]any{
		"id": id, "message_id": message, "filename": id + ".pdf", "content_type": "application/pdf", "size_bytes": 10, "content_id": nil,
		"is_inline": false, "encoding": "base64", "part_index": fmt.Sprint(part), "message_received_at": received, "blob_ref": nil,
		"content_sha256": nil, "hydration_status": "hydrated", "hydration_error": nil,
	})
}
