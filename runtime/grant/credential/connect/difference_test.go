package connect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// Covers R-LOCAL-4: what was approved, compared with what was requested.
func TestDifferences(t *testing.T) {
	narrow := connect.AccessRequest{Source: gmail, Streams: []credential.Stream{{
		Name: "messages", Connections: []string{"cin_1", "cin_2"}, Fields: []string{"id", "subject"},
		Range: credential.TimeRange{Since: day(1, 10), Until: day(1, 20)},
	}}}
	detail := func(mode, streams string) string {
		return `[{"access_mode":"` + mode +
			`","source":{"id":"https://other.example/connectors/gmail"},"streams":[` + streams + `]}]`
	}
	tests := []struct {
		name    string
		asked   connect.AccessRequest
		details string
		want    []string
	}{
		{"nothing requested", connect.AccessRequest{}, detail("continuous", `{"name":"messages","fields":["id"]}`), nil},
		{"as requested", narrow, detail("continuous",
			`{"name":"messages","instance_ids":["cin_2","cin_1"],"fields":["subject","id"],
			"time_constraint":{"since":"2026-01-10T01:00:00+01:00","until":"2026-01-20T00:00:00Z"}}`), nil},
		{"less", narrow, detail("single_use", `{"name":"messages","instance_ids":["cin_1"],"fields":["id"],
			"time_constraint":{"since":"2026-01-11T00:00:00Z","until":"2026-01-19T00:00:00Z"}}`), []string{
			"narrower: a single use",
			"narrower: messages without connection cin_2",
			"narrower: messages without field subject",
			"narrower: messages only from 2026-01-11T00:00:00Z",
			"narrower: messages only before 2026-01-19T00:00:00Z",
		}},
		{"more", narrow, detail("continuous",
			`{"name":"messages","instance_ids":["cin_1","cin_2","cin_3"],`+
				`"time_constraint":{"since":"2026-01-09T00:00:00Z"}},{"name":"labels"}`), []string{
			"wider: messages with connection cin_3 too",
			"wider: messages with all fields",
			"wider: messages from 2026-01-09T00:00:00Z already",
			"wider: messages without the bound before 2026-01-20T00:00:00Z",
			"wider: stream labels too",
		}},
		{"another stream", narrow, detail("continuous", `{"name":"threads"}`), []string{
			"wider: stream threads too", "narrower: no stream messages",
		}},
		{
			"another source",
			connect.AccessRequest{Source: spotify},
			detail("continuous", `{"name":"messages"},{"name":"labels"}`),
			[]string{
				"other: source gmail instead of spotify",
			},
		},
		{
			"more than a single use",
			connect.AccessRequest{Source: gmail, SingleUse: true},
			detail("continuous", `{"name":"messages"}`),
			[]string{
				"wider: access until it is revoked instead of a single use",
			},
		},
		{
			"every stream bounded",
			connect.AccessRequest{
				Source:  gmail,
				Streams: []credential.Stream{{Name: "*", Range: credential.TimeRange{Since: day(1, 10)}}},
			},
			detail("continuous", `{"name":"messages","time_constraint":{"since":"2026-01-10T00:00:00Z"}},{"name":"labels"}`),
			[]string{
				"wider: labels without the bound from 2026-01-10T00:00:00Z",
			},
		},
		{
			"a bound that is not a time", narrow,
			detail("continuous", `{"name":"messages","fields":["id","subject"],"time_constraint":{"since":"soon\u001b",`+
				`"until":"2026-01-20T00:00:00Z"}}`),
			[]string{
				"other: messages from soon",
			},
		},
		{"times that are not stated", narrow, `[{"streams":[{"name":"messages","fields":["id","subject"]}]}]`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := connect.Differences(test.asked, credential.Credential{Details: []byte(test.details)})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
