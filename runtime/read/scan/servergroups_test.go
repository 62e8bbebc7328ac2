package scan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// closedAggregates refuses every aggregate as a server in maintenance does.
type closedAggregates struct{ rs.Reader }

func (c closedAggregates) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if strings.HasSuffix(string(request.Path), "/aggregate") {
		return nil, refused("invalid_request", "")
	}
	return c.Reader.Get(ctx, request)
}

// R-ERR-1, R-SCAN-3: a refusal that concerns no field, filter or grouping is passed on where the schema advertises
// aggregates. Where it advertises none, the records are counted and the refusal is shown (810k).
func TestRefusalOfAPlainCount(t *testing.T) {
	for _, reads := range resource.AllReads() {
		reader := sandboxOf(t, reads, "everything")
		reader.Reader = closedAggregates{reader.Reader}
		result, err := newCaller(reader, 20_000).try(t, "aggregate",
			`{"stream":"messages","connection_id":"cin_gmail_work","metric":"count"}`)
		switch isOpen := reads == resource.ReadsOpen; {
		case isOpen && err == nil:
			t.Errorf("the refusal is swallowed: %s", result.Text)
		case !isOpen && (err != nil || !strings.Contains(result.Text, "refused to count (400)") ||
			!strings.Contains(string(result.Structured), "refused to count (400)")):
			t.Errorf("the records are not counted, or without a word: %v %+v", err, result)
		}
		for _, asked := range reader.taken() {
			if reads == resource.ReadsOpen && strings.Contains(asked, "/records?") {
				t.Errorf("read after the refusal: %s", asked)
			}
		}
	}
}

// R-ERR-7, R-AGG-5: a refusal of a range is not blamed on a grouping that the adapter computes.
func TestRefusalOfARangeInAnAggregate(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	_, err := c.try(t, "aggregate", `{"stream":"messages","metric":"count","group_by":"subject","filter":{"subject":{"gte":"a"}}}`)
	var explained *tool.Explained
	if refused := new(rs.Error); !errors.As(err, &refused) || !strings.Contains(refused.Message, "Range filters") || errors.As(err, &explained) {
		t.Errorf("%v, explained by %+v", err, explained)
	}
}

// R-CLAIM-7, R-AGG-5: the cursors of groups lead to all of them, each once, at a provider that groups and at one that
// does not. Both channels say which groups a later page has.
func TestGroupsHaveCursors(t *testing.T) {
	timetest.WithoutRace(t)
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		for _, arguments := range []string{
			`{"stream":"messages","metric":"count","group_by":"subject","limit":100}`,
			`{"stream":"play_history","connection_id":"cin_spotify","metric":"count","group_by":"track_name","limit":40,"sort":"key"}`,
			`{"stream":"play_history","metric":"sum","field":"ms_played","group_by":"track_name","limit":100,"sort":"value"}`,
			`{"stream":"play_history","metric":"count","group_by":"artist_name","group_by_time":"played_at","granularity":"month","limit":100}`,
		} {
			keys, added, cursors := map[string]bool{}, int64(0), 0
			var read page
			for next := arguments; next != ""; {
				read = c.call(t, "aggregate", next)
				if strings.Contains(read.text, "further_groups=unknown") && reads != resource.ReadsOpen {
					t.Errorf("the tally does not know how many groups follow: %s", read.text)
				}
				said := fmt.Sprintf("These are the groups %d to %d; other_count records are in the other groups.",
					len(keys)+1, len(keys)+len(read.Data.Groups))
				if isLater := strings.Contains(next, `"cursor":`); strings.Contains(read.text, said) != isLater ||
					strings.Contains(read.Note, said) != isLater {
					t.Errorf("%s %s: not %q: %s\nnote: %s", reads, next, said, read.text, read.Note)
				}
				for _, each := range read.Data.Groups {
					var group struct {
						Key   json.RawMessage
						Time  string
						Count int64
					}
					if err := json.Unmarshal(each, &group); err != nil {
						t.Fatal(err)
					}
					if keys[string(group.Key)+group.Time] {
						t.Errorf("%s: %s is shown again", reads, each)
					}
					keys[string(group.Key)+group.Time] = true
					added += group.Count
				}
				if next = ""; len(read.Next) > 0 {
					if next = string(read.Next[0].Arguments); strings.Contains(next, `"cursor":`) {
						cursors++
					} else {
						keys, added = map[string]bool{}, 0 // the call is one in place of this one
					}
				}
			}
			if added != read.Data.Filtered || cursors == 0 {
				t.Errorf("%s: %d of %d records in %d groups, %d cursors of %s",
					reads, added, read.Data.Filtered, len(keys), cursors, arguments)
			}
		}
	}
}

