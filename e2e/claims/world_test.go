// Package claims_test is the oracle of R-CLAIM-9. It draws persons, grants, providers and calls, reads every claim out
// of each channel, and checks it with SQL on the sandbox's database.
package claims_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

const origin = "http://sandbox.test"

// grantsOfPerson is the number of grants of a person.
const grantsOfPerson = 12

// person is a sandbox for each kind of provider, with the same records and grants.
type person struct {
	set    catalog.Dataset
	grants [][]catalog.StreamGrant
	boxes  map[resource.Reads]*sandbox.Sandbox
}

func newPerson(t testing.TB, seed uint64) *person {
	t.Helper()
	made := &person{set: sample.Dataset(seed), boxes: map[resource.Reads]*sandbox.Sandbox{}}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // a test
	ready := map[string]catalog.Grant{}
	for number := range grantsOfPerson {
		streams := made.drawGrant(random, number)
		made.grants = append(made.grants, streams)
		ready[grantName(number)] = catalog.Grant{Streams: streams}
	}
	for _, reads := range resource.AllReads() {
		made.boxes[reads] = sandboxtest.Open(t, sandbox.Options{
			PublicURL: origin, Seed: seed, Reads: reads, Authorization: []authorization.Option{authorization.WithGrants(ready)},
		})
	}
	return made
}

func grantName(number int) string { return fmt.Sprintf("drawn_%d", number) }

// drawGrant draws streams, fields, ranges of time and records. The first grant has no limits.
func (p *person) drawGrant(random *rand.Rand, number int) []catalog.StreamGrant {
	var streams []catalog.StreamGrant
	for _, connector := range p.set.Connectors {
		for _, stream := range connector.Streams {
			granted := catalog.StreamGrant{Name: stream.Name}
			for _, connection := range p.set.Connections {
				if connection.ConnectorKey == connector.Key && (number == 0 || random.IntN(4) > 0) {
					granted.ConnectionIDs = append(granted.ConnectionIDs, connection.ID)
				}
			}
			if granted.ConnectionIDs == nil {
				continue
			}
			if number > 0 && random.IntN(3) == 0 {
				for _, field := range stream.Fields {
					if random.IntN(2) == 0 || field.Name == stream.CursorField || slices.Contains(stream.PrimaryKey, field.Name) {
						granted.Fields = append(granted.Fields, field.Name)
					}
				}
			}
			if number > 0 && stream.ConsentTimeField != "" && random.IntN(3) == 0 {
				granted.Since = time.Date(2025, time.Month(8+random.IntN(9)), 1, 0, 0, 0, 0, time.UTC)
				if random.IntN(2) == 0 {
					granted.Until = granted.Since.AddDate(0, 1+random.IntN(4), 0)
				}
			}
			if number > 0 && random.IntN(8) == 0 {
				for _, record := range p.set.Records {
					if record.Stream == stream.Name && random.IntN(4) == 0 {
						granted.Resources = append(granted.Resources, record.Key)
					}
				}
			}
			streams = append(streams, granted)
		}
	}
	return streams
}

// caller calls the tools with one grant at one provider.
type caller struct {
	*person
	reads   resource.Reads
	streams []catalog.StreamGrant
	env     tool.Env
	alter   func(tool string, result *tool.Result) // plants a false claim; nil: none
}

// handled sends requests to a handler without a network.
type handled struct{ http.Handler }

func (h handled) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	response := recorder.Result()
	response.Request = request
	return response, nil
}

func (p *person) caller(t testing.TB, reads resource.Reads, number int) *caller {
	t.Helper()
	box := p.boxes[reads]
	client, err := rs.NewClient(rs.Options{
		BaseURL: origin, Bearer: rs.NewSecret(box.Tokens()[grantName(number)]), Transport: handled{box.Handler()}, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: tool.DefaultReadOn})
	return &caller{person: p, reads: reads, streams: p.grants[number], env: tool.Env{RS: client, Readings: readings, Granted: introspected(t, box, number)}}
}

// introspected returns the limits of a grant by its introspection.
func introspected(t testing.TB, box *sandbox.Sandbox, number int) []granted.Stream {
	t.Helper()
	client := box.Authorization().Caller()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: origin, ClientID: client.ID, ClientSecret: rs.NewSecret(client.Secret), Audiences: []string{origin}, Transport: handled{box.Handler()},
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := verifier.Verify(context.Background(), box.Tokens()[grantName(number)])
	if err != nil {
		t.Fatal(err)
	}
	return found.Granted
}

// call returns both channels of a result. A refusal makes no claim about records: call then returns its text and false.
func (c *caller) call(ctx context.Context, name string, arguments map[string]any) (text string, structured []byte, ok bool) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return "", nil, false
	}
	tools := gen.Surface().Tools
	i := slices.IndexFunc(tools, func(d tool.Definition) bool { return d.Name == name })
	result, err := tools[i].Run(ctx, c.env, raw)
	if err != nil {
		result = tool.Failed(err)
	}
	if result.IsError {
		return result.Text, nil, false
	}
	if c.alter != nil {
		c.alter(name, result)
	}
	return result.Text, result.Structured, true
}

func (p *person) stream(name string) catalog.Stream {
	for _, connector := range p.set.Connectors {
		for _, stream := range connector.Streams {
			if stream.Name == name {
				return stream
			}
		}
	}
	return catalog.Stream{}
}

// truth asks the database about the records of a stream that the grant covers.
type truth struct {
	*caller
	granted catalog.StreamGrant
	where   []string
	values  []any
}

func (c *caller) truth(granted catalog.StreamGrant, connection string) *truth {
	made := &truth{caller: c, granted: granted}
	connections := granted.ConnectionIDs
	if connection != "" {
		connections = []string{connection}
	}
	made.and("stream = ? AND deleted_at IS NULL", granted.Name)
	made.and("connection_id IN (SELECT value FROM json_each(?))", encode(connections))
	if !granted.Since.IsZero() {
		made.and("julianday(consent_time) >= julianday(?)", granted.Since.Format(time.RFC3339))
	}
	if !granted.Until.IsZero() {
		made.and("julianday(consent_time) < julianday(?)", granted.Until.Format(time.RFC3339))
	}
	if granted.Resources != nil {
		made.and("key IN (SELECT value FROM json_each(?))", encode(granted.Resources))
	}
	return made
}

func encode(value any) string {
	encoded, _ := json.Marshal(value) // lists of texts always encode
	return string(encoded)
}

func (t *truth) and(condition string, values ...any) *truth {
	t.where, t.values = append(t.where, condition), append(t.values, values...)
	return t
}

// with returns the same records with the conditions of a filter.
func (t *truth) with(conditions ...condition) *truth {
	narrowed := *t
	narrowed.where, narrowed.values = slices.Clone(t.where), slices.Clone(t.values)
	for _, each := range conditions {
		narrowed.and(each.sql())
	}
	return &narrowed
}

func (t *truth) rows(ctx context.Context, columns, rest string) ([][2]string, error) {
	query := "SELECT " + columns + " FROM record WHERE " + strings.Join(t.where, " AND ") + rest
	found, err := t.boxes[t.reads].Store().DB().QueryContext(ctx, query, t.values...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer found.Close()
	var rows [][2]string
	for found.Next() {
		var row [2]string
		if err := found.Scan(&row[0], &row[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		rows = append(rows, row)
	}
	return rows, found.Err()
}

func (t *truth) count(ctx context.Context) (int, error) {
	rows, err := t.rows(ctx, "count(*), ''", "")
	if err != nil {
		return 0, err
	}
	var count int
	_, err = fmt.Sscan(rows[0][0], &count)
	return count, err
}
