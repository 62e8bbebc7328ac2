package connect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

const gmail = "https://registry.pdpp.dev/connectors/gmail"

func day(month time.Month, day int) string {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

// preciseSignIns are captured sign-ins that request part of a source.
var preciseSignIns = []struct {
	name     string
	asked    connect.AccessRequest
	flow     connect.Flow
	captures []string
	replace  []string
	sentTo   string // the path of the request that has the details; empty for the page's address
	grant    string
	want     []string
}{
	{
		name: "two_connections", asked: connect.AccessRequest{Source: gmail, Streams: []credential.Stream{
			{
				Name: "messages", Connections: []string{"cin_gmail_personal", "cin_gmail_work"},
				Fields: []string{"id", "subject", "received_at"}, Range: credential.TimeRange{Since: day(1, 1)},
			},
			{Name: "labels", Connections: []string{"cin_gmail_personal"}},
		}},
		captures: []string{"866", "866b", "520", "866d", "866e", "866g"},
		replace: []string{
			"cli_20a2ded8546d8fbc", "cli_32d41cf07ec5e020", "dc_c6c91763b1e3b9dd", "dc_54073b16516ba95b",
			"agc_87a4e77772cbdbb34e7f00f7fae8652e", "agc_c22f7661ec1ffe877fc88d00359c3ba2", pollingCode, "<polling_code>",
			"Agent client", "PDPP CLI", "<client_agent>", agentToken,
		},
		sentTo: "/oauth/par", grant: "grt_2976203114f152d6",
		want: []string{"wider: messages with field thread_id too"},
	},
	{
		name: "fields_by_device", asked: connect.AccessRequest{Source: gmail, Streams: []credential.Stream{
			{Name: "messages", Connections: []string{"cin_gmail_personal"}, Fields: []string{"id", "subject"}},
		}},
		flow: connect.DeviceAuthorization, captures: []string{"866", "868", "868d", "868e", "864d"},
		replace: []string{"<client_device>", deviceToken, "Agent client", "PDPP CLI"},
		sentTo:  "/oauth/device_authorization", grant: "grt_047e670adcfb23c9",
		want: []string{"wider: messages with fields thread_id, received_at too"},
	},
	{
		name: "time_range_by_code", asked: connect.AccessRequest{Source: gmail, Streams: []credential.Stream{{
			Name: "messages", Connections: []string{"cin_gmail_personal"}, Fields: []string{"id", "subject", "received_at"},
			Range: credential.TimeRange{Since: day(1, 10), Until: day(1, 20)},
		}}},
		flow: connect.AuthorizationCode, captures: []string{"501", "862", "862b", "862d"},
		replace: []string{"<client_time_range>", agentToken, "<refresh_client_time_range>", "refresh-token-of-a-test"},
		grant:   "grt_c9011cd34ca25757",
		want:    []string{"wider: messages with field thread_id too"},
	},
	{
		name: "single_use_by_code", asked: connect.AccessRequest{Source: gmail, SingleUse: true, Streams: []credential.Stream{
			{Name: "messages", Connections: []string{"cin_gmail_personal"}, Fields: []string{"id", "subject"}},
		}},
		flow: connect.AuthorizationCode, captures: []string{"501", "864", "864b", "864d"},
		replace: []string{"<client_single_use>", agentToken},
		grant:   "grt_211c548cf56a8132",
		want:    []string{"wider: messages with fields thread_id, received_at too"},
	},
}

// Covers R-LOCAL-4: the request equals the capture, and the approved access is compared with it.
func TestPreciseSignInsAsCaptured(t *testing.T) {
	for _, test := range preciseSignIns {
		t.Run(test.name, func(t *testing.T) {
			provider := playing(metadata, test.captures).Replace(test.replace...)
			options := connect.Options{Access: test.asked, Flow: test.flow, Label: "mail"}
			if test.flow == connect.DeviceAuthorization {
				options.ClientID = "cli_32d41cf07ec5e020"
			}
			var got outcome
			if test.flow == connect.AuthorizationCode {
				got = signInByCode(t, provider, options, "code=the-code-of-a-test&iss="+url.QueryEscape(capturetest.Issuer))
			} else {
				got = signIn(t, provider, options)
			}
			if got.err != nil {
				t.Fatal(got.err)
			}
			if held := got.entry.Credential; held.GrantID != test.grant || held.Label != "mail" {
				t.Errorf("the credential is of %s, labelled %q", held.GrantID, held.Label)
			}
			sent := sentDetails(t, provider, got, test.sentTo)
			golden.File(t, filepath.Join("testdata", "details", test.name+".json"), sent)
			for _, name := range test.captures {
				if exchange, _ := capturetest.Load(name); strings.Contains(exchange.Query, "authorization_details") {
					query, _ := url.ParseQuery(exchange.Query)
					compareDetails(t, query.Get("authorization_details"), sent)
				} else if exchange.Path == test.sentTo {
					compareDetails(t, memberDetails(t, exchange.Asked), sent)
				}
			}
			if diff := cmp.Diff(test.want, connect.Differences(test.asked, got.entry.Credential)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// signInByCode signs in with a browser that returns with the parameters.
func signInByCode(t *testing.T, provider *capturetest.Provider, options connect.Options, back string) outcome {
	t.Helper()
	var got outcome
	options.ProviderURL, options.ClientName, options.Transport = capturetest.Resource, "MCP client", provider
	options.Announce = func(approval connect.Approval) {
		got.approval = append(got.approval, approval)
		page, err := url.Parse(approval.URL)
		if err != nil {
			t.Error(err)
			return
		}
		redirect := page.Query().Get("redirect_uri")
		strange, strangePage := visit(t, http.MethodGet, redirect+"?code=stolen&state=guessed")
		elsewhere, _ := visit(t, http.MethodGet, redirect+"/elsewhere")
		preview, _ := visit(t, http.MethodHead, redirect+"?code=stolen&state="+page.Query().Get("state"))
		own, landing := visit(t, http.MethodGet, redirect+"?state="+page.Query().Get("state")+"&"+back)
		if strange != 400 || elsewhere != 404 || preview != 400 || own != 200 {
			t.Errorf("answered %d without the state, %d elsewhere, %d to HEAD and %d with the state", strange,
				elsewhere, preview, own)
		}
		if !strings.Contains(strangePage, "<h1>This is not the sign-in</h1>") {
			t.Errorf("without the state the page is %s", strangePage)
		}
		got.landing = landing
	}
	got.entry, got.err = connect.Connect(t.Context(), options)
	checkSecrets(t, provider, got.err)
	return got
}

func visit(t *testing.T, method, address string) (status int, page string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") ||
		response.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s has %v and %v", address, response.Header, err)
	}
	return response.StatusCode, string(body)
}

// sentDetails returns the authorization_details of a request, indented. Without a path it takes those of the page's
// URL.
func sentDetails(t *testing.T, provider *capturetest.Provider, got outcome, path string) string {
	t.Helper()
	sent := ""
	switch requests := provider.Seen(path); {
	case path == "":
		page, err := url.Parse(got.approval[0].URL)
		if err != nil {
			t.Fatal(err)
		}
		sent = page.Query().Get("authorization_details")
	case strings.HasPrefix(requests[0].Body, "{"):
		sent = memberDetails(t, requests[0].Body)
	default:
		form, err := url.ParseQuery(requests[0].Body)
		if err != nil {
			t.Fatal(err)
		}
		sent = form.Get("authorization_details")
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(sent), "", "  "); err != nil {
		t.Fatal(err)
	}
	return indented.String() + "\n"
}

func memberDetails(t *testing.T, body string) string {
	t.Helper()
	var asked struct {
		Details json.RawMessage `json:"authorization_details"`
	}
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		t.Fatal(err)
	}
	return string(asked.Details)
}

// compareDetails ignores the description of the purpose, which is the adapter's.
func compareDetails(t *testing.T, captured, sent string) {
	t.Helper()
	var want, got []map[string]any
	if err := errors.Join(json.Unmarshal([]byte(captured), &want), json.Unmarshal([]byte(sent), &got)); err != nil {
		t.Fatal(err)
	}
	for _, details := range [][]map[string]any{want, got} {
		delete(details[0], "purpose_description")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sent details (-captured +sent):\n%s", diff)
	}
}

// Captures 867 to 867e: the source has two connections and none is named. The owner's page fails, and polls never say
// so. The approval and the error do (R-LOCAL-4).
func TestConnectionIsNotNamed(t *testing.T) {
	provider := playing(metadata, []string{"866", "867", "520", "867e"}).Replace(
		"cli_20a2ded8546d8fbc", "cli_32d41cf07ec5e020", "dc_c6c91763b1e3b9dd", "dc_641659ba6b25570d",
		"agc_87a4e77772cbdbb34e7f00f7fae8652e", "agc_aea4c4d423534ece62446d4824fb2fba", pollingCode, "<polling_code_2>")
	got := signIn(t, provider,
		connect.Options{Access: connect.AccessRequest{Source: gmail, Streams: []credential.Stream{{Name: "messages"}}}})
	got.wantError(t, credential.Configuration, "expired before the owner decided",
		"several connections, pass --connection <id>")
	if len(got.approval) != 1 || !got.approval[0].OmitsConnection {
		t.Errorf("announced %+v, want that no connection is named", got.approval)
	}
	for name, asked := range map[string]connect.AccessRequest{
		"nothing": {},
		"connection": {
			Source:  gmail,
			Streams: []credential.Stream{{Name: credential.EveryStream, Connections: []string{"cin_gmail_work"}}},
		},
	} {
		provider := playing(metadata, agentStart, readable).Handle(pollPath, replies(agentApproved))
		if got := signIn(t, provider, connect.Options{Access: asked}); len(got.approval) != 1 ||
			got.approval[0].OmitsConnection {
			t.Errorf("%s: announced %+v, %v", name, got.approval, got.err)
		}
	}
}

// Capture 868c, and a server that reports the problem of its page in a poll.
func TestDetailsAreRefused(t *testing.T) {
	asked := connect.AccessRequest{
		Source: gmail,
		Streams: []credential.Stream{
			{Name: "messages", Connections: []string{"cin_gmail_personal"}, Fields: []string{"nope"}},
		},
	}
	got := signIn(t, playing(metadata, []string{"866", "868c"}),
		connect.Options{Access: asked, Flow: connect.DeviceAuthorization})
	got.wantError(t, credential.Configuration, "Unknown fields on stream 'messages': nope", "--field")
	asked.Streams[0].Connections = nil
	provider := playing(metadata, agentStart).Handle(pollPath, replies(
		reply{400, `{"error":{"code":"source.authorization_details_invalid","message":"Omitted instance_ids requires ` +
			`exactly one eligible instance for stream 'messages', found 2"}}`}))
	got = signIn(t, provider, connect.Options{Access: asked})
	got.wantError(t, credential.Configuration, "found 2", "pass --connection <id>")
	got = signIn(t, playing(metadata, []string{"866", "868c"}), connect.Options{Flow: connect.DeviceAuthorization})
	got.wantError(t, credential.Configuration, "Unknown fields", "name what to ask for, with --source <connector>",
		"or let the owner choose on a page: run: pdpp-mcp connect ", " --flow code")
}

// R-TRUST-3: a new grant is requested only if the request can name exactly what the old one had.
func TestSameAccess(t *testing.T) {
	const exact = `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"` + gmail +
		`"},"access_mode":"continuous",
		"purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant","purpose_description":"To sort mail","streams":[{"name":"messages",
		"instance_ids":["cin_1"],"fields":["id"],"time_constraint":{"field":"received_at","since":"2026-01-10T00:00:00Z"}}]}]`
	want := connect.AccessRequest{Source: gmail, Purpose: "To sort mail", Streams: []credential.Stream{
		{
			Name: "messages", Connections: []string{"cin_1"}, Fields: []string{"id"},
			Range: credential.TimeRange{Since: "2026-01-10T00:00:00Z"},
		},
	}}
	got, isKnown := connect.SameAccess(credential.Credential{Details: []byte(exact)})
	if diff := cmp.Diff(want, got); diff != "" || !isKnown {
		t.Errorf("known %t (-want +got):\n%s", isKnown, diff)
	}
	for name, change := range map[string][2]string{
		"a limit of the grant":   {`"access_mode"`, `"retention":"P30D","access_mode"`},
		"a limit of a stream":    {`"instance_ids"`, `"resources":["m1"],"instance_ids"`},
		"a limit of the times":   {`"since"`, `"zone":"UTC","since"`},
		"a list of another type": {`["cin_1"]`, `"cin_1"`},
		"no fields":              {`["id"]`, `[]`},
		"no stream's name":       {`"messages"`, `""`},
		"another purpose":        {`personal_ai_assistant`, `research`},
		"another kind of source": {`"connector"`, `"archive"`},
		"no access mode":         {`"continuous"`, `""`},
		"two sources":            {`}]}]`, `}]},{"streams":[]}]`},
	} {
		details := strings.Replace(exact, change[0], change[1], 1)
		if got, isKnown := connect.SameAccess(credential.Credential{Details: []byte(details)}); isKnown || details == exact {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// R-LOCAL-3: a token response without details does not show the limits of the grant. The connections are those of the
// schema, and the requested time range is kept.
func TestTimeRangeOfADeviceGrant(t *testing.T) {
	bounds := credential.TimeRange{Since: "2026-01-10T00:00:00Z", Until: "2026-02-01T00:00:00Z"}
	start := reply{200, `{"device_code":"c","user_code":"A","verification_uri":"http://localhost:7662/device"}`}
	provider := playing(metadata, []string{"500"}, readable).Handle("/oauth/device_authorization", replies(start)).Handle(
		"/oauth/token", replies(deviceApproved))
	got := signIn(t, provider, connect.Options{
		ClientID: "cli_1", Flow: connect.DeviceAuthorization,
		Access: connect.AccessRequest{
			Source:  gmail,
			Streams: []credential.Stream{{Name: credential.EveryStream, Range: bounds}},
		},
	})
	if got.err != nil {
		t.Fatal(got.err)
	}
	approved := got.entry.Credential.Approved()
	for _, each := range approved {
		if each.Since != bounds.Since || each.Until != bounds.Until || len(each.Connections) == 0 {
			t.Errorf("approved %+v", each)
		}
	}
	if len(approved) == 0 {
		t.Error("nothing is known of what was approved")
	}
}
