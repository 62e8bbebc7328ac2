// Package subscription keeps the event subscriptions of the sandbox's clients and delivers signed events to
// receivers on this machine, as docs/provider-contract.md specifies (Event subscriptions). Subscriptions end with the
// process.
package subscription

import (
	"slices"
	"time"
)

// The states of a subscription, as documents show them.
const (
	Pending         = "pending_verification" // its receiver has not echoed the challenge yet
	Active          = "active"
	Disabled        = "disabled"         // by its client
	DisabledFailure = "disabled_failure" // its receiver failed too often
	DisabledRevoked = "disabled_revoked" // its grant has ended
)

// The reasons that documents show with a state.
const (
	clientDisabled = "client_disabled"
	deliveryFailed = "delivery_failed"
	grantRevoked   = "grant_revoked"
)

// The types of events (client_event_subscriptions.event_types of the metadata).
const (
	VerifyEvent         = "pdpp.subscription.verify"
	TestEvent           = "pdpp.subscription.test"
	RecordsChangedEvent = "pdpp.records.changed"
	GrantRevokedEvent   = "pdpp.grant.revoked"
)

// Owner identifies to whom a subscription belongs: a client under one set of grants, or the owner of the data. No other
// caller sees it.
type Owner struct {
	ClientID string   // empty: the owner of the data
	GrantIDs []string // none for the owner of the data
}

func (o Owner) is(other Owner) bool {
	return o.ClientID == other.ClientID && slices.Equal(o.GrantIDs, other.GrantIDs)
}

// Draft is the request for a new subscription.
type Draft struct {
	CallbackURL string
	Scope       Scope
}

// Change is a request to change a subscription. A nil member stays as it is.
type Change struct {
	Enabled      *bool
	RotateSecret bool
}

// Subscription is a subscription as clients see it, without its signing secret.
type Subscription struct {
	AuthorityKind  string  `json:"authority_kind"` // client_grant or trusted_owner_agent
	CallbackURL    string  `json:"callback_url"`
	ClientID       *string `json:"client_id"`
	CreatedAt      string  `json:"created_at"`
	DisabledReason *string `json:"disabled_reason"`
	GrantID        *string `json:"grant_id"`
	Scope          Scope   `json:"scope"`
	Status         string  `json:"status"`
	ID             string  `json:"subscription_id"`
	UpdatedAt      string  `json:"updated_at"`

	Owner Owner `json:"-"`
}

// Scope has the streams that a subscription covers.
type Scope struct {
	Source  *Source       `json:"source,omitempty"` // nil: of several sources
	Streams []ScopeStream `json:"streams"`
	Filters *Filters      `json:"filters,omitempty"`
}

// Source identifies where the records come from.
type Source struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"` // connector
	ConnectorID string `json:"connector_id"`
}

// ScopeStream is one stream of the grant.
type ScopeStream struct {
	Name        string   `json:"name"`
	InstanceIDs []string `json:"instance_ids"`
}

// Filters narrow a subscription.
type Filters struct {
	Streams []string `json:"streams"` // at least one
}

// Wants reports whether changes of a stream are to be delivered.
func (s Subscription) Wants(stream string) bool {
	return s.Status == Active && (s.Scope.Filters == nil || slices.Contains(s.Scope.Filters.Streams, stream))
}

// set changes the state and the time of the change.
func (s *Subscription) set(status, reason string) {
	s.Status, s.DisabledReason, s.UpdatedAt = status, nil, timestamp(time.Now())
	if reason != "" {
		s.DisabledReason = &reason
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
