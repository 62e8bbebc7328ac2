package subscription

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// ContentType is the content type of an event's body.
const ContentType = "application/cloudevents+json; charset=utf-8"

// event is a CloudEvent. It names the change, and holds no record.
type event struct {
	SpecVersion string    `json:"specversion"` // "1.0"
	PDPPVersion string    `json:"pdppversion"` // "1"
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	Source      string    `json:"source"` // the subscription's path
	Time        string    `json:"time"`
	Data        EventData `json:"data"`
}

// EventData is the data of an event. Its type determines which members are set.
type EventData struct {
	SubscriptionID string `json:"subscription_id"`
	Challenge      string `json:"challenge,omitempty"`     // of verification: the receiver echoes it
	Stream         string `json:"stream,omitempty"`        // of changed records
	ConnectionID   string `json:"connection_id,omitempty"` // likewise
	ChangeCount    int    `json:"change_count_hint,omitempty"`
	// of changed records: the position in the feed before the change
	ChangesSince string `json:"changes_since,omitempty"`
}

// message is an event ready to be sent.
type message struct {
	id, eventType string
	body          []byte
}

// newMessage returns an event of a subscription with the time at which it happened.
func newMessage(subscriptionID, eventType string, at time.Time, data EventData) (message, error) {
	id := "evt_" + random()
	data.SubscriptionID = subscriptionID
	body, err := json.Marshal(event{
		SpecVersion: "1.0", PDPPVersion: "1", ID: id, Type: eventType, Source: "/v1/event-subscriptions/" + subscriptionID,
		Time: timestamp(at), Data: data,
	})
	if err != nil {
		return message{}, fmt.Errorf("write event: %w", err)
	}
	return message{id: id, eventType: eventType, body: body}, nil
}

// secret is the key of one subscription.
type secret [32]byte

func newSecret() secret {
	var made secret
	_, _ = rand.Read(made[:]) // never fails (crypto/rand)
	return made
}

// text returns the secret in the form that the client gets.
func (s secret) text() string { return "whsec_" + base64.StdEncoding.EncodeToString(s[:]) }

// sign returns the webhook-signature of a message at a time (Standard Webhooks).
func (s secret) sign(m message, at time.Time) (stamp, signature string) {
	stamp = strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, s[:])
	fmt.Fprintf(mac, "%s.%s.%s", m.id, stamp, m.body)
	return stamp, "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func random() string {
	var bytes [12]byte
	_, _ = rand.Read(bytes[:]) // never fails (crypto/rand)
	return hex.EncodeToString(bytes[:])
}
