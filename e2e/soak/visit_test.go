package soak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// place is one stream of one connection.
type place struct{ connection, stream string }

// reader is a caller with a token, and what it may read.
type reader struct {
	name        string
	token       string
	connections []string
	without     string // a stream of those connections that is not granted
}

// places are the sources that the tools read. They include the streams of all callers.
var places = []place{
	{"cin_gmail_personal", "messages"},
	{"cin_gmail_personal", "message_bodies"},
	{"cin_gmail_personal", "threads"},
	{"cin_gmail_work", "messages"},
	{"cin_gmail_work", "attachments"},
	{"cin_slack_team", "chat_messages"},
	{"cin_slack_team", "users"},
	{"cin_spotify", "play_history"},
	{"cin_spotify", "saved_tracks"},
	{"cin_spotify", "top_artists"},
	{"cin_calendar", "events"},
	{"cin_fjordbank", "transactions"},
}

var words = []string{"overdraft", "soup", "noodles", "parcel", "rehearsal", "deposit", "umbrella"}

// visit is one call and the check of its answer. The check returns what is wrong, or an empty string.
type visit struct {
	tool, arguments string
	check           func(ctx context.Context, got outcome) (string, error)
}

// choose makes a visit of a caller. What is asked for does not depend on what was answered before, save for a second
// page.
func (s *soak) choose(who reader, dice *rand.Rand) visit {
	var mine []place
	for _, each := range places {
		if slices.Contains(who.connections, each.connection) {
			mine = append(mine, each)
		}
	}
	in := mine[dice.IntN(len(mine))]
	switch dice.IntN(7) {
	case 0:
		return s.aggregate(in)
	case 1:
		return s.search(who, words[dice.IntN(len(words))], 4+dice.IntN(20)) // fewer hits than sources ask only some of them
	case 2:
		return s.fetch(in, dice)
	case 3:
		return s.schema(who)
	case 4:
		return s.window(who, dice)
	}
	return s.page(in, 1+dice.IntN(40))
}

func different(what string, got, want any) string {
	return fmt.Sprintf("%s: got %v, SQL has %v", what, got, want)
}

// isShorter reports whether a page may have fewer rows than were asked for: one that would be too long is read again
// with a smaller limit (R-BUD-3), and shown as far as it fits when the resource server goes away between.
func (s *soak) isShorter(got outcome) bool {
	return strings.Contains(got.text, "limit_used=") || s.trouble.overlaps(got)
}

func (s *soak) page(in place, limit int) visit {
	return visit{
		"query_records", fmt.Sprintf(`{"stream":%q,"connection_id":%q,"limit":%d,"count":"exact"}`, in.stream,
			in.connection, limit),
		func(ctx context.Context, got outcome) (string, error) {
			var answer struct {
				Data struct {
					Data []struct {
						ID     string `json:"id"`
						Handle string `json:"handle"`
					} `json:"data"`
					Meta struct {
						Count struct {
							Value json.Number `json:"value"`
						} `json:"count"`
					} `json:"meta"`
				} `json:"data"`
			}
			if err := json.Unmarshal(got.structured, &answer); err != nil {
				return "", err
			}
			var ids []string
			for _, row := range answer.Data.Data {
				ids = append(ids, row.ID)
				if connection, _, _ := strings.Cut(row.Handle, "/"); connection != in.connection {
					return different("connection", connection, in.connection), nil
				}
			}
			rows := limit
			if s.isShorter(got) {
				rows = len(ids)
			}
			keys, err := s.oracle.keys(ctx, in, rows, 0)
			if err != nil || !slices.Equal(ids, keys) {
				return different("ids", ids, keys), err
			}
			count, err := s.oracle.count(ctx, in)
			if answer.Data.Meta.Count.Value.String() != count {
				return different("count", answer.Data.Meta.Count.Value, count), err
			}
			for _, id := range ids {
				compound := strings.HasPrefix(id, "[") // its handle is percent-encoded
				if !compound && !strings.Contains(got.text, id) {
					return "text does not hold " + id, nil
				}
			}
			return "", err
		},
	}
}

func (s *soak) aggregate(in place) visit {
	return visit{
		"aggregate", fmt.Sprintf(`{"stream":%q,"connection_id":%q,"metric":"count"}`, in.stream, in.connection),
		func(ctx context.Context, got outcome) (string, error) {
			var answer struct {
				Data struct {
					Value json.Number `json:"value"`
				} `json:"data"`
			}
			if err := json.Unmarshal(got.structured, &answer); err != nil {
				return "", err
			}
			count, err := s.oracle.count(ctx, in)
			if answer.Data.Value.String() != count || !strings.Contains(got.text, count) {
				return different("value", answer.Data.Value, count), err
			}
			return "", err
		},
	}
}

// rankedOf returns the number of records that a search ranks: up to 200 matches of each connection.
func rankedOf(handles map[string]bool) int {
	ranked, ofConnection := 0, map[string]int{}
	for handle := range handles {
		connection, _, _ := strings.Cut(handle, "/")
		if ofConnection[connection]++; ofConnection[connection] <= 200 {
			ranked++
		}
	}
	return ranked
}

