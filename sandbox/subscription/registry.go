package subscription

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	maxOfOwner = 20  // subscriptions
	maxWaiting = 256 // events of one subscription
)

// ErrNotFound reports a subscription that does not exist or has another owner.
var ErrNotFound = errors.New("no such event subscription")

// ErrTooMany reports that a client already has as many subscriptions as the sandbox allows.
var ErrTooMany = fmt.Errorf("a client may have %d event subscriptions", maxOfOwner)

// StateError reports an operation that the state of a subscription does not allow.
type StateError struct{ Status string }

func (e *StateError) Error() string {
	return "cannot enqueue test event for subscription in status " + e.Status
}

// Options configures a Registry.
type Options struct {
	// Retries are the pauses before an event is sent again. After the last one the subscription is disabled.
	Retries []time.Duration
}

// DefaultRetries are short enough to watch. Real providers wait for minutes and hours.
func DefaultRetries() []time.Duration {
	return []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}
}

// Registry keeps subscriptions and delivers to them. It is safe for concurrent use.
type Registry struct {
	options Options
	client  *http.Client
	ctx     context.Context //nolint:containedctx // ends with Close, as the deliveries do
	stop    context.CancelFunc
	working sync.WaitGroup

	mu     sync.Mutex
	closed bool
	kept   []*subscribed // in the order of creation
}

// subscribed is a subscription with its internal state.
type subscribed struct {
	Subscription
	key     secret
	waiting int             // events that are being delivered
	ctx     context.Context //nolint:containedctx // ends with the subscription, as its deliveries do
	end     context.CancelFunc
}

// NewRegistry returns an empty registry. The caller closes it.
func NewRegistry(options Options) *Registry {
	ctx, stop := context.WithCancel(context.Background())
	return &Registry{options: options, client: newClient(), ctx: ctx, stop: stop}
}

// Close stops every delivery and waits for those under way to end.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.working.Wait()
	r.client.CloseIdleConnections()
}

// Create returns a pending subscription with its secret, which is never shown again, and starts to verify its receiver.
// The error is a *CallbackError, ErrTooMany, or context.Canceled if the registry is closed.
func (r *Registry) Create(owner Owner, draft Draft) (Subscription, string, error) {
	if err := checkCallback(draft.CallbackURL); err != nil {
		return Subscription{}, "", err
	}
	made := &subscribed{Subscription: newSubscription(owner, draft), key: newSecret()}
	challenge := random()
	verification, err := newMessage(made.ID, VerifyEvent, time.Now(), EventData{Challenge: challenge})
	if err != nil {
		return Subscription{}, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return Subscription{}, "", context.Canceled
	}
	if len(r.of(owner)) >= maxOfOwner {
		return Subscription{}, "", ErrTooMany
	}
	made.ctx, made.end = context.WithCancel(r.ctx)
	r.kept = append(r.kept, made)
	r.working.Go(func() { r.verify(made, verification, challenge) })
	return made.Subscription, made.key.text(), nil
}

func newSubscription(owner Owner, draft Draft) Subscription {
	now := timestamp(time.Now())
	made := Subscription{
		AuthorityKind: "trusted_owner_agent", CallbackURL: draft.CallbackURL, CreatedAt: now,
		Scope: draft.Scope, Status: Pending,
		ID: "sub_" + random(), UpdatedAt: now, Owner: owner,
	}
	if owner.ClientID != "" {
		made.AuthorityKind, made.ClientID = "client_grant", &owner.ClientID
	}
	if len(owner.GrantIDs) > 0 {
		made.GrantID = &owner.GrantIDs[0]
	}
	return made
}

// List returns an owner's subscriptions in the order of their creation.
func (r *Registry) List(owner Owner) []Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of(owner)
}

// of returns an owner's subscriptions. The caller holds the lock.
func (r *Registry) of(owner Owner) []Subscription {
	found := []Subscription{}
	for _, s := range r.kept {
		if s.Owner.is(owner) {
			found = append(found, s.Subscription)
		}
	}
	return found
}

// Active returns the subscriptions to which events are delivered.
func (r *Registry) Active() []Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Subscription
	for _, s := range r.kept {
		if s.Status == Active {
			found = append(found, s.Subscription)
		}
	}
	return found
}

