package authorization_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

const issuer = "http://sandbox.example"

// answer has the members of an introspection response that the adapter reads.
type answer struct {
	Active         bool   `json:"active"`
	InactiveReason string `json:"inactive_reason"`
	TokenKind      string `json:"pdpp_token_kind"`
	ExpiresAt      int64  `json:"exp"`
	ClientID       string `json:"client_id"`
	GrantID        string `json:"grant_id"`
	GrantPackageID string `json:"grant_package_id"`
	Details        []struct {
		Source struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		} `json:"source"`
		Streams []struct {
			Name           string            `json:"name"`
			InstanceIDs    []string          `json:"instance_ids"`
			Fields         []string          `json:"fields"`
			TimeConstraint map[string]string `json:"time_constraint"`
		} `json:"streams"`
	} `json:"authorization_details"`
	Package struct {
		PackageID string                 `json:"package_id"`
		Members   []authorization.Member `json:"members"`
	} `json:"package"`
	Audience string `json:"aud"`
	Issuer   string `json:"iss"`
}

func newServer(options ...authorization.Option) *authorization.Server {
	return authorization.New(issuer, sample.Shared(), options...)
}

func post(t *testing.T, s *authorization.Server, form string, authorize func(*http.Request)) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/introspect", strings.NewReader(form))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	authorize(request)
	recorder := httptest.NewRecorder()
	s.Handler().ServeHTTP(recorder, request)
	return recorder.Result()
}

func asCaller(s *authorization.Server) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(s.Caller().ID, s.Caller().Secret) }
}

