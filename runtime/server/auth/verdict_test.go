package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

const packageAnswer = `{"active":true,"pdpp_token_kind":"mcp_package","exp":1795262952,"client_id":"cli_1","aud":"https://pdpp.example.com",
 "grant_package_id":"gpkg_1","package":{"package_id":"gpkg_1","members":[
  {"grant_id":"grt_1","status":"active","connection_id":"cin_1","connector_key":"gmail","display_name":"Personal Gmail","streams":["messages","threads"],"access_token":"` + memberBearer + `"},
  {"grant_id":"grt_2","status":"revoked","connection_id":"cin_2","connector_key":"slack","display_name":"Team","streams":["messages"],"access_token":"token-of-a-revoked-member"},
  {"grant_id":"grt_3","status":"active","connection_id":"cin_3","connector_key":"spotify"},
  {"grant_id":"grt_4","status":"active","connection_id":"cin_4","access_token":"not a token"}]}}`

// R-HOST-4: the caller has the members of the introspection.
func TestClientToken(t *testing.T) {
	as := newAuthority(t,
		answer(`{"active":true,"pdpp_token_kind":"client","client_id":"cli_1","grant_id":"grt_1","exp":1795262952.5,"aud":"`+
			resource+`/"}`))
	v, _ := verifier(t, as)
	want := &auth.Caller{
		Kind: rs.KindClient, ClientID: "cli_1", GrantID: "grt_1", Expires: time.Unix(1795262952, 0),
	}
	got := admitted(t, v, bearer)
	if len(got.TokenHash) != 16 || strings.Trim(got.TokenHash, "0123456789abcdef") != "" {
		t.Errorf("TokenHash = %q", got.TokenHash)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(auth.Caller{}, "TokenHash")); diff != "" {
		t.Errorf("caller (-want +got):\n%s", diff)
	}
}

// R-CLAIM-2: the limits of records come from authorization_details (862c). Grants without such limits are not
// kept, nor are the fields of streams without them.
func TestGrantedRecords(t *testing.T) {
	const form = `{"active":true,"pdpp_token_kind":"client","grant_id":"grt_1","authorization_details":[{"type":"https://pdpp.dev/data-access","streams":[
		{"name":"messages","fields":["id"],"instance_ids":["cin_1"]%s},{"name":"labels","fields":["id"]}]}]}`
	since := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	for members, want := range map[string][]granted.Stream{
		"": nil,
		`,"time_constraint":{"field":"received_at","since":"2026-01-10T00:00:00Z"}`: {
			{
				GrantID: "grt_1", Name: "messages", Connections: []string{"cin_1"},
				Limit: granted.Limit{Fields: []string{"id"}, TimeField: "received_at", Since: since},
			},
			{GrantID: "grt_1", Name: "labels"},
		},
	} {
		v, _ := verifier(t, newAuthority(t, answer(fmt.Sprintf(form, members))))
		if diff := cmp.Diff(want, admitted(t, v, bearer).Granted); diff != "" {
			t.Errorf("%s: granted (-want +got):\n%s", members, diff)
		}
	}
}

// R-CLAIM-1, R-CLAIM-2: the grants of a package have the limits of the details of each member, and fields where these differ.
func TestGrantedOfPackage(t *testing.T) {
	member := func(id, fields string) string {
		return fmt.Sprintf(`{"grant_id":%q,"status":"active","connection_id":"cin_1","connector_key":"gmail","display_name":"Mail",`+
			`"streams":["messages"],"access_token":%q,"authorization_details":[{"streams":[{"name":"messages","fields":[%s]},`+
			`{"name":"labels","fields":["id"]}]}]}`, id, memberBearer, fields)
	}
	v, _ := verifier(t, newAuthority(t, answer(`{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"p","members":[`+
		member("grt_1", `"id"`)+","+member("grt_2", `"id","body"`)+`]}}`)))
	want := []granted.Stream{
		{GrantID: "grt_1", Name: "messages", Limit: granted.Limit{Fields: []string{"id"}}},
		{GrantID: "grt_1", Name: "labels"},
		{GrantID: "grt_2", Name: "messages", Limit: granted.Limit{Fields: []string{"id", "body"}}},
		{GrantID: "grt_2", Name: "labels"},
	}
	if diff := cmp.Diff(want, admitted(t, v, bearer).Granted); diff != "" {
		t.Errorf("granted (-want +got):\n%s", diff)
	}
}