// Find returns one of an owner's subscriptions, or ErrNotFound.
func (r *Registry) Find(owner Owner, id string) (Subscription, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := r.find(owner, id)
	if err != nil {
		return Subscription{}, err
	}
	return found.Subscription, nil
}

// find returns one of an owner's subscriptions. The caller holds the lock.
func (r *Registry) find(owner Owner, id string) (*subscribed, error) {
	for _, s := range r.kept {
		if s.ID == id && s.Owner.is(owner) {
			return s, nil
		}
	}
	return nil, ErrNotFound
}

// Update changes a subscription, and returns it with its new secret, or an empty one if none was requested. Enabling a
// pending subscription has no effect; enabling a failed one resumes it with the next event.
func (r *Registry) Update(owner Owner, id string, change Change) (Subscription, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := r.find(owner, id)
	if err != nil {
		return Subscription{}, "", err
	}
	switch enabled := change.Enabled; {
	case enabled == nil:
	case *enabled && (found.Status == Disabled || found.Status == DisabledFailure):
		found.set(Active, "")
	case !*enabled && found.Status != Disabled && found.Status != DisabledRevoked:
		found.set(Disabled, clientDisabled)
	}
	if !change.RotateSecret {
		return found.Subscription, "", nil
	}
	found.key = newSecret()
	found.UpdatedAt = timestamp(time.Now())
	return found.Subscription, found.key.text(), nil
}

// Delete ends a subscription and its running deliveries.
func (r *Registry) Delete(owner Owner, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := r.find(owner, id)
	if err != nil {
		return err
	}
	found.end()
	r.kept = slices.DeleteFunc(r.kept, func(s *subscribed) bool { return s == found })
	return nil
}

// Test sends a test event and returns its id. For a disabled subscription the error is a *StateError.
func (r *Registry) Test(owner Owner, id string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := r.find(owner, id)
	if err != nil {
		return "", err
	}
	if found.Status != Active && found.Status != Pending {
		return "", &StateError{found.Status}
	}
	m, err := newMessage(id, TestEvent, time.Now(), EventData{})
	if err != nil {
		return "", err
	}
	r.send(found, m)
	return m.id, nil
}

// Publish sends a subscription an event about a change that was made at a time.
func (r *Registry) Publish(id string, at time.Time, data EventData) error {
	m, err := newMessage(id, RecordsChangedEvent, at, data)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.kept {
		if s.ID == id && s.Status == Active {
			r.send(s, m)
		}
	}
	return nil
}

// send delivers an event in the background. A receiver with too many waiting events counts as failed. The caller holds
// the lock.
func (r *Registry) send(s *subscribed, m message) {
	switch {
	case r.closed:
	case s.waiting == maxWaiting:
		s.set(DisabledFailure, deliveryFailed)
	default:
		s.waiting++
		r.working.Go(func() {
			r.deliver(s, m)
			r.mu.Lock()
			defer r.mu.Unlock()
			s.waiting--
		})
	}
}

// Revoke disables the subscriptions of a grant, after a last event for the active ones.
func (r *Registry) Revoke(grantID string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.kept {
		if !slices.Contains(s.Owner.GrantIDs, grantID) || s.Status == DisabledRevoked {
			continue
		}
		wasActive := s.Status == Active
		s.set(DisabledRevoked, grantRevoked)
		if wasActive {
			m, err := newMessage(s.ID, GrantRevokedEvent, time.Now(), EventData{})
			if err != nil {
				return err
			}
			r.send(s, m)
		}
	}
	return nil
}

// target returns what an event is signed with, and reports whether it is still to be delivered. A subscription whose
// grant has ended only gets the event about that.
func (r *Registry) target(s *subscribed, m message) (key secret, live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch s.Status {
	case Active:
		return s.key, true
	case Pending:
		return s.key, m.eventType == VerifyEvent || m.eventType == TestEvent
	case DisabledRevoked:
		return s.key, m.eventType == GrantRevokedEvent
	}
	return s.key, false
}

// become changes the state if it is still the expected one.
func (r *Registry) become(s *subscribed, status, reason string, from ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(from, s.Status) {
		s.set(status, reason)
	}
}
