package flow_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
)

func TestConsentPage(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	registered := f.postJSON("/oauth/register", `{"client_name":"<script>x</script>","redirect_uris":["`+
		flowtest.Redirect+`"]}`)
	config.ClientID = registered.text("client_id")
	page, err := f.owner.Open(f.ctx, authorizationRequest(config, "resource", issuer+"/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"cin_gmail_personal", "cin_gmail_work", "cin_spotify", "cin_slack_team", "cin_github",
		"cin_calendar", "cin_fjordbank",
	}, page.Choices()); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	for _, shown := range []string{
		"&lt;script&gt;x&lt;/script&gt;", config.ClientID, flowtest.Redirect, issuer + "/mcp", "always signed in",
		"Personal Gmail", `lang="en"`,
	} {
		if !strings.Contains(page.Body, shown) {
			t.Errorf("the page does not show %s", shown)
		}
	}
	for _, missing := range []string{"<script", "checked", "src=", "<link", "url("} {
		if strings.Contains(page.Body, missing) {
			t.Errorf("the page has %s", missing)
		}
	}
	style := page.Body[strings.Index(page.Body, "<style>")+len("<style>") : strings.Index(page.Body, "</style>")]
	hash := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http://127.0.0.1:5555"
	if diff := cmp.Diff(want, page.Header.Get("Content-Security-Policy")); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	if page.Header.Get("Referrer-Policy") != "no-referrer" ||
		!strings.Contains(page.Header.Get("Cache-Control"), "no-store") {
		t.Errorf("headers %v", page.Header)
	}
}

func TestDecisions(t *testing.T) {
	approve := func(more url.Values) url.Values {
		more["decision"] = []string{"approve"}
		return more
	}
	for name, c := range map[string]struct {
		form     url.Values
		stranger bool // another browser sends the form
		wait     time.Duration
		status   int
		code     string // of the redirect
	}{
		"one connection": {form: approve(url.Values{"connection_id": {"cin_spotify"}}), status: 303},
		"none":           {form: approve(url.Values{}), status: 400},
		"an unknown one": {form: approve(url.Values{"connection_id": {"cin_unknown"}}), status: 400},
		"denied": {
			form: url.Values{"decision": {"deny"}, "connection_id": {"cin_spotify"}}, status: 303,
			code: "access_denied",
		},
		"no decision": {form: url.Values{"connection_id": {"cin_spotify"}}, status: 303, code: "access_denied"},
		"a foreign form": {
			form:   approve(url.Values{"connection_id": {"cin_spotify"}, "form_token": {"foreign"}}),
			status: 400,
		},
		"another browser": {form: approve(url.Values{"connection_id": {"cin_spotify"}}), stranger: true, status: 400},
		"too late": {
			form: approve(url.Values{"connection_id": {"cin_spotify"}}),
			wait: 16 * time.Minute, status: 400,
		},
		"long, but not too long": {
			form: approve(url.Values{"connection_id": {"cin_spotify"}}),
			wait: 14 * time.Minute, status: 303,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			address := authorizationRequest(f.register())
			page, err := f.owner.Open(f.ctx, address)
			if err != nil {
				t.Fatal(err)
			}
			sender := f.owner
			if c.stranger {
				sender = flowtest.New(f.network)
			}
			grants := len(f.server.GrantIDs())
			f.advance(c.wait)
			decided, err := sender.Submit(f.ctx, address, page, c.form)
			if err != nil || decided.Status != c.status {
				t.Fatalf("answered %d, want %d: %v", decided.Status, c.status, err)
			}
			approved := c.status == 303 && c.code == ""
			if (len(f.server.GrantIDs()) > grants) != approved {
				t.Errorf("%d grants were made", len(f.server.GrantIDs())-grants)
			}
			if c.status == 303 && (decided.Location.Query().Get("error") != c.code ||
				decided.Location.Query().Has("code") != approved) {
				t.Errorf("sent to %s", decided.Location)
			}
			if c.status == 303 { // decided once, and for all
				if again, _ := sender.Submit(f.ctx, address, page, c.form); again.Status != 400 || again.Location != nil {
					t.Errorf("the second decision answered %d", again.Status)
				}
			}
		})
	}
}

// A page of another origin cannot send the form, whatever it knows.
func TestConsentFromAnotherOrigin(t *testing.T) {
	f := newFixture(t)
	request, err := http.NewRequestWithContext(f.ctx, http.MethodPost, issuer+"/oauth/authorize/x",
		strings.NewReader("decision=approve"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := f.network.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("answered %v, %v", response.StatusCode, err)
	}
}

// A double click approves once.
func TestConcurrentApprovals(t *testing.T) {
	f := newFixture(t)
	address := authorizationRequest(f.register())
	page, err := f.owner.Open(f.ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	grants := len(f.server.GrantIDs())
	statuses := make(chan int)
	for range 4 {
		go func() {
			decided, _ := f.owner.Submit(f.ctx, address, page,
				url.Values{"decision": {"approve"}, "connection_id": {"cin_spotify"}})
			statuses <- decided.Status
		}()
	}
	approvals := 0
	for range 4 {
		if <-statuses == http.StatusSeeOther {
			approvals++
		}
	}
	if approvals != 1 || len(f.server.GrantIDs()) != grants+1 {
		t.Errorf("%d approvals made %d grants", approvals, len(f.server.GrantIDs())-grants)
	}
}

func TestGrantsHaveNewIDs(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	before := f.server.GrantIDs()
	f.signIn(config)
	f.signIn(config)
	after := f.server.GrantIDs()
	if len(after) != len(before)+2 || len(slices.Compact(after)) != len(after) {
		t.Errorf("%d grants before, %d after", len(before), len(after))
	}
}
