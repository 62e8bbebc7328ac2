package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const subscriptionsPath = "/v1/event-subscriptions"

// subscribe creates a subscription and gives its id and secret.
func (f *fixture) subscribe(token, body string) (id, secret string) {
	f.t.Helper()
	a := f.send(http.MethodPost, token, subscriptionsPath, body)
	if a.Code != http.StatusCreated {
		f.t.Fatalf("answered %d %s", a.Code, a.Body)
	}
	return a.text("id"), a.text("secret")
}

// awaitStatus asks until a subscription has a state.
func (f *fixture) awaitStatus(token, id, wanted string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if f.get(token, subscriptionsPath+"/"+id).text("status") == wanted {
			return
		}
	}
	f.t.Fatalf("the subscription never became %s", wanted)
}

// The secret is shown once; a subscription belongs to its client under its grant.
func TestSubscriptionsBelongToTheirGrant(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q,"streams":["messages"],"description":"mine"}`, r.url))
	if r.verifications() != 1 || !r.asked[0].signedWith(t, secret) || r.asked[0].Data.SubscriptionID != id {
		t.Errorf("the receiver was asked %+v", r.asked)
	}
	shown := f.get(personalToken, subscriptionsPath+"/"+id)
	if shown.text("callback_url") != r.url || shown.text("status") != "active" || shown.text("description") != "mine" {
		t.Errorf("shown is %s", shown.Body)
	}
	listed := f.get(personalToken, subscriptionsPath)
	if got := listed.column("data", "id"); len(got) != 1 || got[0] != id {
		t.Errorf("listed is %s", listed.Body)
	}
	if all := shown.Body.String() + listed.Body.String(); strings.Contains(all, secret) || strings.Contains(all, "whsec_") {
		t.Error("the secret is shown again")
	}
	for token, status := range map[string]int{bothToken: 404, narrowToken: 404, ownerToken: 403, packageToken: 404, revokedToken: 403, "": 401} {
		for _, request := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/test"}} {
			if a := f.send(request[0], token, subscriptionsPath+"/"+id+request[1], `{"description":"theirs"}`); a.Code != status {
				t.Errorf("%s %s with token %q answered %d, want %d", request[0], request[1], token, a.Code, status)
			}
		}
	}
	if others := f.get(bothToken, subscriptionsPath); len(others.column("data", "id")) != 0 {
		t.Errorf("another grant lists %s", others.Body)
	}
	if a := f.send("DELETE", personalToken, subscriptionsPath+"/"+id, ""); a.Code != 204 || a.Body.Len() != 0 {
		t.Errorf("DELETE answered %d %s", a.Code, a.Body)
	}
	if a := f.send("GET", personalToken, subscriptionsPath+"/"+id, ""); a.Code != 404 || a.text("error.code") != "not_found" {
		t.Errorf("a deleted one is answered with %d %s", a.Code, a.Body)
	}
}

// A receiver has to run on this machine and to echo the challenge; else nothing is kept.
func TestReceiversThatAreRefused(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	elsewhere := httptest.NewServer(http.RedirectHandler(r.url, http.StatusTemporaryRedirect))
	t.Cleanup(elsewhere.Close)
	for name, test := range map[string]struct {
		body string
		code string
		asks int
		echo func(string) string
	}{
		"no address":             {`{}`, "invalid_request", 0, nil},
		"another machine":        {`{"callback_url":"https://receiver.example/"}`, "invalid_callback_url", 0, nil},
		"a name like loopback":   {`{"callback_url":"http://127.0.0.1.example/"}`, "invalid_callback_url", 0, nil},
		"any address":            {`{"callback_url":"http://0.0.0.0:1/"}`, "invalid_callback_url", 0, nil},
		"a password":             {`{"callback_url":"http://u:p@127.0.0.1:1/"}`, "invalid_callback_url", 0, nil},
		"another scheme":         {`{"callback_url":"ftp://127.0.0.1/"}`, "invalid_callback_url", 0, nil},
		"nobody listens":         {`{"callback_url":"http://127.0.0.1:1/"}`, "callback_verification_failed", 0, nil},
		"a redirect":             {fmt.Sprintf(`{"callback_url":%q}`, elsewhere.URL), "callback_verification_failed", 0, nil},
		"no echo":                {fmt.Sprintf(`{"callback_url":%q}`, r.url), "callback_verification_failed", 1, func(string) string { return "ok" }},
		"an echo among others":   {fmt.Sprintf(`{"callback_url":%q}`, r.url), "callback_verification_failed", 1, func(c string) string { return "x" + c }},
		"an unknown event":       {fmt.Sprintf(`{"callback_url":%q,"event_types":["pdpp.everything"]}`, r.url), "invalid_request", 0, nil},
		"an unknown member":      {fmt.Sprintf(`{"callback_url":%q,"secret":"mine"}`, r.url), "invalid_request", 0, nil},
		"a stream not granted":   {fmt.Sprintf(`{"callback_url":%q,"streams":["days"]}`, r.url), "grant_stream_not_allowed", 0, nil},
		"a state of its own":     {fmt.Sprintf(`{"callback_url":%q,"status":"active"}`, r.url), "invalid_request", 0, nil},
		"two objects":            {fmt.Sprintf(`{"callback_url":%q} {}`, r.url), "invalid_request", 0, nil},
		"no JSON":                {`callback_url=x`, "invalid_request", 0, nil},
		"a body of many bytes":   {`{"description":"` + strings.Repeat("x", 70_000) + `"}`, "invalid_request", 0, nil},
		"an address of too much": {fmt.Sprintf(`{"callback_url":"http://127.0.0.1/%s"}`, strings.Repeat("x", 2048)), "invalid_callback_url", 0, nil},
	} {
		before := r.verifications()
		r.echoes(test.echo)
		a := f.send(http.MethodPost, personalToken, subscriptionsPath, test.body)
		if a.Code/100 != 4 || a.text("error.code") != test.code {
			t.Errorf("%s: answered %d %s, want %s", name, a.Code, a.Body, test.code)
		}
		if asked := r.verifications() - before; asked != test.asks {
			t.Errorf("%s: the receiver was asked %d times, want %d", name, asked, test.asks)
		}
	}
	if left := f.get(personalToken, subscriptionsPath).column("data", "id"); len(left) != 0 {
		t.Errorf("%v was kept", left)
	}
	r.echoes(func(challenge string) string { return `{"challenge":"` + challenge + `"}` })
	f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q}`, r.url))
}

