// Package subscription keeps the event subscriptions of the sandbox's clients and delivers signed events to
// receivers on this machine. Nothing outlives the process.
package subscription

import (
	"slices"
	"time"
)

// The states of a subscription, as documents show them.
const (
	Active          = "active"
	Disabled        = "disabled"         // by its client, or because its grant was revoked
	DisabledFailure = "disabled_failure" // its receiver failed too often
)

// The types of events (client_event_subscriptions.event_types of the metadata).
const (
	VerifyEvent         = "pdpp.subscription.verify"
	TestEvent           = "pdpp.subscription.test"
	RecordsChangedEvent = "pdpp.records.changed"
	GrantRevokedEvent   = "pdpp.grant.revoked"
)

// EventTypes are the types that a client may ask for. Verification is not asked for.
func EventTypes() []string { return []string{TestEvent, RecordsChangedEvent, GrantRevokedEvent} }

// Owner is who a subscription belongs to: a client under one set of grants. Others do not see it.
type Owner struct {
	ClientID string
	GrantIDs []string
}

func (o Owner) is(other Owner) bool {
	return o.ClientID == other.ClientID && slices.Equal(o.GrantIDs, other.GrantIDs)
}

// Draft is what a client decides about a subscription. A nil member was not given.
type Draft struct {
	CallbackURL *string   `json:"callback_url"`
	EventTypes  *[]string `json:"event_types"`
	Streams     *[]string `json:"streams"`
	Description *string   `json:"description"`
	Status      *string   `json:"status"` // Active or Disabled
}

// Subscription is one subscription as documents show it. The signing secret is not part of it.
type Subscription struct {
	Object       string    `json:"object"` // "event_subscription"
	ID           string    `json:"id"`
	Status       string    `json:"status"`
	CallbackURL  string    `json:"callback_url"`
	EventTypes   []string  `json:"event_types"`
	Streams      []string  `json:"streams"` // empty: every stream of the grant
	Description  string    `json:"description,omitempty"`
	CreatedAt    string    `json:"created_at"`
	LastDelivery *Delivery `json:"last_delivery"`

	Owner Owner `json:"-"`
}

// Wants tells whether events of a type, and of a stream when it is about one, are to be delivered.
func (s Subscription) Wants(eventType, stream string) bool {
	return s.Status == Active && slices.Contains(s.EventTypes, eventType) &&
		(stream == "" || len(s.Streams) == 0 || slices.Contains(s.Streams, stream))
}

// Delivery is one attempt to deliver an event.
type Delivery struct {
	Object         string `json:"object"` // "event_delivery"
	EventID        string `json:"event_id"`
	EventType      string `json:"event_type"`
	Status         string `json:"status"`                    // "delivered" or "failed"
	ResponseStatus int    `json:"response_status,omitempty"` // of the receiver
	Attempt        int    `json:"attempt"`
	At             string `json:"at"`
}

func (d Delivery) delivered() bool { return d.Status == "delivered" }

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
