package resource_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// The tokens of the fixture. narrow sees four fields of the messages of January 10 to 31 of one connection.
const (
	personalToken = "personal"
	bothToken     = "both"
	narrowToken   = "narrow"
	ownerToken    = "owner"
	packageToken  = "package"
	revokedToken  = "revoked"
	expiredToken  = "expired"
	emptyToken    = "empty" // of a client without a grant
	crossToken    = "cross"
	unlinkedToken = "unlinked" // sees attachments, but not which blob they are
)

const (
	personal = "cin_mail_personal"
	work     = "cin_mail_work"
)

const metadataURL = "http://sandbox.test/.well-known/oauth-protected-resource"

const (
	personalCount = 40
	workCount     = 8
)

// fixture is a resource server over a small dataset: two mailboxes, and a connector without text.
type fixture struct {
	t       *testing.T
	store   *store.Store
	handler http.Handler
	grants  *grantList
}

// grantList replaces the authorization server.
type grantList struct {
	accesses map[string]catalog.Access

	mu      sync.Mutex
	revoked string // a grant's id
}

func (g *grantList) find(id string) (catalog.Grant, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, access := range g.accesses {
		for _, grant := range access.Grants {
			if grant.ID == id {
				grant.Revoked = grant.Revoked || id == g.revoked
				return grant, true
			}
		}
	}
	return catalog.Grant{}, false
}

func (g *grantList) revoke(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revoked = id
}

// newFixture has the richer server, so that grants of every kind can ask everything.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureOf(t, resource.Options{Reads: resource.ReadsOpen})
}

func newFixtureOf(t *testing.T, options resource.Options) *fixture {
	t.Helper()
	st, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	dataset := mailDataset()
	if err := st.Load(t.Context(), dataset); err != nil {
		t.Fatalf("load dataset: %v", err)
	}
	accesses := mailAccesses()
	access := func(token string) (catalog.Access, bool) {
		granted, known := accesses[token]
		return granted, known
	}
	subscriptions := subscription.NewRegistry(
		subscription.Options{Retries: []time.Duration{time.Millisecond, time.Millisecond}})
	t.Cleanup(subscriptions.Close)
	grants := &grantList{accesses: accesses}
	options.ResourceMetadataURL, options.Grant, options.Subscriptions = metadataURL, grants.find, subscriptions
	return &fixture{t: t, store: st, grants: grants, handler: resource.New(st, dataset, access, options)}
}

func mailStreams() []catalog.Stream {
	ranges := []string{"gte", "gt", "lte", "lt"}
	return []catalog.Stream{
		{
			Name: "messages", PrimaryKey: []string{"id"}, CursorField: "received_at", ConsentTimeField: "received_at",
			Fields: []catalog.Field{
				{Name: "id", Type: "string", Exact: true},
				{Name: "subject", Type: "string", Role: "primary-title", Exact: true, Lexical: true},
				{
					Name: "from_email", Type: "string", Nullable: true, Exact: true,
					Aggregations: []string{"count_distinct", "group_by"},
				},
				{
					Name: "received_at", Type: "string", Format: "date-time", Role: "event-time", Exact: true, Range: ranges,
					Aggregations: []string{"group_by_time", "max", "min"},
				},
				{
					Name: "size_bytes", Type: "integer", Nullable: true, Exact: true, Range: ranges,
					Aggregations: []string{"max", "min", "sum"},
				},
				{Name: "is_flagged", Type: "boolean", Exact: true, Aggregations: []string{"group_by"}},
				{Name: "labels", Type: "array"},
				{Name: "body", Type: "string", Nullable: true, Lexical: true},
			},
			Views: []catalog.View{{Name: "envelope", Fields: []string{"id", "subject", "received_at"}}},
			Relations: []catalog.Relation{
				{
					Name: "attachments", Target: "attachments", Cardinality: "has_many", ForeignKey: "message_id",
					DefaultLimit: 10, MaxLimit: 50,
				},
				{Name: "envelope", Target: "envelopes", Cardinality: "has_one", ForeignKey: "message_id"},
			},
		},
		{
			Name: "attachments", PrimaryKey: []string{"id"}, CursorField: "received_at", ConsentTimeField: "received_at",
			Fields: []catalog.Field{
				{Name: "id", Type: "string", Exact: true},
				{Name: "message_id", Type: "string", Exact: true},
				{Name: "filename", Type: "string", Lexical: true},
				{Name: "received_at", Type: "string", Format: "date-time"},
				{Name: "blob_ref", Type: "object", Nullable: true},
			},
		},
		{
			Name: "envelopes", PrimaryKey: []string{"message_id", "day"},
			Fields: []catalog.Field{{Name: "message_id", Type: "string"}, {Name: "day", Type: "string"}},
		},
	}
}