func introspect(t *testing.T, s *authorization.Server, token string) answer {
	t.Helper()
	response := post(t, s, url.Values{"token": {token}}.Encode(), asCaller(s))
	if response.StatusCode != http.StatusOK {
		t.Fatalf("introspection answered %s", response.Status)
	}
	var got answer
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestIntrospectionOfReadyTokens(t *testing.T) {
	s := newServer(authorization.WithResource("http://rs.example"))
	cases := map[string]struct {
		kind, reason string
		streams      []string // name@connections
	}{
		"owner":          {kind: "owner"},
		"gmail_personal": {kind: "client", streams: mail("cin_gmail_personal")},
		"gmail_both":     {kind: "client", streams: mail("cin_gmail_personal,cin_gmail_work")},
		"spotify": {
			kind:    "client",
			streams: []string{"saved_tracks@cin_spotify", "play_history@cin_spotify", "top_artists@cin_spotify"},
		},
		"slack": {
			kind:    "client",
			streams: []string{"channels@cin_slack_team", "chat_messages@cin_slack_team", "users@cin_slack_team"},
		},
		"narrow":          {kind: "client", streams: []string{"messages@cin_gmail_personal"}},
		"revoked":         {reason: "grant_revoked"},
		"expired":         {reason: "grant_expired"},
		"package":         {kind: "mcp_package"},
		"package_single":  {kind: "mcp_package"},
		"package_revoked": {reason: "token_revoked"},
		"everything": {kind: "client", streams: []string{
			"messages@cin_gmail_personal,cin_gmail_work", "threads@cin_gmail_personal,cin_gmail_work",
			"labels@cin_gmail_personal,cin_gmail_work",
			"message_bodies@cin_gmail_personal,cin_gmail_work", "attachments@cin_gmail_personal,cin_gmail_work",
			"saved_tracks@cin_spotify", "play_history@cin_spotify", "top_artists@cin_spotify",
			"channels@cin_slack_team", "chat_messages@cin_slack_team", "users@cin_slack_team",
			"repositories@cin_github", "issues@cin_github", "pull_requests@cin_github", "commits@cin_github",
			"calendars@cin_calendar", "events@cin_calendar",
			"accounts@cin_fjordbank", "transactions@cin_fjordbank", "notices@cin_fjordbank",
		}},
	}
	for name, token := range s.Tokens() {
		want, listed := cases[name]
		if !listed {
			t.Errorf("token %s has no case", name)
		}
		delete(cases, name)
		got := introspect(t, s, token)
		if got.Active != (want.reason == "") || got.InactiveReason != want.reason || got.TokenKind != want.kind {
			t.Errorf("%s: active %v, reason %q, kind %q", name, got.Active, got.InactiveReason, got.TokenKind)
		}
		if got.Audience != "http://rs.example" || got.Issuer != issuer || got.ClientID == "" {
			t.Errorf("%s: aud %q, iss %q, client_id %q", name, got.Audience, got.Issuer, got.ClientID)
		}
		var streams []string
		for _, detail := range got.Details {
			if !strings.HasPrefix(detail.Source.ID, issuer+"/connectors/") || detail.Source.Kind != "connector" {
				t.Errorf("%s: source %+v", name, detail.Source)
			}
			for _, stream := range detail.Streams {
				streams = append(streams, stream.Name+"@"+strings.Join(stream.InstanceIDs, ","))
			}
		}
		if diff := cmp.Diff(want.streams, streams); diff != "" {
			t.Errorf("%s: streams (-want +got):\n%s", name, diff)
		}
	}
	for name := range cases {
		t.Errorf("no token %s", name)
	}
}

func mail(connections string) []string {
	return []string{
		"messages@" + connections, "message_bodies@" + connections, "attachments@" + connections,
		"threads@" + connections,
	}
}

func TestIntrospectionOfANarrowGrant(t *testing.T) {
	s := newServer()
	stream := introspect(t, s, s.Tokens()["narrow"]).Details[0].Streams[0]
	if want := []string{"id", "thread_id", "subject", "received_at"}; !slices.Equal(stream.Fields, want) {
		t.Errorf("fields %v, want %v", stream.Fields, want)
	}
	want := map[string]string{"field": "received_at", "since": "2026-01-10T00:00:00Z", "until": "2026-02-01T00:00:00Z"}
	if diff := cmp.Diff(want, stream.TimeConstraint); diff != "" {
		t.Errorf("time constraint (-want +got):\n%s", diff)
	}
}

// R-PKG-8: a member that was revoked is published as such.
func TestIntrospectionPublishesPackageMembers(t *testing.T) {
	s := newServer()
	members := introspect(t, s, s.Tokens()["package"]).Package.Members
	var connections []string
	for _, m := range members {
		connections = append(connections, m.ConnectionID)
		access, found := s.Access(m.AccessToken)
		if !found || access.Kind != "client" || len(access.Grants) != 1 || access.Grants[0].ID != m.GrantID {
			t.Errorf("%s: the member's token gives %+v, %v", m.ConnectionID, access, found)
		}
		if m.Status != "active" || m.DisplayName == "" || m.ConnectorKey == "" || len(m.Streams) == 0 {
			t.Errorf("%s: incomplete member %+v", m.ConnectionID, m)
		}
	}
	if want := []string{
		"cin_gmail_personal", "cin_gmail_work", "cin_spotify", "cin_slack_team", "cin_github",
		"cin_calendar", "cin_fjordbank",
	}; !slices.Equal(connections, want) {
		t.Fatalf("members %v, want %v", connections, want)
	}
	if err := s.Revoke(members[1].GrantID); err != nil {
		t.Fatal(err)
	}
	after := introspect(t, s, s.Tokens()["package"])
	if !after.Active || after.Package.Members[1].Status != "revoked" || after.Package.Members[0].Status != "active" {
		t.Errorf("after the second member was revoked: active %v, members %+v", after.Active, after.Package.Members)
	}
}

func TestIntrospectionWithoutMembers(t *testing.T) {
	s := newServer(authorization.WithMembers(false))
	if got := introspect(t, s, s.Tokens()["package"]); !got.Active || got.Package.PackageID == "" ||
		got.Package.Members != nil {
		t.Errorf("published %+v", got.Package)
	}
}

func TestIntrospectionRefusals(t *testing.T) {
	s := newServer()
	token := url.Values{"token": {s.Tokens()["gmail_personal"]}}.Encode()
	cases := map[string]struct {
		form      string
		authorize func(*http.Request)
		status    int
		code      string
	}{
		"no caller": {token, func(*http.Request) {}, 401, "context.authentication_failed"},
		"wrong secret": {
			token, func(r *http.Request) { r.SetBasicAuth(s.Caller().ID, "wrong") }, 401,
			"context.authentication_failed",
		},
		"wrong id": {
			token, func(r *http.Request) { r.SetBasicAuth("wrong", s.Caller().Secret) }, 401,
			"context.authentication_failed",
		},
		"bearer": {
			token, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.Tokens()["owner"]) }, 401,
			"context.authentication_failed",
		},
		"no token":       {"", asCaller(s), 400, "invalid_request"},
		"token in query": {"", func(r *http.Request) { asCaller(s)(r); r.URL.RawQuery = token }, 400, "invalid_request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			response := post(t, s, c.form, c.authorize)
			var body struct{ Error struct{ Code string } }
			if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != c.status || body.Error.Code != c.code {
				t.Errorf("answered %d %s, want %d %s", response.StatusCode, body.Error.Code, c.status, c.code)
			}
			if challenged := response.Header.Get("WWW-Authenticate") != ""; challenged != (c.status == 401) {
				t.Errorf("challenge sent: %v", challenged)
			}
		})
	}
	if got := introspect(t, s, "garbage"); got.Active || got.ClientID != "" {
		t.Errorf("an unknown token is described as %+v", got)
	}
}