// A change is told after it was made, without the record, and leads to it through the feed.
func TestChangesAreDelivered(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q,"streams":["messages"],"event_types":["pdpp.records.changed"]}`, r.url))
	for _, unseen := range []string{
		"/v1/streams/messages/records/w-003?connection_id=" + work,          // of another connection
		"/v1/streams/attachments/records/p-010:1?connection_id=" + personal, // of a stream that was not asked for
		"/v1/streams/messages/records/p-007?connection_id=" + personal,      // seen
	} {
		if a := f.send("DELETE", ownerToken, unseen, ""); a.Code != 204 {
			t.Fatalf("%s: %d %s", unseen, a.Code, a.Body)
		}
	}
	got := r.next()
	if got.Type != "pdpp.records.changed" || got.Data.SubscriptionID != id || got.Data.Stream != "messages" || got.Data.ConnectionID != personal {
		t.Errorf("got %s", got.body)
	}
	if !got.signedWith(t, secret) || got.header.Get("webhook-id") != got.ID || got.header.Get("Content-Type") != "application/cloudevents+json; charset=utf-8" {
		t.Errorf("got the headers %v", got.header)
	}
	if strings.Contains(got.body, "p-007") || strings.Contains(got.body, "note 7") {
		t.Errorf("the event holds the record: %s", got.body)
	}
	feed := f.get(personalToken, "/v1/streams/messages/records?changes_since="+got.Data.ChangesSince)
	if ids := feed.column("data", "id"); len(ids) != 1 || ids[0] != "p-007" || feed.at("data.0.deleted") != true {
		t.Errorf("the feed since the event is %s", feed.Body)
	}
	if len(r.events) != 0 {
		t.Errorf("%d events more", len(r.events))
	}
}

// An event is sent again under its id, signed anew, until it is taken; a receiver that never takes it is left.
func TestDeliveryIsTriedAgain(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q}`, r.url))
	r.answers(500, 302, 204)
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-001?connection_id="+personal, "")
	first, second, third := r.next(), r.next(), r.next()
	if first.ID != second.ID || second.ID != third.ID || !third.signedWith(t, secret) {
		t.Errorf("got the events %s, %s and %s, want one three times", first.ID, second.ID, third.ID)
	}
	r.answers(500, 500, 500, 200)
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-002?connection_id="+personal, "")
	for range 3 {
		r.next()
	}
	f.awaitStatus(personalToken, id, "disabled_failure")
	if last := f.get(personalToken, subscriptionsPath+"/"+id); last.text("last_delivery.status") != "failed" || last.at("last_delivery.response_status") != 500.0 {
		t.Errorf("the last delivery is %s", last.Body)
	}
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-003?connection_id="+personal, "")
	if a := f.send("PATCH", personalToken, subscriptionsPath+"/"+id, `{"status":"active"}`); a.text("status") != "active" {
		t.Errorf("made active: %d %s", a.Code, a.Body)
	}
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-004?connection_id="+personal, "")
	got := r.next()
	feed := f.get(personalToken, "/v1/streams/messages/records?changes_since="+got.Data.ChangesSince)
	if ids := feed.column("data", "id"); len(ids) != 1 || ids[0] != "p-004" {
		t.Errorf("after the failure came %v, want p-004 alone", ids)
	}
}