func (s *soak) search(who reader, word string, limit int) visit {
	return visit{
		"search", fmt.Sprintf(`{"q":%q,"limit":%d}`, word, limit),
		func(ctx context.Context, got outcome) (string, error) {
			var answer struct {
				Results []struct {
					ID string `json:"id"`
				} `json:"results"`
				Data struct {
					Meta struct {
						Count struct {
							Kind  string      `json:"kind"`
							Value json.Number `json:"value"`
						} `json:"count"`
					} `json:"meta"`
				} `json:"data"`
			}
			if err := json.Unmarshal(got.structured, &answer); err != nil {
				return "", err
			}
			handles, err := s.oracle.handles(ctx, word, who.connections)
			if err != nil {
				return "", err
			}
			if len(handles) == 0 {
				return "", nil // the hits have other forms of the word (R-FIND-1)
			}
			missing := strings.Contains(got.text, "source_unavailable")
			if missing && strings.Contains(got.text, "In what was searched, no indexed field") {
				return "", nil // the other sources have the word in other forms only (R-FIND-1)
			}
			seen := map[string]bool{}
			for _, hit := range answer.Results {
				if !handles[hit.ID] || seen[hit.ID] {
					return fmt.Sprintf("the hit %s is not one of %d in SQL, or there twice: %s", hit.ID, len(handles), got.text), nil
				}
				seen[hit.ID] = true
			}
			ranked := rankedOf(handles)
			counted := ranked == len(handles) // else what the sources ranked is a lower bound
			count := answer.Data.Meta.Count
			if !missing && counted && (count.Kind != "exact" || count.Value.String() != strconv.Itoa(ranked)) {
				return different("count", count, ranked) + ": " + got.text, nil
			}
			if want := min(limit, ranked); !missing && len(seen) != want && !s.isShorter(got) {
				return different("hits", len(seen), want), nil
			}
			return "", nil
		},
	}
}

func (s *soak) fetch(in place, dice *rand.Rand) visit {
	keys := s.keys[in]
	key := keys[dice.IntN(len(keys))]
	if strings.HasPrefix(key, "[") {
		return s.aggregate(in) // a handle of a compound key is a matter of other tests
	}
	id := in.connection + "/" + in.stream + ":" + key
	return visit{"fetch", fmt.Sprintf(`{"id":%q}`, id), func(ctx context.Context, got outcome) (string, error) {
		var document struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(got.structured, &document); err != nil {
			return "", err
		}
		stored, err := s.oracle.value(ctx, in, key, "id")
		if document.ID != id || stored != "" && !strings.Contains(document.Text, stored) {
			return different("document", document.ID+" "+document.Text, stored), err
		}
		return "", err
	}}
}

// window reads a part of a text that only mail has; others read their schema.
func (s *soak) window(who reader, dice *rand.Rand) visit {
	in := place{"cin_gmail_personal", "message_bodies"}
	if !slices.Contains(who.connections, in.connection) {
		return s.schema(who)
	}
	key := s.keys[in][dice.IntN(len(s.keys[in]))]
	limit := 1 + dice.IntN(200)
	arguments := fmt.Sprintf(`{"id":%q,"field_path":"body_text","limit_chars":%d}`,
		in.connection+"/"+in.stream+":"+key, limit)
	return visit{"read_record_field", arguments, func(ctx context.Context, got outcome) (string, error) {
		var answer struct {
			Window struct {
				Text  string `json:"text"`
				Start int    `json:"start_chars"`
				Total int    `json:"total_chars"`
			} `json:"window"`
		}
		if err := json.Unmarshal(got.structured, &answer); err != nil {
			return "", err
		}
		stored, err := s.oracle.value(ctx, in, key, "body_text")
		if !strings.HasPrefix(stored, answer.Window.Text) || answer.Window.Text == "" != (stored == "") ||
			!strings.Contains(got.text, escaped(answer.Window.Text)) {
			return different("window", answer.Window.Text, stored), err
		}
		return "", err
	}}
}

// escaped returns a text with the escapes that a window has in text (R-TRUST-1).
func escaped(text string) string {
	var shown []byte
	for _, r := range text {
		if rawjson.IsUnseen(r) && r != '\n' && r != '\t' {
			shown = rawjson.AppendEscape(shown, r)
			continue
		}
		shown = utf8.AppendRune(shown, r)
	}
	return string(shown)
}

func (s *soak) schema(who reader) visit {
	return visit{"schema", `{}`, func(ctx context.Context, got outcome) (string, error) {
		for _, connection := range []string{"cin_gmail_personal", "cin_gmail_work", "cin_spotify", "cin_slack_team"} {
			streams, err := s.oracle.streams(ctx, connection)
			if err != nil {
				return "", err
			}
			granted := slices.Contains(who.connections, connection)
			if shown := strings.Contains(string(got.structured), connection); shown != granted &&
				!strings.Contains(got.text, "source_unavailable") {
				return fmt.Sprintf("schema shows %s: %v, granted: %v", connection, shown, granted), nil
			}
			for _, stream := range streams {
				if granted && stream != who.without && !strings.Contains(got.text, stream) &&
					!strings.Contains(got.text, "source_unavailable") {
					return "schema does not name " + stream, nil
				}
			}
		}
		return "", nil
	}}
}

// patience returns the time until a caller gives up.
func patience(dice *rand.Rand) time.Duration { return time.Duration(dice.IntN(12)) * time.Millisecond }