// R-PKG-1, R-PKG-8: a package's members come from introspection. Inactive ones have no bearer.
func TestPackageToken(t *testing.T) {
	as := newAuthority(t, answer(packageAnswer))
	v, _ := verifier(t, as)
	want := &auth.Caller{
		Kind: rs.KindPackage, ClientID: "cli_1", PackageID: "gpkg_1", Expires: time.Unix(1795262952, 0),
		Members: []auth.Member{
			{
				GrantID: "grt_1", Active: true, Status: "active", ConnectionID: "cin_1", ConnectorKey: "gmail",
				DisplayName: "Personal Gmail",
				Streams:     []string{"messages", "threads"}, Bearer: rs.NewSecret(memberBearer),
			},
			{
				GrantID: "grt_2", Status: "revoked", ConnectionID: "cin_2", ConnectorKey: "slack", DisplayName: "Team",
				Streams: []string{"messages"},
			},
			{GrantID: "grt_3", Status: "active", ConnectionID: "cin_3", ConnectorKey: "spotify"},
			{GrantID: "grt_4", Status: "active", ConnectionID: "cin_4"},
		},
	}
	got := admitted(t, v, bearer)
	bearers := cmp.Comparer(func(a, b rs.Secret) bool { return a.Reveal() == b.Reveal() })
	if diff := cmp.Diff(want, got, bearers, cmpopts.IgnoreFields(auth.Caller{}, "TokenHash")); diff != "" {
		t.Errorf("caller (-want +got):\n%s", diff)
	}
	if active := got.ActiveMembers(); len(active) != 1 || active[0].GrantID != "grt_1" {
		t.Errorf("active members: %+v", active)
	}
}

// Every refused answer has one reason.
func TestRefusedAnswers(t *testing.T) {
	tests := []struct {
		name, answer    string
		status          int
		code, challenge string
	}{
		{"R-HOST-4 inactive", `{"active":false}`, 401, "authentication_error", "invalid_token"},
		{
			"R-HOST-4 inactive whatever else is said", `{"active":false,"pdpp_token_kind":"client","exp":"later"}`, 401,
			"authentication_error", "invalid_token",
		},
		{
			"R-HOST-4 expired", `{"active":true,"pdpp_token_kind":"client","exp":1795261000}`, 401, "authentication_error",
			"invalid_token",
		},
		{
			"R-HOST-4 expires now", `{"active":true,"pdpp_token_kind":"client","exp":1795262400}`, 401, "authentication_error",
			"invalid_token",
		},
		{
			"R-HOST-4 exp of nought", `{"active":true,"pdpp_token_kind":"client","exp":0}`, 401, "authentication_error",
			"invalid_token",
		},
		{
			"R-HOST-4 not valid yet", `{"active":true,"pdpp_token_kind":"client","nbf":1795262401}`, 401, "authentication_error",
			"invalid_token",
		},
		{"R-HOST-4 owner", `{"active":true,"pdpp_token_kind":"owner"}`, 403, "permission_error", "insufficient_scope"},
		{
			"R-HOST-4 control plane", `{"active":true,"pdpp_token_kind":"control_plane"}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-HOST-4 kind in other letters", `{"active":true,"pdpp_token_kind":"Client"}`, 403, "permission_error",
			"insufficient_scope",
		},
		{"R-HOST-4 no kind", `{"active":true}`, 403, "permission_error", "insufficient_scope"},
		{
			"R-HOST-4 kind under another name", `{"active":true,"token_kind":"client","PDPP_TOKEN_KIND":"client"}`, 403,
			"permission_error", "insufficient_scope",
		},
		{
			"R-HOST-4 owner by another name", `{"active":true,"pdpp_token_kind":"client","token_kind":"owner"}`, 403,
			"permission_error", "insufficient_scope",
		},
		{
			"R-HOST-4 owner by its role", `{"active":true,"pdpp_token_kind":"client","role":"Owner"}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-HOST-4 client and control plane", `{"active":true,"pdpp_token_kind":"client","token_kind":"control_plane"}`, 403,
			"permission_error", "insufficient_scope",
		},
		{
			"R-HOST-10 audience", `{"active":true,"pdpp_token_kind":"client","aud":"https://other.example.com"}`, 403,
			"permission_error", "insufficient_scope",
		},
		{
			"R-HOST-10 longer audience",
			`{"active":true,"pdpp_token_kind":"client","aud":"https://pdpp.example.com.evil.example"}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-HOST-10 audiences", `{"active":true,"pdpp_token_kind":"client","aud":["https://other.example.com","x"]}`, 403,
			"permission_error", "insufficient_scope",
		},
		{
			"R-HOST-10 empty audience", `{"active":true,"pdpp_token_kind":"client","aud":[]}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-HOST-10 empty audience", `{"active":true,"pdpp_token_kind":"client","aud":""}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-HOST-10 package's audience", `{"active":true,"pdpp_token_kind":"mcp_package","aud":"x"}`, 403, "permission_error",
			"insufficient_scope",
		},
		{
			"R-PKG-1 package without members",
			`{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"gpkg_1"}}`, 503, "package_unsupported", "",
		},
		{
			"R-PKG-1 members are null", `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":null}}`, 503,
			"package_unsupported", "",
		},
		{"R-PKG-1 no package", `{"active":true,"pdpp_token_kind":"mcp_package"}`, 503, "package_unsupported", ""},
		{
			"R-PKG-1 empty package", `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":[]}}`, 403,
			"package_revoked", "",
		},
		{"R-PKG-1 nothing active", `{"active":true,"pdpp_token_kind":"mcp_package",` +
			`"package":{"members":[{"status":"revoked","access_token":"a"},{"status":"Active",` +
			`"access_token":"a"},{"status":"active","access_token":""},{"access_token":"a"}]}}`, 403, "package_revoked", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			as := newAuthority(t, answer(test.answer))
			v, _ := verifier(t, as)
			expect(t, refused(t, v, bearer), test.status, test.code, test.challenge)
			refused(t, v, bearer)
			if asked := as.Introspected(); len(asked) != 1 {
				t.Errorf("an answer was not kept: %d introspections", len(asked))
			}
		})
	}
}

