package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// That answers are those of a real provider is shown by the captures (TestSubscriptionsAreAsCaptured). Here is what
// the captures cannot show.

const subscriptionsPath = "/v1/event-subscriptions"

// subscribe creates a subscription and returns its id and secret after the receiver has echoed the challenge.
func (f *fixture) subscribe(token, body string) (id, secret string) {
	f.t.Helper()
	a := f.send(http.MethodPost, token, subscriptionsPath, body)
	if a.Code != http.StatusCreated {
		f.t.Fatalf("answered %d %s", a.Code, a.Body)
	}
	f.awaitStatus(token, a.text("subscription_id"), "active")
	return a.text("subscription_id"), a.text("secret")
}

// awaitStatus asks until a subscription has a state.
func (f *fixture) awaitStatus(token, id, wanted string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if f.get(token, subscriptionsPath+"/"+id).text("status") == wanted {
			return
		}
	}
	f.t.Fatalf("the subscription never became %s", wanted)
}

// write changes a record as its owner does.
func (f *fixture) write(connection, key string) {
	f.t.Helper()
	body := fmt.Sprintf(`{"key":%q,"data":{"id":%[1]q,"subject":"new %[1]s"},"emitted_at":"2026-05-03T00:00:00Z"}`, key)
	if a := f.send(http.MethodPost, ownerToken, "/v1/ingest/messages?connector_instance_id="+connection,
		body); a.Code != 200 || a.at("records_accepted") != 1.0 {
		f.t.Fatalf("answered %d %s", a.Code, a.Body)
	}
}

// The secret is shown once; a subscription belongs to its client under its grant.
func TestSubscriptionsBelongToTheirGrant(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q,"filters":{"streams":["messages"]}}`, r.url))
	if r.verifications() != 1 || !r.asked[0].signedWith(t, secret) || r.asked[0].Data.SubscriptionID != id {
		t.Errorf("the receiver was asked %+v", r.asked)
	}
	shown, listed := f.get(personalToken, subscriptionsPath+"/"+id), f.get(personalToken, subscriptionsPath)
	if all := shown.Body.String() + listed.Body.String(); strings.Contains(all, secret) ||
		strings.Contains(all, "whsec_") {
		t.Error("the secret is shown again")
	}
	for token, status := range map[string]int{
		bothToken: 404, narrowToken: 404, ownerToken: 404, packageToken: 403,
		revokedToken: 403, "": 401,
	} {
		for _, request := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/test-event"}} {
			if a := f.send(request[0], token, subscriptionsPath+"/"+id+request[1], `{"enabled":false}`); a.Code != status {
				t.Errorf("%s %s with token %q answered %d, want %d", request[0], request[1], token, a.Code, status)
			}
		}
	}
	if shown := f.get(personalToken, subscriptionsPath+"/"+id); shown.text("status") != "active" {
		t.Errorf("somebody else changed it: %s", shown.Body)
	}
}

// Whatever address is asked for, the sandbox posts to this machine alone and follows no redirect.
func TestNoOtherMachineIsReached(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	elsewhere := newReceiver(t)
	elsewhere.redirects(r.url)
	for _, address := range []string{"https://192.0.2.1/", elsewhere.url} {
		made := f.send(http.MethodPost, personalToken, subscriptionsPath, fmt.Sprintf(`{"callback_url":%q}`, address))
		if made.Code != http.StatusCreated {
			t.Fatalf("%s: answered %d %s", address, made.Code, made.Body)
		}
		f.awaitStatus(personalToken, made.text("subscription_id"), "disabled_failure")
	}
	if r.verifications() != 0 {
		t.Error("a redirect was followed")
	}
}

// A change is announced after it was made, without the record. The feed leads to the record.
func TestChangesAreDelivered(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q,"filters":{"streams":["messages"]}}`, r.url))
	// not announced
	if a := f.send("DELETE", ownerToken, "/v1/streams/messages/records/p-007?connector_instance_id="+personal,
		""); a.Code != 204 {
		t.Fatalf("answered %d %s", a.Code, a.Body)
	}
	f.write(work, "w-900")
	f.write(personal, "p-900")
	got := r.next()
	if got.Type != "pdpp.records.changed" || got.Data.SubscriptionID != id || got.Data.Stream != "messages" ||
		got.Data.ConnectionID != personal {
		t.Errorf("got %s", got.body)
	}
	if !got.signedWith(t, secret) || strings.Contains(got.body, "p-900") {
		t.Errorf("the event is not signed, or holds the record: %s", got.body)
	}
	feed := f.get(personalToken, "/v1/streams/messages/records?changes_since="+got.Data.ChangesSince)
	if ids := feed.column("data", "id"); len(ids) != 1 || ids[0] != "p-900" {
		t.Errorf("the feed since the event is %s", feed.Body)
	}
	if len(r.events) != 0 {
		t.Errorf("%d events more", len(r.events))
	}
}

// An event is sent again with the same id and a new signature until the receiver accepts it. A receiver that never does
// is disabled.
func TestDeliveryIsTriedAgain(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	id, secret := f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q}`, r.url))
	r.answers(500, 302, 204)
	f.write(personal, "p-901")
	first, second, third := r.next(), r.next(), r.next()
	if first.ID != second.ID || second.ID != third.ID || !third.signedWith(t, secret) {
		t.Errorf("got the events %s, %s and %s, want one three times", first.ID, second.ID, third.ID)
	}
	r.answers(500, 500, 500)
	f.write(personal, "p-902")
	for range 3 {
		r.next()
	}
	f.awaitStatus(personalToken, id, "disabled_failure")
	f.write(personal, "p-903") // not announced
	if a := f.send("PATCH", personalToken, subscriptionsPath+"/"+id,
		`{"enabled":true,"rotate_secret":true}`); a.text("subscription.status") != "active" {
		t.Errorf("switched on: %d %s", a.Code, a.Body)
	} else {
		secret = a.text("secret")
	}
	f.write(personal, "p-904")
	got := r.next()
	feed := f.get(personalToken, "/v1/streams/messages/records?changes_since="+got.Data.ChangesSince)
	if ids := feed.column("data", "id"); len(ids) != 1 || ids[0] != "p-904" || !got.signedWith(t, secret) {
		t.Errorf("after the failure came %v, want p-904 alone, signed with the new secret", ids)
	}
}

// A client with an expired grant gets that news at the next change, and nothing more.
func TestARevokedGrantEndsDelivery(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.subscribe(personalToken, fmt.Sprintf(`{"callback_url":%q}`, r.url))
	f.grants.revoke("grt_personal")
	f.write(personal, "p-905")
	if got := r.next(); got.Type != "pdpp.grant.revoked" || strings.Contains(got.body, "messages") {
		t.Errorf("got %s", got.body)
	}
	f.write(personal, "p-906")
	id, _ := f.subscribe(bothToken, fmt.Sprintf(`{"callback_url":%q,"filters":{"streams":["envelopes"]}}`, r.url))
	f.send("POST", bothToken, subscriptionsPath+"/"+id+"/test-event", "")
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
	if a := f.send(http.MethodPost, personalToken, subscriptionsPath, body); a.Code != 400 ||
		a.text("error.code") != "too_many_subscriptions" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	f.subscribe(bothToken, body)
}
