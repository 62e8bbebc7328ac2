package credential_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// details are those of capture 866e.
const details = `[{"type":"https://pdpp.dev/data-access","access_mode":"continuous",
	"source":{"id":"https://registry.pdpp.dev/connectors/gmail","kind":"connector"},"streams":[
	{"name":"messages","fields":["id","subject"],"instance_ids":["cin_personal","cin_work"],"time_constraint":{"field":"received_at","since":"2026-01-01T00:00:00Z"}},
	{"name":"labels","instance_ids":["cin_personal"]}]}]`

// R-LOCAL-3: everything known about a grant is in its credential, next to the members that other tools read. A file of
// one grant has their layout, and unknown members are kept.
func TestAddKeepsWhatIsKnownOfAGrant(t *testing.T) {
	cache, path := stored(t, `{"provider_url":"http://localhost:7673","tool":1,`+
		`"credential":{"access_token":"foreign-token-of-a-test","grant_id":"grt_0"}}`)
	entry := entryOf(t, "grt_1", "first")
	entry.Credential.RefreshToken = rs.NewSecret("refresh-1")
	entry.Credential.Label, entry.Credential.Details = "work", []byte(details)
	entry.CreatedAt, entry.Credential.LastUsedAt = now, now.Add(time.Hour)
	if err := cache.Add(entry); err != nil {
		t.Fatal(err)
	}
	known := `"grant_id":"grt_1","label":"work","last_used_at":"2026-11-21T13:00:00Z","token_type":"Bearer",` +
		`"authorization_details":` + details
	others := `"other_grants":[{"credential":{"access_token":"foreign-token-of-a-test","grant_id":"grt_0"}}]`
	wantFile(t, path,
		`{"provider_url":"http://localhost:7673","tool":1,"client":{"client_id":"cli_grt_1"},"created_at":"2026-11-21T12:00:00Z",
		"credential":{"access_token":"first-token-of-a-test","refresh_token":"refresh-1",`+known+`},`+others+`}`)

	// The same grant again replaces itself. What is said of it anew counts, and the old refresh token ends with its token.
	if err := cache.Add(entryOf(t, "grt_1", "second")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, `{"provider_url":"http://localhost:7673","tool":1,"client":{"client_id":"cli_grt_1"},
		"credential":{"access_token":"second-token-of-a-test",`+known+`},`+others+`}`)
}

// The approved access is read from the details. Details of another shape are ignored.
func TestApproved(t *testing.T) {
	want := []credential.Approved{
		{
			Source: "https://registry.pdpp.dev/connectors/gmail", Stream: "messages",
			Connections: []string{"cin_personal", "cin_work"},
			Fields:      []string{"id", "subject"}, Since: "2026-01-01T00:00:00Z", TimeField: "received_at",
		},
		{Source: "https://registry.pdpp.dev/connectors/gmail", Stream: "labels", Connections: []string{"cin_personal"}},
	}
	got := credential.Credential{Details: []byte(details)}.Approved()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("approved (-want +got):\n%s", diff)
	}
	if key := got[0].ConnectorKey(); key != "gmail" {
		t.Errorf("the connector is %q", key)
	}
	for _, other := range []string{"", "null", `{}`, `"x"`, `[1,{}]`, `[{"streams":{}}]`, `[{"streams":[{"name":1}]}]`} {
		if got := (credential.Credential{Details: []byte(other)}).Approved(); got != nil {
			t.Errorf("%s is read as %v", other, got)
		}
	}
}

// A change of one grant leaves the other grants and the order. A failed change leaves the file.
func TestChange(t *testing.T) {
	cache := &credential.Cache{Root: t.TempDir()}
	for _, grant := range []string{"grt_1", "grt_2", "grt_3"} {
		if err := cache.Add(entryOf(t, grant, "old")); err != nil {
			t.Fatal(err)
		}
	}
	token := entryOf(t, "", "new").Credential.AccessToken
	for _, grant := range []string{"grt_2", "grt_3"} {
		changed, err := cache.Change(provider, grant, func(entry *credential.Entry, write func() error) error {
			entry.Credential.AccessToken, entry.Credential.RefreshToken = token, rs.NewSecret("next")
			return write()
		})
		if err != nil || changed.Credential.GrantID != grant || changed.Credential.AccessToken.Reveal() != token.Reveal() {
			t.Errorf("%s became %v, %v", grant, changed, err)
		}
	}
	failure := errors.New("no")
	if _, err := cache.Change(provider, "grt_1", func(entry *credential.Entry, _ func() error) error {
		entry.Credential.AccessToken = token
		return failure
	}); !errors.Is(err, failure) {
		t.Errorf("a change that fails gives %v", err)
	}
	if diff := cmp.Diff([]string{"grt_3=new", "grt_2=new", "grt_1=old"}, held(t, cache)); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
	_, err := cache.Change(provider, "grt_9", func(_ *credential.Entry, _ func() error) error { return nil })
	wantError(t, err, credential.Configuration, `"grt_9"`)
}

// The use of a grant is recorded to the hour, and a grant can be removed by its label.
func TestUseAndLabel(t *testing.T) {
	cache := &credential.Cache{Root: t.TempDir()}
	for _, grant := range []string{"grt_1", "grt_2"} {
		entry := entryOf(t, grant, "t")
		entry.Credential.Label = "label of " + grant
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() *credential.Entry {
		entry, err := cache.Load(provider, []string{"grt_1"}, now)
		if err != nil {
			t.Fatal(err)
		}
		return entry
	}
	for _, step := range []struct{ after, want time.Duration }{
		{0, 0},
		{59 * time.Minute, 0},
		{2 * time.Hour, 2 * time.Hour},
	} {
		if err := cache.NoteUse(stored(), now.Add(step.after)); err != nil ||
			!stored().Credential.LastUsedAt.Equal(now.Add(step.want)) {
			t.Errorf("after %s the last use is %s, %v", step.after, stored().Credential.LastUsedAt, err)
		}
	}
	if removed, err := cache.Remove(provider, "label of grt_1"); err != nil || len(removed) != 1 ||
		removed[0].Credential.GrantID != "grt_1" {
		t.Errorf("removed %v, %v", removed, err)
	}
	if diff := cmp.Diff([]string{"grt_2=t"}, held(t, cache)); diff != "" {
		t.Error(diff)
	}
}

// R-LOCAL-4: a grant of an unknown source is requested again on the page where the owner chooses, if its sign-in had
// one.
func TestTheSameRequestOfAnUnknownSource(t *testing.T) {
	for want, held := range map[string]credential.Credential{
		"pdpp-mcp connect https://pdpp.example --label work":             {Label: "work"},
		"pdpp-mcp connect https://pdpp.example --label work --flow code": {Label: "work", RefreshToken: rs.NewSecret("refresh-1")},
	} {
		if got := held.SameRequest().Connect("https://pdpp.example", ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