func TestAccess(t *testing.T) {
	now := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)
	s := newServer(authorization.WithClock(func() time.Time { return now }))
	for name, want := range map[string]string{
		"owner": "owner", "everything": "client", "revoked": "client", "expired": "client", "package": "mcp_package",
		"package_revoked": "",
	} {
		access, found := s.Access(s.Tokens()[name])
		if found != (want != "") || access.Kind != want {
			t.Errorf("%s: kind %q, found %v, want %q", name, access.Kind, found, want)
		}
	}
	if access, _ := s.Access(s.Tokens()["revoked"]); !access.Grants[0].Revoked {
		t.Error("the revoked grant is not marked")
	}
	if access, _ := s.Access(s.Tokens()["expired"]); !access.Grants[0].ExpiresAt.Before(now) {
		t.Error("the expired grant is not marked")
	}
	if access, _ := s.Access(s.Tokens()["everything"]); access.Grants[0].ConnectorKey != "" {
		t.Error("the whole grant names one connector")
	}
	if _, found := s.Access("garbage"); found {
		t.Error("an unknown token gives access")
	}
	now = now.AddDate(0, 2, 0)
	if _, found := s.Access(s.Tokens()["owner"]); found {
		t.Error("the owner token outlived its two months")
	}
}

func TestRevoke(t *testing.T) {
	s := newServer()
	personal, _ := s.Credential("gmail_personal")
	for range 2 {
		if err := s.Revoke(personal.GrantID); err != nil {
			t.Fatal(err)
		}
	}
	if access, _ := s.Access(personal.Token); !access.Grants[0].Revoked {
		t.Error("the grant is not revoked")
	}
	packageID := introspect(t, s, s.Tokens()["package"]).GrantPackageID
	member := s.Members("package")[0]
	if err := s.Revoke(packageID); err != nil {
		t.Fatal(err)
	}
	if _, found := s.Access(s.Tokens()["package"]); found {
		t.Error("the package is not revoked")
	}
	if access, _ := s.Access(member.AccessToken); !access.Grants[0].Revoked {
		t.Error("the package's member is not revoked")
	}
	if err := s.Revoke("grt_unknown"); !errors.Is(err, authorization.ErrUnknownGrant) {
		t.Errorf("an unknown id gives %v", err)
	}
}

func TestTokensAreRandomAndGrantIDsAreNot(t *testing.T) {
	first, second := newServer(), newServer()
	for name, token := range first.Tokens() {
		if token == second.Tokens()[name] || len(token) < 40 {
			t.Errorf("token %s can be foretold", name)
		}
	}
	if diff := cmp.Diff(first.GrantIDs(), second.GrantIDs()); diff != "" {
		t.Errorf("grant ids of two servers (-first +second):\n%s", diff)
	}
	if first.Caller().Secret == second.Caller().Secret {
		t.Error("the introspection secret can be foretold")
	}
	named := newServer(authorization.WithTokens(func(name string) string { return "token-of-" + name }))
	if named.Tokens()["owner"] != "token-of-owner" {
		t.Error("WithTokens is not used")
	}
}

func TestMetadataNamesOnlyWhatIsServed(t *testing.T) {
	s := newServer()
	recorder := httptest.NewRecorder()
	s.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, authorization.MetadataPath, nil))
	raw, err := io.ReadAll(recorder.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	metadata := map[string]any{}
	if err := json.Unmarshal(raw, &metadata); err != nil {
		t.Fatal(err)
	}
	endpoints := 0
	for key, value := range metadata {
		if !strings.HasSuffix(key, "_endpoint") {
			continue
		}
		endpoints++
		path, below := strings.CutPrefix(value.(string), issuer)
		probe := httptest.NewRecorder()
		s.Handler().ServeHTTP(probe, httptest.NewRequest(http.MethodPost, path, nil))
		if !below || probe.Code == http.StatusNotFound {
			t.Errorf("%s is %v, where nothing answers", key, value)
		}
	}
	if endpoints != 8 || metadata["issuer"] != issuer {
		t.Errorf("metadata %s", raw)
	}
	for key, want := range map[string][]any{
		"code_challenge_methods_supported": {"S256"},
		"response_types_supported":         {"code"},
		"grant_types_supported": {
			"authorization_code", "refresh_token",
			"urn:ietf:params:oauth:grant-type:device_code",
		},
	} {
		if diff := cmp.Diff(any(want), metadata[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
