package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

const origin = "http://127.0.0.1:8787"

func newSandbox(t *testing.T, options sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	if options.PublicURL == "" {
		options.PublicURL = origin
	}
	return sandboxtest.Open(t, options)
}

// read sends a GET with a ready token and decodes the answer's body into answer.
func read(t *testing.T, box *sandbox.Sandbox, token, target string, answer any) int {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	box.Handler().ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		t.Fatalf("%s: %v: %s", target, err, body)
	}
	return recorder.Code
}

type list struct {
	Data []struct {
		ID           string `json:"id"`
		Name         string `json:"name"`
		ConnectionID string `json:"connection_id"`
		RecordCount  int    `json:"record_count"`
	} `json:"data"`
	Meta struct {
		Count struct{ Value int } `json:"count"`
	} `json:"meta"`
	Error struct{ Code string } `json:"error"`
}

// TestSandbox shares one sandbox, because loading the data takes its time.
func TestSandbox(t *testing.T) {
	box := newSandbox(t, sandbox.Options{PublicURL: origin + "/", Seed: 1})
	for name, test := range map[string]func(*testing.T, *sandbox.Sandbox){
		"discovery leads to every part":                discoveryLeadsToEveryPart,
		"everything is granted":                        everythingIsGranted,
		"every sample record can be fetched by its id": everyRecordCanBeFetched,
		"a revoked grant is refused at once":           revokedGrantIsRefused,
		"package members read their own connection":    membersReadTheirConnection,
	} {
		t.Run(name, func(t *testing.T) { test(t, box) })
	}
}

func discoveryLeadsToEveryPart(t *testing.T, box *sandbox.Sandbox) {
	var resource struct {
		Resource  string   `json:"resource"`
		Servers   []string `json:"authorization_servers"`
		QueryBase string   `json:"pdpp_core_query_base"`
	}
	if status := read(t, box, "", sandbox.ResourceMetadataPath, &resource); status != http.StatusOK {
		t.Fatalf("resource metadata: %d", status)
	}
	if resource.Resource != origin || len(resource.Servers) != 1 || resource.QueryBase != origin+"/v1" {
		t.Errorf("resource metadata %+v", resource)
	}
	var server struct {
		Issuer string `json:"issuer"`
	}
	if status := read(t, box, "", "/.well-known/oauth-authorization-server", &server); status != http.StatusOK ||
		server.Issuer != resource.Servers[0] {
		t.Errorf("authorization server metadata: %d, issuer %q", status, server.Issuer)
	}
}

func everythingIsGranted(t *testing.T, box *sandbox.Sandbox) {
	want := map[string]int{}
	for _, record := range sample.Shared().Records {
		if record.DeletedAt.IsZero() {
			want[record.ConnectionID+"/"+record.Stream]++
		}
	}
	var streams list
	if status := read(t, box, box.Tokens()["everything"], "/v1/streams", &streams); status != http.StatusOK {
		t.Fatalf("streams: %d", status)
	}
	got := map[string]int{}
	for _, row := range streams.Data {
		got[row.ConnectionID+"/"+row.Name] = row.RecordCount
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record counts (-sample +served):\n%s", diff)
	}
}

func everyRecordCanBeFetched(t *testing.T, box *sandbox.Sandbox) {
	seen := map[string]int{}
	for _, record := range sample.Shared().Records {
		place := record.ConnectionID + "/" + record.Stream
		seen[place]++
		if !record.DeletedAt.IsZero() || seen[place] > 60 {
			continue // enough of each stream
		}
		var got struct {
			ID   string          `json:"id"`
			Data json.RawMessage `json:"data"`
		}
		target := "/v1/streams/" + record.Stream + "/records/" + url.PathEscape(record.Key) + "?connection_id=" +
			record.ConnectionID
		if status := read(t, box, box.Tokens()["everything"], target, &got); status != http.StatusOK || got.ID != record.Key {
			t.Errorf("%s: %d, id %q", target, status, got.ID)
			continue
		}
		if string(got.Data) != string(record.Data) {
			t.Errorf("%s: the data is not as it was stored", target)
		}
	}
}

func revokedGrantIsRefused(t *testing.T, box *sandbox.Sandbox) {
	member := box.Authorization().Members("package_single")[0]
	var answer list
	if status := read(t, box, member.AccessToken, "/v1/streams", &answer); status != http.StatusOK {
		t.Fatalf("before: %d", status)
	}
	if err := box.Authorization().Revoke(member.GrantID); err != nil {
		t.Fatal(err)
	}
	if status := read(t, box, member.AccessToken, "/v1/streams", &answer); status != http.StatusForbidden ||
		answer.Error.Code != "grant_revoked" {
		t.Errorf("after: %d %s", status, answer.Error.Code)
	}
	if status := read(t, box, box.Tokens()["expired"], "/v1/streams", &answer); status != http.StatusForbidden ||
		answer.Error.Code != "grant_expired" {
		t.Errorf("an expired grant: %d %s", status, answer.Error.Code)
	}
}

func membersReadTheirConnection(t *testing.T, box *sandbox.Sandbox) {
	for _, member := range box.Authorization().Members("package") {
		var streams list
		if status := read(t, box, member.AccessToken, "/v1/streams", &streams); status != http.StatusOK {
			t.Errorf("%s: %d", member.ConnectionID, status)
		}
		for _, row := range streams.Data {
			if row.ConnectionID != member.ConnectionID {
				t.Errorf("the member of %s reads %s", member.ConnectionID, row.ConnectionID)
			}
		}
	}
}

func TestDataDirectoryKeepsDeletions(t *testing.T) {
	dir := t.TempDir()
	first, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: origin, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Store().Delete(t.Context(), sample.Music, "play_history", "play_00001"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := newSandbox(t, sandbox.Options{DataDir: dir})
	var answer list
	read(t, second, second.Tokens()["spotify"], "/v1/streams/play_history/records?limit=1&count=exact", &answer)
	want := -1 // the deleted one
	for _, record := range sample.Dataset(0).Records {
		if record.Stream == "play_history" {
			want++
		}
	}
	if answer.Meta.Count.Value != want {
		t.Errorf("%d plays after one was deleted, want %d", answer.Meta.Count.Value, want)
	}
}

func TestPublicURLMustBeAnOrigin(t *testing.T) {
	for _, raw := range []string{
		"", "127.0.0.1:8787", "ftp://host", "http://host/path", "http://host?q=1", "http://%zz",
		"http://user:secret@host", "http://host#f",
	} {
		if _, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: raw}); !errors.Is(err, sandbox.ErrPublicURL) {
			t.Errorf("%q gives %v", raw, err)
		}
	}
}
