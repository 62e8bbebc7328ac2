package flow_test

import (
	"strings"
	"testing"
	"time"
)

// The members are those of the captured exchanges 520 to 530.
func TestAgentConnect(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	start := func(body string) answer {
		t.Helper()
		started := f.postJSON("/agent-connect", body)
		if started.status != 201 {
			t.Fatalf("agent connect answered %d %s", started.status, started.body)
		}
		for _, name := range []string{
			"approval_url", "expires_in", "id", "interval", "object", "poll_url", "status",
			"token_url", "polling_code",
		} {
			if started.body[name] == nil {
				t.Errorf("%s is absent", name)
			}
		}
		return started
	}
	poll := func(started answer) answer {
		f.advance(10 * time.Second)
		return f.postJSON(strings.TrimPrefix(started.text("poll_url"), issuer),
			`{"polling_code":"`+started.text("polling_code")+`"}`)
	}
	expect := func(got answer, status int, code string) {
		t.Helper()
		if got.status != status || got.code() != code {
			t.Errorf("answered %d %s, want %d %s", got.status, got.code(), status, code)
		}
	}

	one := start(`{"resource":"` + issuer + `","scope":"pdpp:read","client_name":"CLI","client_id":"` +
		config.ClientID + `"}`)
	pending := poll(one)
	expect(pending, 202, "authorization_pending")
	if pending.text("status") != "pending" || string(pending.body["interval"]) != "2" {
		t.Errorf("pending %s", pending.body)
	}
	f.advance(-10 * time.Second)
	expect(poll(one), 202, "slow_down")
	expect(f.postJSON(strings.TrimPrefix(one.text("poll_url"), issuer), `{"polling_code":"x"}`), 401, "invalid_grant")
	page, err := f.owner.Open(f.ctx, one.text("approval_url"))
	if err != nil || strings.Contains(page.Body, "Code on the device") || !strings.Contains(page.Body, "For 30 days.") {
		t.Errorf("the page asks to compare a code that the agent does not know, or names another duration than the "+
			"token's: %v\n%s", err, page.Body)
	}
	if _, err := f.owner.Approve(f.ctx, one.text("approval_url"), "cin_gmail_work"); err != nil {
		t.Fatal(err)
	}
	approved := poll(one)
	if approved.status != 200 || !f.active(approved.text("access_token")) || approved.text("grant_id") == "" ||
		approved.text("token_type") != "Bearer" {
		t.Fatalf("approved: %d %s", approved.status, approved.body)
	}
	for _, name := range []string{
		"access_mode", "client", "expires_at", "grant_id", "issued_at", "purpose_code",
		"purpose_description", "source", "source_declaration", "streams", "subject", "version",
	} {
		if !strings.Contains(string(approved.body["grant"]), `"`+name+`":`) {
			t.Errorf("the grant has no %s", name)
		}
	}
	if again := poll(one); again.status != 200 || again.text("access_token") != approved.text("access_token") {
		t.Errorf("polled again: %d %s", again.status, again.code())
	}

	several := start(`{"resource":"` + issuer + `/mcp","client_name":"Agent without a registration"}`)
	if _, err := f.owner.Approve(f.ctx, several.text("approval_url"), "cin_gmail_work", "cin_spotify"); err != nil {
		t.Fatal(err)
	}
	if given := poll(several); given.status != 200 || given.text("grant_package_id") == "" || given.body["grant"] != nil {
		t.Errorf("several: %d %s", given.status, given.body)
	}

	denied := start(`{"client_name":"x","authorization_details":` + musicOnly + `}`)
	if _, err := f.owner.Deny(f.ctx, denied.text("approval_url")); err != nil {
		t.Fatal(err)
	}
	expect(poll(denied), 403, "access_denied")
	expired := start(`{}`)
	f.advance(301 * time.Second)
	expect(poll(expired), 410, "expired_token")
	expect(poll(one), 410, "expired_token")
	if !f.active(approved.text("access_token")) {
		t.Error("a late poll ended the token that the agent has")
	}

	expect(f.postJSON("/agent-connect", `{"resource":"http://elsewhere.example"}`), 400, "invalid_target")
	expect(f.postJSON("/agent-connect", `{"client_id":"cli_unknown"}`), 400, "invalid_client")
	expect(f.postJSON("/agent-connect", `{"authorization_details":{}}`), 400, "invalid_authorization_details")
	expect(f.postJSON("/agent-connect", `[`), 400, "invalid_request")
}
