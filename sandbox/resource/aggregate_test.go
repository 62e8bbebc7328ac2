package resource_test

import "testing"

func TestAggregate(t *testing.T) {
	f := newFixture(t)
	for query, test := range map[string]struct{ token, path, want string }{
		"metric=count":                         {personalToken, "value", "41"},
		"metric=count&filter[is_flagged]=true": {personalToken, "filtered_record_count", "8"},
		"metric=sum&field=size_bytes":          {personalToken, "value", "40820"},
		"metric=max&field=size_bytes":          {personalToken, "value", "1040"},
		"metric=min&field=received_at":         {personalToken, "value", `"2025-12-31T23:30:00Z"`},
		"metric=max&field=received_at": {
			personalToken, "value",
			`"2026-02-09T02:00:00-07:00"`,
		},
		"metric=count_distinct&field=from_email":      {personalToken, "value", "3"},
		"metric=sum&field=size_bytes&filter[id]=nope": {personalToken, "value", "0"},
		"metric=max&field=size_bytes&filter[id]=nope": {personalToken, "value", "null"},
		"metric=count&connection_id=" + work:          {bothToken, "value", "9"},
		"metric=count&connector_id=mail":              {ownerToken, "value", "50"},
		"metric=count&group_by=is_flagged": {
			personalToken, "groups",
			`[{"count":33,"key":false},{"count":8,"key":true}]`,
		},
		"metric=count&group_by=is_flagged&limit=1": {personalToken, "other_count", "8"},
		"metric=count&group_by=from_email": {
			personalToken, "groups.3",
			`{"count":1,"key":null}`,
		},
		"metric=count&group_by=is_flagged&filter[id]=nope": {personalToken, "groups", "[]"},
		"metric=count&group_by_time=received_at&granularity=month": {
			personalToken, "groups",
			`[{"count":1,"key":"2025-12-01"},{"count":31,"key":"2026-01-01"},{"count":9,"key":"2026-02-01"}]`,
		},
		"metric=count&group_by_time=received_at&granularity=quarter": {personalToken, "groups.0.key", `"2025-10-01"`},
		"metric=count&group_by_time=received_at&granularity=year": {
			personalToken, "groups.1",
			`{"count":40,"key":"2026-01-01"}`,
		},
		"metric=count&group_by_time=received_at&granularity=week": {
			personalToken, "groups.0",
			`{"count":5,"key":"2025-12-29"}`,
		},
		"metric=count&group_by_time=received_at&granularity=day&limit=3": {personalToken, "other_count", "38"},
		"metric=count&group_by_time=received_at&granularity=hour": {
			personalToken, "groups.0.key",
			`"2025-12-31T23:00"`,
		},
		// In Berlin the last record of 2025 is of 2026, half past midnight.
		"metric=count&group_by_time=received_at&granularity=month&time_zone=Europe/Berlin": {
			personalToken, "groups.0",
			`{"count":32,"key":"2026-01-01"}`,
		},
		"metric=count&group_by_time=received_at&granularity=minute&time_zone=Europe/Berlin": {
			personalToken, "groups.0.key",
			`"2026-01-01T00:30"`,
		},
		"metric=count&group_by_time=received_at&granularity=day": {
			personalToken,
			"time_zone", `"UTC"`,
		},
	} {
		t.Run(query, func(t *testing.T) {
			a := f.get(test.token, "/v1/streams/messages/aggregate?"+query)
			a.t = t
			a.want(test.path, test.want)
			a.want("object", `"aggregation"`)
			a.want("approximate", "false")
		})
	}
}

// One answer covers all connections of the grant, as the database counts them.
func TestAggregateOverSeveralConnections(t *testing.T) {
	f := newFixture(t)
	a := f.get(bothToken, "/v1/streams/messages/aggregate?metric=sum&field=size_bytes")
	want := f.number(`SELECT sum(json_extract(data, '$.size_bytes')) FROM record WHERE stream = 'messages'`)
	if got := a.at("value"); got != float64(want) {
		t.Errorf("sum is %v, the database says %d", got, want)
	}
	a.want("group_by", "null")
	a.want("time_zone", "null")
	a.want("groups", "null")
	a.want("limit", "null")
}

func TestAggregateRefusals(t *testing.T) {
	f := newFixture(t)
	for query, want := range map[string]struct {
		token, code string
		status      int
	}{
		"":                              {personalToken, "invalid_request", 400},
		"metric=median":                 {personalToken, "invalid_request", 400},
		"metric=sum":                    {personalToken, "invalid_request", 400},
		"metric=sum&field=nope":         {personalToken, "unknown_field", 400},
		"metric=sum&field=subject":      {personalToken, "invalid_request", 400},
		"metric=count&field=subject":    {personalToken, "invalid_request", 400},
		"metric=count&limit=5":          {personalToken, "invalid_request", 400},
		"metric=count&granularity=day":  {personalToken, "invalid_request", 400},
		"metric=count&group_by=subject": {personalToken, "invalid_request", 400},
		"metric=count&group_by=is_flagged&limit=200":                                 {personalToken, "invalid_request", 400},
		"metric=count&group_by=is_flagged&time_zone=UTC":                             {personalToken, "invalid_request", 400},
		"metric=sum&field=size_bytes&group_by=is_flagged":                            {personalToken, "invalid_request", 400},
		"metric=count&bogus=1":                                                       {personalToken, "invalid_request", 400},
		"metric=count&group_by_time=received_at":                                     {personalToken, "invalid_request", 400},
		"metric=count&group_by_time=received_at&granularity=eon":                     {personalToken, "invalid_request", 400},
		"metric=count&group_by_time=received_at&granularity=day&time_zone=Mars/Base": {personalToken, "invalid_request", 400},
		"metric=count&group_by_time=received_at&granularity=day&time_zone=Local":     {personalToken, "invalid_request", 400},
		"metric=count&group_by=is_flagged&group_by_time=received_at&granularity=day": {personalToken, "invalid_request", 400},
		"metric=count&filter[nope]=1":                                                {personalToken, "unknown_field", 400},
		"metric=count&group_by=is_flagged&":                                          {narrowToken, "field_not_granted", 403},
		"metric=sum&field=size_bytes&":                                               {narrowToken, "field_not_granted", 403},
		"metric=count&":                                                              {ownerToken, "invalid_request", 400},
	} {
		a := f.send("GET", want.token, "/v1/streams/messages/aggregate?"+query, "")
		if a.Code != want.status || a.text("error.code") != want.code {
			t.Errorf("%s: answered %d %s", query, a.Code, a.Body)
		}
	}
}