// R-HOST-10: the spellings of an accepted audience, and no audience at all.
func TestAcceptedAudiences(t *testing.T) {
	for _, reported := range []string{
		`"https://pdpp.example.com"`, `"https://pdpp.example.com/"`, `"https://pdpp.example.com/mcp"`,
		`"https://pdpp.example.com/mcp/"`,
		`"HTTPS://PDPP.example.com:443"`, `["x","https://pdpp.example.com"]`, `"urn:further"`, `null`,
	} {
		as := newAuthority(t, answer(`{"active":true,"pdpp_token_kind":"client","aud":`+reported+`}`))
		v, _ := verifier(t, as, func(options *auth.Options) { options.Audiences = append(options.Audiences, "urn:further") })
		admitted(t, v, bearer)
	}
}

// R-HOST-4: an invalid answer admits no token and is not cached.
func TestNonsensicalAnswersFailClosed(t *testing.T) {
	for name, text := range map[string]string{
		"no active":               `{"pdpp_token_kind":"client"}`,
		"active is text":          `{"active":"true","pdpp_token_kind":"client"}`,
		"active is null":          `{"active":null,"pdpp_token_kind":"client"}`,
		"active in other letters": `{"Active":true,"pdpp_token_kind":"client"}`,
		"active twice":            `{"active":false,"active":true,"pdpp_token_kind":"client"}`,
		"exp is text":             `{"active":true,"pdpp_token_kind":"client","exp":"1795262952"}`,
		"exp in milliseconds":     `{"active":true,"pdpp_token_kind":"client","exp":1795262952000}`,
		"exp beyond numbers":      `{"active":true,"pdpp_token_kind":"client","exp":1e999}`,
		"kind is a number":        `{"active":true,"pdpp_token_kind":1}`,
		"client_id is an array":   `{"active":true,"pdpp_token_kind":"client","client_id":[]}`,
		"aud is an object":        `{"active":true,"pdpp_token_kind":"client","aud":{}}`,
		"aud holds a number":      `{"active":true,"pdpp_token_kind":"client","aud":["https://pdpp.example.com",1]}`,
		"package is text":         `{"active":true,"pdpp_token_kind":"mcp_package","package":"gpkg_1"}`,
		"members are an object":   `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":{}}}`,
		"member is text":          `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":["a"]}}`,
		"member's streams are text": `{"active":true,"pdpp_token_kind":"mcp_package",` +
			`"package":{"members":[{"status":"active","access_token":"a","streams":"all"}]}}`,
		"member's status twice": `{"active":true,"pdpp_token_kind":"mcp_package",` +
			`"package":{"members":[{"status":"revoked","status":"active","access_token":"a"}]}}`,
		"second member is wrong": `{"active":true,"pdpp_token_kind":"mcp_package",` +
			`"package":{"members":[{"status":"active","access_token":"a"},{"status":1}]}}`,
		"two packages": `{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"a",` +
			`"package":{"package_id":"b","members":[]}}`,
		"two answers": `{"active":true,"pdpp_token_kind":"client"}{}`,
		"an array":    `[{"active":true,"pdpp_token_kind":"client"}]`,
		"nothing":     ``,
		"cut off":     `{"active":true,"pdpp_token_kind":"cl`,
		"true":        `true`,
		"package's id in an integer": `{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":7,` +
			`"members":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			as := newAuthority(t, answer(text))
			v, _ := verifier(t, as)
			expect(t, refused(t, v, bearer), 503, "authorization_unavailable", "")
			as.Set(answer(`{"active":true,"pdpp_token_kind":"client"}`))
			admitted(t, v, bearer)
		})
	}
}
