package claims_test

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// drawOrder draws the first rows of several connections, in one direction of time.
func (c *caller) drawOrder(t *rapid.T, q question) question {
	if len(q.granted.ConnectionIDs) < 2 {
		return q
	}
	q.connection, q.isOrdered = "", true
	delete(q.arguments, "connection_id")
	q.arguments["limit"] = rapid.IntRange(1, 20).Draw(t, "first rows")
	switch cursor := c.stream(q.granted.Name).CursorField; rapid.IntRange(0, 3).Draw(t, "order") {
	case 0:
		q.arguments["order"] = "asc"
	case 1:
		if q.granted.Fields == nil {
			q.arguments["sort"] = "-" + cursor
		}
	}
	if fields := c.filterable(q.granted); len(fields) > 0 && rapid.Bool().Draw(t, "is narrow") {
		q.arguments["fields"] = []string{rapid.SampledFrom(fields).Draw(t, "shown").Name}
	}
	return q
}

// notOneTimeline is what a result says whose rows are in no common order (R-QRY-5).
const notOneTimeline = "this is not one timeline"

// place is a record of an ordered list.
type place struct{ handle, time string }

// ordered checks that the rows of several connections are the first in the order of time, or that the result says that they are not, and that
// all records up to up_to are shown (R-SCAN-6).
func (k *checking) ordered() error {
	field := k.stream(k.granted.Name).CursorField
	isTime := slices.ContainsFunc(k.stream(k.granted.Name).Fields, func(f catalog.Field) bool { return f.Name == field && f.Format == "date-time" })
	isTime = isTime && (k.granted.Fields == nil || slices.Contains(k.granted.Fields, field))
	var matching []place
	for _, connection := range k.granted.ConnectionIDs {
		found, err := k.truth(k.granted, connection).with(k.conditions...).rows(k.ctx, "key, data->>'"+field+"'", "")
		if err != nil {
			return err
		}
		for _, row := range found {
			matching = append(matching, place{recordid.Handle{ConnectionID: connection, Stream: k.granted.Name, RecordID: row[0]}.ID(), row[1]})
		}
	}
	isRising := k.arguments["order"] == "asc"
	slices.SortFunc(matching, func(a, b place) int {
		if isRising {
			a, b = b, a
		}
		return cmp.Compare(b.time, a.time)
	})
	at := map[string]string{}
	for _, each := range matching {
		at[each.handle] = each.time
	}
	shown := k.handles()
	if strings.Contains(k.note, notOneTimeline) {
		if strings.Contains(k.note, "up to up_to") {
			k.report(wrongOrder, "one up_to of several timelines")
		}
		return nil
	}
	if !isTime {
		if connections := connectionsOf(shown); len(connections) > 1 {
			k.report(wrongOrder, "it does not say that the rows of %q have no common order", connections)
		}
		return nil
	}
	for i, handle := range shown {
		if i < len(matching) && at[handle] != matching[i].time {
			k.report(wrongOrder, "row %d is of %q, not of %q", i+1, at[handle], matching[i].time)
			break
		}
	}
	upTo := k.upTo()
	for _, each := range matching {
		isCovered := upTo != "" && (isRising && each.time < upTo || !isRising && each.time > upTo)
		if isCovered && !slices.Contains(shown, each.handle) {
			k.report(wrongOrder, "up to %s, without %v", upTo, each)
		}
	}
	if k.complete != nil && !*k.complete && len(shown) > 0 && upTo == "" {
		k.report(wrongOrder, "up_to has no time")
	}
	return nil
}

func connectionsOf(handles []string) []string {
	var connections []string
	for _, handle := range handles {
		if connection, _, _ := strings.Cut(handle, "/"); !slices.Contains(connections, connection) {
			connections = append(connections, connection)
		}
	}
	return connections
}

var (
	rowForm  = regexp.MustCompile(`(?m)^\[(` + quotedForm + `)`)
	upToForm = regexp.MustCompile(`up_to"?[=:]\{"id":` + quotedForm + `,"time":(` + quotedForm + `)`)
)

// said returns the channel.
func (k *checking) said() string {
	if k.channel == "structured" {
		return string(k.structured)
	}
	return k.note
}

// handles returns the handles of the rows.
func (k *checking) handles() (handles []string) {
	if k.channel == "text" {
		for _, row := range rowForm.FindAllStringSubmatch(k.note, -1) {
			handles = append(handles, unquoted(row[1]))
		}
		return handles
	}
	var read struct {
		Data struct {
			Data []struct {
				Handle string `json:"handle"`
			} `json:"data"`
		} `json:"data"`
	}
	_ = json.Unmarshal(k.structured, &read) // without rows, there is no claim
	for _, row := range read.Data.Data {
		handles = append(handles, row.Handle)
	}
	return handles
}

// upTo returns the time of up_to, or "".
func (k *checking) upTo() string {
	if found := upToForm.FindStringSubmatch(k.said()); found != nil {
		return unquoted(found[1])
	}
	return ""
}

// swapped plants a wrong order: it swaps the first rows.
func swapped(_ string, result *tool.Result) {
	lines := strings.Split(result.Text, "\n")
	if i := slices.IndexFunc(lines, rowForm.MatchString); i >= 0 && i+1 < len(lines) {
		lines[i], lines[i+1] = lines[i+1], lines[i]
		result.Text = strings.Join(lines, "\n")
	}
}