func TestUpdateAndTest(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	other := newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q,"event_types":["pdpp.records.changed"]}`, r.url))
	for body, code := range map[string]string{
		`{}`: "invalid_request", `{"status":"disabled_failure"}`: "invalid_request", `{"streams":["days"]}`: "grant_stream_not_allowed",
		`{"callback_url":"http://127.0.0.1:1/"}`: "callback_verification_failed",
	} {
		if a := f.send("PATCH", personalToken, subscriptionsPath+"/"+id, body); a.text("error.code") != code {
			t.Errorf("%s: answered %d %s, want %s", body, a.Code, a.Body, code)
		}
	}
	changed := f.send("PATCH", personalToken, subscriptionsPath+"/"+id, fmt.Sprintf(`{"callback_url":%q,"status":"disabled"}`, other.url))
	if changed.text("callback_url") != other.url || changed.text("status") != "disabled" || other.verifications() != 1 {
		t.Errorf("answered %d %s", changed.Code, changed.Body)
	}
	tested := f.send("POST", personalToken, subscriptionsPath+"/"+id+"/test", "")
	got := other.next()
	if tested.text("status") != "delivered" || tested.text("event_id") != got.ID || got.Type != "pdpp.subscription.test" || !got.signedWith(t, secret) {
		t.Errorf("answered %s, the receiver got %s", tested.Body, got.body)
	}
	other.answers(503)
	if failed := f.send("POST", personalToken, subscriptionsPath+"/"+id+"/test", ""); failed.text("status") != "failed" || failed.at("response_status") != 503.0 {
		t.Errorf("answered %s", failed.Body)
	}
}

// Whose grant has ended is told so, and nothing more.
func TestARevokedGrantEndsDelivery(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q}`, r.url))
	id, _ := f.subscribe(bothToken, fmt.Sprintf(`{"callback_url":%q,"streams":["envelopes"]}`, r.url))
	f.grants.revoke("grt_personal")
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-001?connection_id="+personal, "")
	if got := r.next(); got.Type != "pdpp.grant.revoked" || strings.Contains(got.body, "messages") {
		t.Errorf("got %s", got.body)
	}
	f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-002?connection_id="+personal, "")
	if tested := f.send("POST", bothToken, subscriptionsPath+"/"+id+"/test", ""); tested.text("status") != "delivered" {
		t.Errorf("answered %s", tested.Body)
	}
	if got := r.next(); got.Type != "pdpp.subscription.test" {
		t.Errorf("got %s, want nothing after the end of the grant", got.body)
	}
}

func TestAClientMayHaveSoManySubscriptions(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	body := fmt.Sprintf(`{"callback_url":%q}`, r.url)
	for range 20 {
		f.subscribe(personalToken, body)
	}
	if a := f.send(http.MethodPost, personalToken, subscriptionsPath, body); a.Code != 400 || a.text("error.code") != "too_many_subscriptions" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	f.subscribe(bothToken, body)
}
