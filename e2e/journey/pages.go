package journey

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

var longStream = blind.Topic{Stream: "play_history", Label: "Spotify"}

// minRecords is the smallest number of records in the long stream.
const minRecords = 2_000

// R-BUD-3: paging by the shown cursor, or by the shown call, under the page budget loses no record, shows
// none twice, and keeps the order; with the largest limit, and without one.
func pagesOfALongStream(t *testing.T, v *traveller) {
	want := v.ids(t, longStream.Stream, sample.Music)
	if len(want) < minRecords {
		t.Fatalf("the stream has %d records, too few to walk", len(want))
	}
	for _, way := range []struct {
		name   string
		limit  int // 0: none is sent
		follow blind.Follow
	}{
		{"largest limit by cursor", 100, blind.ByCursor},
		{"no limit by call", 0, blind.ByCall},
	} {
		t.Run(way.name, func(t *testing.T) {
			rows, err := v.Walk(t.Context(), longStream, way.limit, way.follow)
			if err != nil {
				t.Fatal(err)
			}
			checkOrder(t, want, rows)
			v.accepted(t)
		})
	}
}

// R-BUD-1, R-BUD-3: a page over several connections has no cursor; its calls continue each connection after the last
// row shown, so that every record is seen once and in the order of its connection.
func pagesOfSeveralConnections(t *testing.T, v *traveller) {
	if v.ofPackage() { // R-PKG-7: its records are of one source, which must be chosen
		v.choose(t, "query_records", map[string]any{"stream": "messages", "limit": 20},
			[]string{sample.PersonalMail, sample.WorkMail})
		return
	}
	want := append(v.ids(t, "messages", sample.PersonalMail), v.ids(t, "messages", sample.WorkMail)...)
	rows, err := v.WalkAll(t.Context(), "messages", 20)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(rows, func(a, b blind.Row) int { return strings.Compare(connectionOf(a), connectionOf(b)) })
	checkOrder(t, want, rows)
	v.accepted(t)
}

func connectionOf(row blind.Row) string {
	connection, _, _ := strings.Cut(row.ID, "/")
	return connection
}

// ids returns the handles of the live records of a stream, newest first.
func (v *traveller) ids(t *testing.T, stream, connectionID string) []string {
	t.Helper()
	o := oracle{t: t, db: v.provider.Box.Store().DB(), stream: declared(t, blind.Topic{Stream: stream})}
	keys, _, _ := o.rows(t.Context(), question{Stream: stream, ConnectionID: connectionID})
	for i, key := range keys {
		keys[i] = connectionID + "/" + stream + ":" + key
	}
	return keys
}

// checkOrder reports missing and repeated ids first, then compares the order.
func checkOrder(t *testing.T, want []string, rows []blind.Row) {
	t.Helper()
	seen := map[string]int{}
	var got []string
	for _, row := range rows {
		seen[row.ID]++
		got = append(got, row.ID)
	}
	var lost, twice []string
	for _, id := range want {
		switch {
		case seen[id] == 0:
			lost = append(lost, id)
		case seen[id] > 1:
			twice = append(twice, id)
		}
	}
	if len(lost) > 0 || len(twice) > 0 {
		t.Fatalf("%d of %d records are lost, %d are shown twice; the first are %v and %v",
			len(lost), len(want), len(twice), lost[:min(3, len(lost))], twice[:min(3, len(twice))])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-SQL +seen):\n%s", diff)
	}
}

// R-QRY-4, R-HAND-8: a feed read from the beginning has every record and every tombstone. Continued
// after a deletion and an update, it has exactly these two.
func changesAfterChanges(t *testing.T, v *traveller) {
	for _, follow := range []blind.Follow{blind.ByCursor, blind.ByCall} {
		t.Run("by "+string(follow), func(t *testing.T) { v.changes(t, follow) })
	}
}

func (v *traveller) changes(t *testing.T, follow blind.Follow) {
	topic := blind.Topic{Stream: "chat_messages", Label: "Team chat"}
	ctx, records := t.Context(), v.provider.Box.Store()
	want, live := v.feed(ctx, t, topic.Stream, sample.TeamChat)
	first, bookmark, err := v.Changes(ctx, topic, "", follow)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, states(first)); diff != "" {
		t.Errorf("the feed from the beginning (-SQL +seen):\n%s", diff)
	}

	deleted, updated := live[3], live[len(live)/2]
	set := sample.Shared()
	i := slices.IndexFunc(set.Records, recordNamed(sample.TeamChat, topic.Stream, updated))
	if i < 0 {
		t.Fatalf("no record %s in the sample", updated)
	}
	if err := records.Delete(ctx, sample.TeamChat, topic.Stream, deleted); err != nil {
		t.Fatal(err)
	}
	if err := records.Put(ctx, set.Records[i]); err != nil {
		t.Fatal(err)
	}
	prefix := sample.TeamChat + "/" + topic.Stream + ":"
	resumed, end, err := v.Changes(ctx, topic, bookmark, follow)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]state{{prefix + deleted, true}, {prefix + updated, false}}, states(resumed)); diff != "" {
		t.Errorf("the feed after a deletion and an update (-want +seen):\n%s", diff)
	}
	if more, _, err := v.Changes(ctx, topic, end, follow); err != nil || len(more) > 0 {
		t.Errorf("the feed shows %d changes after the last, %v", len(more), err)
	}
	v.accepted(t)
}

// state is a record in a feed.
type state struct {
	ID      string
	Deleted bool
}

func states(rows []blind.Row) []state {
	var all []state
	for _, row := range rows {
		all = append(all, state{row.ID, row.Deleted})
	}
	return all
}

// feed returns the changes in a stream's feed, oldest first, and the keys of its live records.
func (v *traveller) feed(ctx context.Context, t *testing.T, stream, connectionID string) (all []state, live []string) {
	t.Helper()
	var s statement
	s.add("SELECT key, deleted_at IS NOT NULL FROM record WHERE connection_id = ? AND stream = ? ORDER BY version",
		connectionID, stream)
	o := oracle{t: t, db: v.provider.Box.Store().DB()}
	o.each(ctx, &s, func(rows *sql.Rows) error {
		var key string
		var deleted bool
		err := rows.Scan(&key, &deleted)
		all = append(all, state{connectionID + "/" + stream + ":" + key, deleted})
		if !deleted {
			live = append(live, key)
		}
		return err
	})
	return all, live
}
