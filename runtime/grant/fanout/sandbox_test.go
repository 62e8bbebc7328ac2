package fanout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// patient is a timeout that suffices under the race detector.
var patient = fanout.Options{ProviderURL: provider, ChildTimeout: time.Minute}

// serve runs a sandbox over HTTP.
func serve(t *testing.T) (*sandbox.Sandbox, string) {
	t.Helper()
	return sandboxtest.Serve(t, sandbox.Options{PublicURL: provider, Seed: 1})
}

// introspected returns the sources of the ready package by introspection of its token.
func introspected(t *testing.T, box *sandbox.Sandbox, address string) []fanout.Source {
	t.Helper()
	form := url.Values{"token": {box.Tokens()["package"]}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/introspect",
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	caller := box.Authorization().Caller()
	request.SetBasicAuth(caller.ID, caller.Secret)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Package struct {
			Members []struct {
				GrantID      string   `json:"grant_id"`
				Status       string   `json:"status"`
				ConnectionID string   `json:"connection_id"`
				ConnectorKey string   `json:"connector_key"`
				DisplayName  string   `json:"display_name"`
				Streams      []string `json:"streams"`
				AccessToken  string   `json:"access_token"`
			} `json:"members"`
		} `json:"package"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	var sources []fanout.Source
	for _, member := range answer.Package.Members {
		client, err := rs.NewClient(rs.Options{
			BaseURL: address, ProviderURL: provider,
			Bearer: rs.NewSecret(member.AccessToken), Timeout: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		source := fanout.Source{
			GrantID: member.GrantID, ConnectionID: member.ConnectionID, ConnectorKey: member.ConnectorKey,
			DisplayName: member.DisplayName,
			Streams:     member.Streams,
		}
		if member.Status == "active" {
			source.Reader = client
		}
		sources = append(sources, source)
	}
	return sources
}

// counted is a row of an index whose streams have counts.
var counted = regexp.MustCompile(`(?m)^\[.*\] [a-z_]+=\d+`)

// A real package is read as one: searched to its end, described, and read source by source. A member that is
// revoked while its membership is cached is named (R-PKG-2, R-PKG-5, R-PKG-6, R-PKG-7).
func TestSandboxPackage(t *testing.T) {
	box, address := serve(t)
	sources := introspected(t, box, address)
	reader := fanout.New(sources, patient)

	t.Run("search", func(t *testing.T) { searchesToTheEnd(t, sources, "/v1/search", 5) })
	t.Run("hybrid search", func(t *testing.T) { searchesToTheEnd(t, sources, "/v1/search/hybrid", 20) })
	t.Run("schema", func(t *testing.T) {
		result, err := schemaResult(t.Context(), tool.Env{RS: reader}, operation.SchemaInput{})
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			if !strings.Contains(result.Text, source.ConnectionID) ||
				!strings.Contains(string(result.Structured), source.ConnectionID) {
				t.Errorf("%s is missing:\n%s", source.ConnectionID, result.Text)
			}
		}
		if got := len(counted.FindAllString(result.Text, -1)); got != len(sources) { // R-SCH-9
			t.Errorf("%d of %d connections are counted:\n%s", got, len(sources), result.Text)
		}
		if strings.Count(string(result.Structured), `"connector_key":"gmail"`) != 1 {
			t.Errorf("two grants of the same streams are not one connector:\n%s", result.Structured)
		}
	})
	t.Run("records", func(t *testing.T) {
		refusal := refusedWith(t, tool.AmbiguousConnection, reader, records("messages", ""))
		for _, id := range connections(t, refusal.AvailableConnections) {
			response, err := reader.Get(t.Context(), records("messages", id))
			if err != nil || !strings.Contains(string(response.Body()), id) {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
	t.Run("a revoked member", func(t *testing.T) {
		if err := box.Authorization().Revoke(sources[0].GrantID); err != nil {
			t.Fatal(err)
		}
		page := search(t, reader, searchFor(7, ""))
		if got := page.reasons()[sources[0].ConnectionID]; got != "grant_revoked" {
			t.Errorf("%+v", page.Meta.Warnings)
		}
		var refused *rs.Error
		if _, err := reader.Get(t.Context(), records("messages", sources[0].ConnectionID)); !errors.As(err, &refused) ||
			refused.Status != http.StatusForbidden {
			t.Errorf("%v", err)
		}
	})
}

// searchesToTheEnd compares the pages of the package with what the sources give one by one, and has each page
// rendered (R-SEARCH-9).
func searchesToTheEnd(t *testing.T, sources []fanout.Source, path rs.Path, limit int) {
	want := map[string]int{}
	for _, source := range sources {
		request := searchFor(100, "")
		request.Path = path
		response, err := source.Reader.Get(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		var answer found
		if err := json.Unmarshal(response.Body(), &answer); err != nil {
			t.Fatal(err)
		}
		for _, key := range answer.keys() {
			want[source.ConnectionID+"/"+key]++
		}
		if answer.NextCursor != "" {
			t.Fatalf("%s has more than 100 hits", source.ConnectionID)
		}
	}
	pages := 0
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		reader := fanout.New(sources, patient)
		request := searchFor(limit, cursor)
		request.Path = path
		response, err := ask(t.Context(), reader, request)
		if err != nil {
			t.Fatal(err)
		}
		page := decode(t, response)
		for _, hit := range page.Data {
			if want[hit.ConnectionID+"/"+hit.RecordKey]--; hit.ConnectorKey == "" &&
				!strings.Contains(string(response.Body()), "connector_id") {
				t.Errorf("%+v names no connector", hit)
			}
		}
		cursor = page.NextCursor
		limit++
	}
	var wrong []string
	for key, missing := range want {
		if missing != 0 {
			wrong = append(wrong, key)
		}
	}
	slices.Sort(wrong)
	if len(wrong) > 0 || pages < 2 {
		t.Errorf("%d of %d hits lost or twice in %d pages: %q", len(wrong), len(want), pages, wrong)
	}
}

// R-CLAIM-2, R-SCH-9: of two grants of one connection, each row of the schema has the number of records, the examples
// and the limits of one grant, and names the grant, in both channels.
func TestSchemaOfOverlappingGrants(t *testing.T) {
	box, address := serve(t)
	var sources []fanout.Source
	env := tool.Env{}
	for _, name := range []string{"narrow", "gmail_personal"} {
		ready, _ := box.Authorization().Credential(name)
		approved, _ := box.Authorization().Grant(ready.GrantID)
		client, err := rs.NewClient(rs.Options{BaseURL: address, ProviderURL: provider, Bearer: rs.NewSecret(ready.Token), Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, fanout.Source{GrantID: ready.GrantID, ConnectionID: "cin_gmail_personal", ConnectorKey: "gmail", Reader: client})
		env.Granted = append(env.Granted, granted.Read(ready.GrantID, box.Authorization().Details(approved))...)
	}
	env.RS = fanout.New(sources, patient)
	const limits = `messages%s from 2026-01-10 to before 2026-02-01"`
	stream := "messages"
	for input, want := range map[operation.SchemaInput][]string{
		{}: {
			"messages=22\n grant_id=\"" + sources[0].GrantID + `" granted_only="` +
				fmt.Sprintf(limits, " (fields id, thread_id, subject, received_at)"),
			"messages=271 message_bodies=271 attachments=21 threads=249\n grant_id=\"" + sources[1].GrantID + "\"",
		},
		{Stream: &stream}: {
			`grant_id="` + sources[0].GrantID + `" granted_only="` + fmt.Sprintf(limits, ""), "fields=4 granted", `received_at="2026-01-31T22`,
			`grant_id="` + sources[1].GrantID + `"`, "fields=22 granted", `received_at="2026-04-29T20`,
		},
	} {
		found, err := operation.Schema(t.Context(), env, input)
		if err != nil {
			t.Fatal(err)
		}
		result, err := found.Render()
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range []string{
			`"grant_id":"` + sources[0].GrantID + `","granted_only":"messages`, `"grant_id":"` + sources[1].GrantID + `"`,
		} {
			if strings.Count(string(result.Structured), each) != 1 {
				t.Errorf("structured output lacks %s:\n%s", each, result.Structured)
			}
		}
		for _, each := range want {
			if !strings.Contains(result.Text, each) {
				t.Errorf("the text lacks %s:\n%s", each, result.Text)
			}
		}
	}
}