// R-SCAN-7: a cursor of groups is refused in another call, also in one with another order.
func TestForeignCursorsOfGroups(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	const first = `{"stream":"messages","metric":"count","group_by":"subject","limit":100,"sort":"key"}`
	read := c.call(t, "aggregate", first)
	var next struct{ Cursor string }
	if err := json.Unmarshal(read.Next[0].Arguments, &next); err != nil || next.Cursor == "" {
		t.Fatalf("%v %s", err, read.text)
	}
	for _, arguments := range []string{
		`{"stream":"messages","metric":"count","group_by":"subject","sort":"-value","cursor":"` + next.Cursor + `"}`,
		`{"stream":"messages","metric":"count","group_by":"from_name","sort":"key","cursor":"` + next.Cursor + `"}`,
		`{"stream":"messages","metric":"count","group_by":"subject","cursor":"of the server"}`,
		`{"stream":"*","metric":"count","cursor":"` + next.Cursor + `"}`,
	} {
		var refused *tool.Error
		if _, err := c.try(t, "aggregate", arguments); !errors.As(err, &refused) || refused.Param != "cursor" {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// R-ARG-6, R-AGG-2: the resource server receives the limit of the call. If it cuts the groups, a second request counts
// the others.
func TestLimitOfGroups(t *testing.T) {
	for _, reads := range resource.AllReads() {
		for arguments, want := range map[string]struct {
			limits  []string
			further string
		}{
			`"group_by":"category","limit":3`:                             {[]string{"limit=3", "limit=100"}, "14"},
			`"group_by":"category"`:                                       {[]string{"", "limit=100"}, "7"},
			`"group_by":"category","limit":50`:                            {[]string{"limit=50"}, "0"},
			`"group_by_time":"booked_at","granularity":"month","limit":3`: {[]string{"limit=3", "limit=100"}, "9"},
		} {
			c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
			read := c.call(t, "aggregate", `{"stream":"transactions","metric":"count",`+arguments+`}`)
			var limits []string
			for _, asked := range c.taken() {
				if strings.Contains(asked, "/aggregate?") {
					limits = append(limits, regexp.MustCompile(`limit=\d+|$`).FindString(asked))
				}
			}
			if !slices.Equal(limits, want.limits) || !strings.Contains(read.text, "further_groups="+want.further+" ") {
				t.Errorf("%s %s: requests with %q, not %q, or not %s further groups:\n%s", reads, arguments, limits, want.limits,
					want.further, read.text)
			}
		}
	}
}

// aggregates is a resource server whose aggregates have a body.
type aggregates string

func (aggregates) ProviderURL() string { return provider }

func (a aggregates) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	return rs.Response{Status: 200, Request: request, URL: provider}.WithBody([]byte(a))
}

// R-ERR-9: an aggregate whose value or groups would break the output schema is no answer.
func TestAggregatesOfAnotherForm(t *testing.T) {
	for body, isRight := range map[string]bool{
		`{"metric":"count","groups":[{"key":"a","count":2},{"key":null},{"key":true,"count":1,"value":"2.5"}]}`: true,
		`{"metric":"count","value":null}`:                                     true,
		`{"groups":"x"}`:                                                      false,
		`{"metric":"count","value":{"x":1}}`:                                  false,
		`{"metric":"count","value":[1]}`:                                      false,
		`{"metric":"count","groups":[{"key":"a","count":"many"}]}`:            false,
		`{"metric":"count","groups":[{"key":"a","count":2},7]}`:               false,
		`{"metric":"count","groups":[{"key":["a"],"count":2}]}`:               false,
		`{"metric":"sum","groups":[{"key":"a","count":2,"value":{"sum":3}}]}`: false,
	} {
		_, err := newCaller(&watched{Reader: aggregates(body)}, 20_000).try(t, "aggregate",
			`{"stream":"s","metric":"count","group_by":"k"}`)
		if failure, isFailure := errors.AsType[*rs.Failure](err); isRight != (err == nil) ||
			!isRight && (!isFailure || failure.Reason != rs.InvalidResponse) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
