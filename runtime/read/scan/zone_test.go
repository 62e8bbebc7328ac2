package scan_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-TIME-8: a zone without groups of time is not sent, since resource servers refuse it.
func TestZoneWithoutTimeGroups(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for call, want := range map[string]string{
		`{"stream":"chat_messages","metric":"count",` +
			`"time_zone":"Europe/Berlin"}`: "value=773",
		`{"stream":"play_history","metric":"sum","field":"ms_played","group_by":"artist_name",` +
			`"time_zone":"Europe/Berlin"}`: `["Harbor Lights",402,86989785]`,
	} {
		if read := c.call(t, "aggregate", call); !strings.Contains(read.text, want) {
			t.Errorf("%s lacks %q: %s", call, want, read.text)
		}
	}
}

// Conditions on times with what is not a time, and time groups of a field without times, are errors with an accepted
// form.
func TestOperandsMustBeTimes(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for call, want := range map[[2]string]string{
		{
			"query_records",
			`{"stream":"chat_messages","filter":{"sent_at":{"gte":1776600000}}}`,
		}: "is 2026-04-19T12:00:00Z",
		{
			"query_records",
			`{"stream":"chat_messages","filter":{"sent_at":"2026-W17"}}`,
		}: "holds times",
		{
			"query_records",
			`{"stream":"chat_messages","filter":{"sent_at":"2026-02-30"}}`,
		}: "holds times",
		{
			"aggregate",
			`{"stream":"chat_messages","metric":"count","filter":{"sent_at":{"lt":1776600000000}}}`,
		}: "is 2026-04-19T12:00:00Z",
		{
			"aggregate",
			`{"stream":"chat_messages","metric":"count","group_by_time":"text","granularity":"day"}`,
		}: "takes a field of times",
	} {
		if _, err := c.try(t, call[0], call[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %v, want %q", call[0], call[1], err, want)
		}
	}
}