func mailDataset() catalog.Dataset {
	dataset := catalog.Dataset{
		Connectors: []catalog.Connector{
			{Key: "mail", Name: "Mail", Streams: mailStreams()},
			{Key: "steps", Name: "Steps", Streams: []catalog.Stream{{
				Name: "days", PrimaryKey: []string{"day"}, CursorField: "count",
				Fields: []catalog.Field{{Name: "day", Type: "string"}, {Name: "count", Type: "integer"}},
			}}},
			{Key: "sleep", Name: "Sleep", Streams: []catalog.Stream{{
				Name: "days", PrimaryKey: []string{"day"}, Fields: []catalog.Field{{Name: "day", Type: "string"}},
			}}},
		},
		Connections: []catalog.Connection{
			{ID: personal, ConnectorKey: "mail", DisplayName: "Personal mail"},
			{ID: work, ConnectorKey: "mail", DisplayName: "Work mail"},
			{ID: "cin_steps", ConnectorKey: "steps", DisplayName: "Steps"},
			{ID: "cin_sleep", ConnectorKey: "sleep", DisplayName: "Sleep"},
		},
		Blobs: []catalog.Blob{
			{ID: "blob_invoice", ConnectionID: personal, ContentType: "application/pdf", Bytes: []byte("%PDF-1.4 invoice")},
			{ID: "blob_secret", ConnectionID: work, ContentType: "text/plain", Bytes: []byte("salary")},
			{ID: "blob_orphan", ConnectionID: personal, ContentType: "text/plain", Bytes: []byte("no record refers to this")},
		},
	}
	dataset.Records = append(dataset.Records, mailbox(personal, "p", personalCount)...)
	dataset.Records = append(dataset.Records, mailbox(work, "w", workCount)...)
	for _, connection := range []string{personal, work} {
		dataset.Records = append(dataset.Records, record(connection, "messages", "shared", map[string]any{
			"id": "shared", "subject": "😀 emoji subject e\u0301 " + connection, "received_at": "2025-12-31T23:30:00Z",
			"size_bytes": nil, "is_flagged": false, "labels": []string{}, "from_email": nil, "body": nil,
		}), record(connection, "attachments", "shared:1", map[string]any{"id": "shared:1", "message_id": "shared"}))
	}
	dataset.Records = append(dataset.Records, record("cin_sleep", "days", "night", map[string]any{"day": "night"}))
	for i, count := range []int{9, -3, 10, 200} {
		dataset.Records = append(dataset.Records,
			record("cin_steps", "days", fmt.Sprint("d", i), map[string]any{"day": fmt.Sprint("d", i), "count": count}))
	}
	return dataset
}

// mailbox has one message a day from 2026-01-01 09:00 on, in alternating time zones, and two attachments
// on every tenth. Every fifth is about an overdraft and flagged.
func mailbox(connection, prefix string, count int) []catalog.Record {
	var records []catalog.Record
	for i := 1; i <= count; i++ {
		id := fmt.Sprintf("%s-%03d", prefix, i)
		received := time.Date(2026, 1, i, 9, 0, 0, 0, time.UTC)
		if i%2 == 0 {
			received = received.In(time.FixedZone("", -7*3600))
		}
		subject, body := fmt.Sprintf("note %d", i), strings.Repeat("meeting ledger ", 20)
		if i%5 == 0 {
			subject, body = fmt.Sprintf("Overdraft notice %d", i), body+"the overdraft fee was waived by Zürich "+body
		}
		records = append(records, record(connection, "messages", id, map[string]any{
			"id": id, "subject": subject, "from_email": fmt.Sprintf("person%d@example.com", i%3),
			"received_at": received.Format(time.RFC3339), "size_bytes": 1000 + i, "is_flagged": i%5 == 0,
			"labels": []string{"INBOX"}, "body": body,
		}))
		if i%10 == 0 {
			records = append(records, attachments(connection, id, received)...)
		}
	}
	return records
}

func attachments(connection, message string, received time.Time) []catalog.Record {
	var records []catalog.Record
	for part := 1; part <= 2; part++ {
		id := fmt.Sprintf("%s:%d", message, part)
		var blob any
		switch id {
		case "p-010:1":
			blob = map[string]any{"blob_id": "blob_invoice"}
		}
		records = append(records, record(connection, "attachments", id, map[string]any{
			"id": id, "message_id": message, "filename": "file.pdf", "received_at": received.Format(time.RFC3339),
			"blob_ref": blob,
		}))
	}
	key := fmt.Sprintf(`[%q,"2026-01-01"]`, message)
	return append(records, record(connection, "envelopes", key,
		map[string]any{"message_id": message, "day": "2026-01-01"}))
}

func record(connection, stream, key string, data map[string]any) catalog.Record {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return catalog.Record{
		ConnectionID: connection, Stream: stream, Key: key, Data: raw,
		EmittedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
	}
}

