package claims_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// The kinds of false claims. A number is the point of the list of claims that were once false; zero has always held.
const (
	wrongRows   = "rows"                // no further page, and another number of records
	wrongCount  = "count"               // of an aggregate
	wrongGroup  = "group"               // a group, or the rest of the groups
	notAbsent   = "absence"             // 2: a value occurs that no record is said to have
	wrongAlone  = "alone"               // 2: of one condition
	notSeen     = "value seen"          // 2: a value is listed that does not occur
	wrongLimit  = "limit of the grant"  // 1: a limit that the question reaches past is not named, or another one is
	notGranted  = "field not granted"   // 1: a field that is not granted is called one that does not exist
	wrongHits   = "hits"                // the exact number of hits
	unsearched  = "unsearched fields"   // 3: a complete search does not name what it did not search
	hiddenDraft = "hidden role"         // 4: a draft looks like a sent mail
	nullTitle   = "null for not read"   // 5
	differs     = "depends on provider" // 6
	wrongRecord = "record"              // of a minimum or maximum
	wrongWindow = "window"
	wrongOrder  = "order" // rows that are not the first in time, or a wrong up_to

	wrongDocument     = "document"     // a field that is missing, wrong or not granted
	wrongConversation = "conversation" // other records than those that belong together
	wrongNear         = "near"         // without the records just before and after
	wrongRelated      = "related"      // other records than those with the foreign key
	wrongOffer        = "offered call" // a call that is refused, or leads elsewhere
)

// known are the kinds that are still found.
var known = map[string]int{}

// finding is a false claim.
type finding struct{ kind, text string }

// check compares the claims of both channels of a result with the database. Notes is nil for a refusal.
func (c *caller) check(ctx context.Context, q question) (found []finding, notes *string, err error) {
	text, structured, ok := c.call(ctx, q.tool, q.arguments)
	if !ok {
		return c.checkRefusal(q, text), nil, nil
	}
	for _, read := range []claims{textClaims(text), structuredClaims(structured)} {
		checked := checking{caller: c, ctx: ctx, question: q, claims: read, structured: structured}
		if err := checked.all(); err != nil {
			return nil, nil, err
		}
		found = append(found, checked.found...)
		said := read.notes()
		notes = &said
	}
	return found, notes, nil
}

type checking struct {
	*caller
	question
	claims
	ctx        context.Context
	structured []byte
	found      []finding
	refused    []string // the refusals of offered calls for one record
}

func (k *checking) report(kind, form string, values ...any) {
	k.found = append(k.found, finding{kind, fmt.Sprintf("%s (%s, %s): ", k.question, k.channel, k.reads) + fmt.Sprintf(form, values...)})
}

func (k *checking) all() error {
	switch k.tool {
	case "search":
		return k.search()
	case "read_record_field":
		return k.window()
	case "fetch":
		return k.document()
	case "schema":
		k.limits([]catalog.StreamGrant{k.granted})
		return nil
	}
	if k.arguments["stream"] == "*" {
		return k.timeline()
	}
	if _, isFeed := k.arguments["changes_since"]; isFeed {
		return k.feed()
	}
	return k.records()
}

func (k *checking) records() error {
	covered := k.truth(k.granted, k.connection)
	matching, err := covered.with(k.conditions...).count(k.ctx)
	if err != nil {
		return err
	}
	if k.tool == "query_records" && k.isWhole && k.rows != matching {
		k.report(wrongRows, "%d rows and no further page, of %d records", k.rows, matching)
	}
	if k.tool == "aggregate" && k.count != nil && *k.count != matching {
		k.report(wrongCount, "%d, of %d records", *k.count, matching)
	}
	k.limits([]catalog.StreamGrant{k.granted})
	if k.isOrdered {
		return firstError(k.ordered(), k.absent(), k.aloneCounts())
	}
	return firstError(k.groupsOf(matching), k.extreme(), k.absent(), k.aloneCounts())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// respelled returns a JSON value without the escapes that a channel chooses: text escapes invisible characters
// (R-TRUST-1).
func respelled(value string) string {
	var decoded any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&decoded) != nil {
		return value
	}
	encoded, err := json.Marshal(decoded)
	if err != nil {
		return value
	}
	return string(encoded)
}

func (k *checking) groupsOf(matching int) error {
	by, isGrouped := k.arguments["group_by"].(string)
	if !isGrouped || k.count == nil {
		return nil
	}
	counted, err := k.truth(k.granted, k.connection).with(k.conditions...).rows(k.ctx, "count(*), coalesce(json_quote(data->'"+by+"'), 'null')", " GROUP BY 2")
	if err != nil {
		return err
	}
	want, sum := map[string]int{}, 0
	for _, row := range counted {
		want[respelled(row[1])] = *number(row[0])
	}
	for key, count := range k.groups {
		if sum += count; want[respelled(key)] != count {
			k.report(wrongGroup, "%s has %d records, not %d", key, want[respelled(key)], count)
		}
	}
	if k.others != nil && sum+*k.others != matching {
		k.report(wrongGroup, "the groups have %d records and the others %d, of %d", sum, *k.others, matching)
	}
	return nil
}

