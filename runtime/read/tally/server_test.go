package tally_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/lab"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// answered are captured reads that the server refuses and a tally answers (R-SCAN-3), and unchecked those whose refusal
// is about something that a tally does not see.
var (
	answered = []string{
		"780d", "781f", "781g", "781j", "782d", "782e", "782f", "783", "783b", "783c", "784e",
		"785", "786b", "786c",
	}
	unchecked = []string{"780c", "782h", "785b", "785c", "785d", "788"}
)

// A tally of the samples is what the captured server answers, and is refused where it refuses (780 to 786).
func TestTalliesAreThoseOfTheCapturedServer(t *testing.T) {
	records := lab.Serve(t, lab.Dataset(t)).Records(lab.Path + "records?" + lab.Connection)
	for _, capture := range lab.Captures(t, "78*.txt") {
		name, _, _ := strings.Cut(capture.Name, "-")
		if capture.Query.Get("connection_id") == "" || slices.Contains(unchecked, name) {
			continue
		}
		t.Run(capture.Name, func(t *testing.T) {
			body, err := tallied(t, queryOf(capture.Query), lab.Filter(capture.Query), records)
			switch {
			case capture.Status != http.StatusOK && !slices.Contains(answered, name):
				if err == nil {
					t.Errorf("is %s, and refused by the server: %s", body, capture.Body)
				}
			case err != nil:
				t.Error(err)
			case capture.Status == http.StatusOK:
				compareBodies(t, body, capture.Body)
			}
		})
	}
}

// queryOf reads the parameters of a captured request; the server's usual limit is 10.
func queryOf(parameters url.Values) tally.Query {
	query := tally.Query{
		Stream: "samples", Metric: parameters.Get("metric"), Field: parameters.Get("field"),
		GroupBy:     parameters.Get("group_by"),
		GroupByTime: parameters.Get("group_by_time"), Granularity: parameters.Get("granularity"),
		TimeZone: parameters.Get("time_zone"),
	}
	if query.GroupBy+query.GroupByTime != "" {
		query.Limit = 10
	}
	if limit, err := strconv.Atoi(parameters.Get("limit")); err == nil {
		query.Limit = limit
	}
	return query
}

// tallied returns the body for the records that match a filter.
func tallied(t *testing.T, query tally.Query, of rs.Filter, records []lab.Record) ([]byte, error) {
	t.Helper()
	counting, err := tally.New(query)
	if err != nil {
		return nil, err
	}
	filter := condition.New(of)
	for _, record := range records {
		if filter.Match(rawjson.NewCursor(record.Data)) {
			counting.Add(rawjson.NewCursor(record.Data))
		}
	}
	return encoded(counting), nil
}

// compareBodies compares all but links and meta.
func compareBodies(t *testing.T, got, want []byte) {
	t.Helper()
	var ours, theirs map[string]any
	if err := json.Unmarshal(got, &ours); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &theirs); err != nil {
		t.Fatal(err)
	}
	delete(theirs, "links")
	delete(theirs, "meta")
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("got  %v\nwant %v", ours, theirs)
	}
}

// Every aggregation that the sandbox's sample life declares is the same when its records are read and tallied.
func TestTalliesAreThoseOfTheSandbox(t *testing.T) {
	timetest.WithoutRace(t)
	set := sample.Dataset(1)
	server := lab.Serve(t, nil)
	compared := 0
	for _, connection := range set.Connections {
		at := slices.IndexFunc(set.Connectors, func(c catalog.Connector) bool { return c.Key == connection.ConnectorKey })
		of := fmt.Sprintf("connector_id=%s&connection_id=%s", connection.ConnectorKey, connection.ID)
		for _, stream := range set.Connectors[at].Streams {
			path := "/v1/streams/" + stream.Name
			var records []lab.Record
			for _, field := range stream.Fields {
				for _, query := range queriesOf(stream.Name, field) {
					if records == nil {
						records = server.Records(path + "/records?" + of)
					}
					status, want := server.Get(path + "/aggregate?" + of + "&" + sent(query))
					if status != http.StatusOK {
						t.Fatalf("%+v: %s", query, want)
					}
					got, err := tallied(t, query, nil, records)
					if err != nil {
						t.Fatalf("%+v: %v", query, err)
					}
					compareBodies(t, got, want)
					compared++
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d aggregations were compared", compared)
	}
}

func queriesOf(stream string, field catalog.Field) []tally.Query {
	var queries []tally.Query
	for _, use := range field.Aggregations {
		switch use {
		case "group_by":
			queries = append(queries, tally.Query{Stream: stream, Metric: "count", GroupBy: field.Name, Limit: 7})
		case "group_by_time":
			for _, granularity := range []string{"minute", "hour", "day", "week", "month", "quarter", "year"} {
				for _, zone := range []string{"UTC", "America/New_York", "Asia/Kathmandu"} {
					queries = append(queries, tally.Query{
						Stream: stream, Metric: "count", GroupByTime: field.Name, Granularity: granularity, TimeZone: zone, Limit: 100,
					})
				}
			}
		default:
			queries = append(queries, tally.Query{Stream: stream, Metric: use, Field: field.Name})
		}
	}
	return queries
}

// sent returns a query as it is sent to a server.
func sent(query tally.Query) string {
	values := url.Values{"metric": {query.Metric}}
	for name, value := range map[string]string{
		"field": query.Field, "group_by": query.GroupBy, "group_by_time": query.GroupByTime, "granularity": query.Granularity,
		"time_zone": query.TimeZone,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if query.Limit > 0 {
		values.Set("limit", fmt.Sprint(query.Limit))
	}
	return values.Encode()
}