func mailAccesses() map[string]catalog.Access {
	client := func(grant catalog.Grant) catalog.Access {
		grant.ClientID, grant.ConnectorKey = "longview", "mail"
		return catalog.Access{Kind: "client", ClientID: "longview", Grants: []catalog.Grant{grant}}
	}
	streams := func(connections ...string) []catalog.StreamGrant {
		return []catalog.StreamGrant{
			{Name: "messages", ConnectionIDs: connections},
			{Name: "attachments", ConnectionIDs: connections},
			{Name: "envelopes", ConnectionIDs: connections},
		}
	}
	return map[string]catalog.Access{
		ownerToken:    {Kind: "owner"},
		packageToken:  {Kind: "mcp_package", ClientID: "longview"},
		personalToken: client(catalog.Grant{ID: "grt_personal", Streams: streams(personal)}),
		bothToken:     client(catalog.Grant{ID: "grt_both", Streams: streams(personal, work)}),
		narrowToken: client(catalog.Grant{ID: "grt_narrow", Streams: []catalog.StreamGrant{{
			Name: "messages", ConnectionIDs: []string{personal}, Fields: []string{"id", "subject", "received_at", "labels"},
			Since: time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		}}}),
		emptyToken:   {Kind: "client", ClientID: "longview"},
		revokedToken: client(catalog.Grant{ID: "grt_revoked", Revoked: true, Streams: streams(personal)}),
		crossToken: {Kind: "client", ClientID: "longview", Grants: []catalog.Grant{
			{
				ID: "grt_steps", ConnectorKey: "steps",
				Streams: []catalog.StreamGrant{{Name: "days", ConnectionIDs: []string{"cin_steps"}}},
			},
			{
				ID: "grt_sleep", ConnectorKey: "sleep",
				Streams: []catalog.StreamGrant{{Name: "days", ConnectionIDs: []string{"cin_sleep"}}},
			},
		}},
		unlinkedToken: client(catalog.Grant{ID: "grt_unlinked", Streams: []catalog.StreamGrant{
			{Name: "attachments", ConnectionIDs: []string{personal}, Fields: []string{"id", "filename"}},
			{Name: "messages", ConnectionIDs: []string{personal}},
		}}),
		expiredToken: client(catalog.Grant{ID: "grt_expired", ExpiresAt: time.Unix(1, 0), Streams: streams(personal)}),
	}
}

// answer is a decoded response.
type answer struct {
	*httptest.ResponseRecorder
	t    *testing.T
	body map[string]any
}

// send sends a request with a token; the target's query may hold raw brackets.
func (f *fixture) send(method, token, target, body string, header ...string) answer {
	f.t.Helper()
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	f.handler.ServeHTTP(recorder, request)
	a := answer{ResponseRecorder: recorder, t: f.t}
	if strings.HasPrefix(recorder.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(recorder.Body.Bytes(), &a.body); err != nil {
			f.t.Fatalf("%s %s: the answer is not JSON: %v", method, target, err)
		}
	}
	return a
}

// get expects status 200.
func (f *fixture) get(token, target string) answer {
	f.t.Helper()
	a := f.send(http.MethodGet, token, target, "")
	if a.Code != http.StatusOK {
		f.t.Fatalf("GET %s: status %d: %s", target, a.Code, a.Body)
	}
	return a
}

// at walks into the answer by names and indices, such as "data.0.id". What is not there is nil.
func (a answer) at(path string) any {
	var value any = a.body
	for step := range strings.SplitSeq(path, ".") {
		switch container := value.(type) {
		case map[string]any:
			value = container[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(container) {
				return nil
			}
			value = container[i]
		default:
			return nil
		}
	}
	return value
}

// text returns the string at a path.
func (a answer) text(path string) string {
	text, _ := a.at(path).(string)
	return text
}

// column lists one member of every element of the array at a path.
func (a answer) column(path, name string) []string {
	rows, _ := a.at(path).([]any)
	values := []string{}
	for _, row := range rows {
		values = append(values, fmt.Sprint(row.(map[string]any)[name]))
	}
	return values
}

// want compares the JSON of the value at a path.
func (a answer) want(path, wanted string) {
	a.t.Helper()
	var got strings.Builder
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a.at(path)); err != nil {
		a.t.Fatal(err)
	}
	if strings.TrimSpace(got.String()) != wanted {
		a.t.Errorf("%s = %s, want %s", path, strings.TrimSpace(got.String()), wanted)
	}
}

// number asks the database.
func (f *fixture) number(query string, arguments ...any) int {
	f.t.Helper()
	var number int
	if err := f.store.DB().QueryRowContext(f.t.Context(), query, arguments...).Scan(&number); err != nil {
		f.t.Fatalf("%s: %v", query, err)
	}
	return number
}