var recordForm = regexp.MustCompile(`"?record"?[=:](` + quotedForm + `)(.*equal_records"?[=:]true)?`)

// extreme checks the record that a minimum or maximum names, and whether others have the same value.
func (k *checking) extreme() error {
	metric, field := k.arguments["metric"], k.arguments["field"]
	if metric != "min" && metric != "max" {
		return nil
	}
	value := fmt.Sprintf("data->>'%s'", field)
	covered := k.truth(k.granted, k.connection).with(k.conditions...).and(value + " IS NOT NULL")
	found, err := covered.rows(k.ctx, "key, "+value, " ORDER BY 2 "+map[any]string{"min": "ASC", "max": "DESC"}[metric])
	if err != nil {
		return err
	}
	var best []string
	for _, row := range found {
		if row[1] == found[0][1] {
			best = append(best, recordid.Handle{ConnectionID: k.connection, Stream: k.granted.Name, RecordID: row[0]}.ID())
		}
	}
	shown := k.note
	if k.channel == "structured" {
		shown = string(k.structured)
	}
	named := recordForm.FindStringSubmatch(shown)
	switch {
	case named == nil && (best == nil || strings.Contains(shown, "record_call")):
	case named == nil || !slices.Contains(best, unquoted(named[1])) || (named[2] != "") != (len(best) > 1):
		k.report(wrongRecord, "%q, of %q", named, best)
	}
	return nil
}

// field returns the declared field of a name.
func (k *checking) condition(field, operator, value string) condition {
	made := condition{operator: operator, value: value}
	for _, each := range k.stream(k.granted.Name).Fields {
		if each.Name == field {
			made.field = each
		}
	}
	switch made.field.Type {
	case "integer":
		var whole int64
		_, _ = fmt.Sscan(value, &whole) // a wrong number is a false claim
		made.value = whole
	case "boolean":
		made.value = value == "true"
	}
	return made
}

// inRange returns the records of the stream, those in the range of time of the call only.
func (k *checking) inRange(isOfRange bool) *truth {
	covered := k.truth(k.granted, k.connection)
	for _, each := range k.conditions {
		if _, isTime := each.value.(time.Time); isTime && isOfRange {
			covered = covered.with(each)
		}
	}
	return covered
}

func (k *checking) absent() error {
	for _, claim := range k.absences() {
		covered := k.inRange(claim.isOfRange)
		count, err := covered.with(k.condition(claim.field, "", claim.value)).count(k.ctx)
		if err != nil {
			return err
		}
		if count > 0 {
			k.report(notAbsent, "%d records have %s=%q", count, claim.field, claim.value)
		}
		if claim.values != nil && !claim.isOfRange {
			rows, err := covered.rows(k.ctx, fmt.Sprintf("count(DISTINCT data->>'%s'), ''", claim.field), "")
			if err != nil {
				return err
			}
			if rows[0][0] != strconv.Itoa(*claim.values) {
				k.report(notSeen, "%s has %s values, not %d", claim.field, rows[0][0], *claim.values)
			}
		}
		for _, seen := range claim.seen {
			if count, err = k.inRange(false).with(k.condition(claim.field, "", seen)).count(k.ctx); err != nil {
				return err
			}
			if count == 0 {
				k.report(notSeen, "no record has %s=%q", claim.field, seen)
			}
		}
	}
	return nil
}

func (k *checking) aloneCounts() error {
	for _, claim := range k.alone() {
		count, err := k.inRange(claim.isOfRange).with(k.condition(claim.field, claim.operator, claim.value)).count(k.ctx)
		if err != nil {
			return err
		}
		if count != claim.count && !(claim.isOfRange && count < claim.count) { // more records were read than those in the range
			k.report(wrongAlone, "%d records have %s %s %q, not %d", count, claim.field, claim.operator, claim.value, claim.count)
		}
	}
	return nil
}

// window compares the length of a field with the database.
func (k *checking) window() error {
	rows, err := k.truth(k.granted, k.connection).and("key = ?", k.arguments["record_id"]).
		rows(k.ctx, "length(data->>'"+k.arguments["field_path"].(string)+"'), ''", " AND data->>'"+k.arguments["field_path"].(string)+"' IS NOT NULL")
	if err != nil || len(rows) == 0 {
		return err
	}
	limit, length := k.arguments["limit_chars"].(int), *number(rows[0][0])
	if k.total != nil && *k.total != length {
		k.report(wrongWindow, "%d characters, of %d", *k.total, length)
	}
	if k.complete != nil && *k.complete && length > limit {
		k.report(wrongWindow, "complete with %d of %d characters", limit, length)
	}
	if k.channel == "text" {
		return nil
	}
	text, path := k.walkField(offered{Tool: k.tool, Arguments: k.arguments}), k.arguments["field_path"].(string)
	rows, err = k.truth(k.granted, k.connection).and("key = ?", k.arguments["record_id"]).rows(k.ctx, "data->>'"+path+"', ''", "")
	if err != nil || len(rows) == 0 {
		return err
	}
	if !strings.HasPrefix(rows[0][0], text) || length <= maxPages*limit && rows[0][0] != text {
		k.report(wrongWindow, "the windows together have %q, of %q", text, rows[0][0])
	}
	return nil
}
