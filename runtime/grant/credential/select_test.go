package credential_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-LOCAL-1, R-LOCAL-3, R-STDIO-2, R-STDIO-3: all grants are selected, or the named ones by id or label. An expired one
// is included if another is usable. An unknown name and a selected owner credential are refused.
func TestSelect(t *testing.T) {
	cache := &credential.Cache{Root: t.TempDir()}
	for _, each := range []struct {
		grant, label string
		ends         time.Time
		refresh      string
	}{
		{"grt_1", "mail", now.Add(-time.Hour), ""},
		{"grt_2", "work", time.Time{}, ""},
		{"grt_3", "work", now.Add(-time.Hour), "refresh"},
		{"grt_4", "", now.Add(-time.Hour), ""},
	} {
		entry := entryOf(t, each.grant, "token")
		entry.Credential.Label, entry.Credential.ExpiresAt, entry.Credential.RefreshToken = each.label, each.ends, rs.NewSecret(each.refresh)
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	// Add gave its label to another
	if _, err := cache.Change(provider, "grt_2", func(second *credential.Entry, write func() error) error {
		second.Credential.Label = "work"
		return write()
	}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		names   []string
		want    []string
		first   string // usable
		refused string
	}{
		{nil, []string{"grt_4", "grt_3", "grt_2", "grt_1"}, "grt_3", ""},
		{[]string{"work"}, []string{"grt_3", "grt_2"}, "grt_3", ""},
		{[]string{"grt_2", "mail"}, []string{"grt_2", "grt_1"}, "grt_2", ""},
		{[]string{"mail", "grt_4"}, nil, "", "expired at"},
		{
			[]string{"grt_2", "music"},
			nil, "",
			`unknown grant "music"; stored: grt_4, work (grt_3), work (grt_2), mail (grt_1)`,
		},
	} {
		selected, err := cache.Select(provider, test.names, now)
		entry, loadErr := cache.Load(provider, test.names, now)
		if test.refused != "" {
			wantError(t, err, credential.Configuration, test.refused, "run: pdpp-mcp connect")
			wantError(t, loadErr, credential.Configuration, test.refused)
			continue
		}
		var got []string
		for _, each := range selected {
			got = append(got, each.Credential.GrantID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%q selects (-want +got):\n%s%v", test.names, diff, err)
		}
		if loadErr != nil || entry.Credential.GrantID != test.first {
			t.Errorf("%q loads %v, %v", test.names, entry, loadErr)
		}
	}
	owner, _ := stored(t,
		`{"provider_url":"http://localhost:7673","credential":{"access_token":"client-token-of-a-test","grant_id":"grt_1"},
		"other_grants":[{"credential":{"access_token":"owner-token-of-a-test","grant_id":"grt_2","role":"owner"}}]}`)
	_, err := owner.Select(provider, nil, now)
	wantError(t, err, credential.Refused, "owner credential")
	if one, err := owner.Select(provider, []string{"grt_1"}, now); err != nil || len(one) != 1 ||
		slices.Contains([]string{"grt_2"}, one[0].Credential.GrantID) {
		t.Errorf("the client's grant gives %v, %v", one, err)
	}
}
