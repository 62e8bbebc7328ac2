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
	mostOfOwner = 20  // subscriptions
	mostQueued  = 256 // events of one subscription
)

// ErrNotFound is a subscription that is not there, or that belongs to somebody else.
var ErrNotFound = errors.New("no such event subscription")

// ErrTooMany is a client with as many subscriptions as it may have.
var ErrTooMany = fmt.Errorf("a client may have %d event subscriptions", mostOfOwner)

// Options configures a Registry.
type Options struct {
	Source string // of events: the origin of the resource server
	// Retries are the pauses before an event is sent again. After the last one the subscription is disabled.
	Retries []time.Duration
}

// DefaultRetries suit somebody who looks on. Real providers wait for minutes and hours.
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

// subscribed is a subscription with what nobody is shown.
type subscribed struct {
	Subscription
	key   secret
	queue chan message
	end   context.CancelFunc
}

// NewRegistry gives an empty registry. The caller closes it.
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

// Create verifies the receiver and gives the subscription with its secret, which nobody is shown again. The
// error is a *CallbackError, ErrTooMany or the context's.
func (r *Registry) Create(ctx context.Context, owner Owner, draft Draft) (Subscription, string, error) {
	made := &subscribed{
		Subscription: Subscription{
			Object: "event_subscription", ID: "sub_" + random(), Status: Active, EventTypes: EventTypes(), Streams: []string{},
			CreatedAt: timestamp(time.Now()), Owner: owner,
		},
		key: newSecret(), queue: make(chan message, mostQueued),
	}
	made.apply(draft)
	if len(r.List(owner)) >= mostOfOwner {
		return Subscription{}, "", ErrTooMany
	}
	if err := r.checkReceiver(ctx, made.ID, made.CallbackURL, made.key); err != nil {
		return Subscription{}, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return Subscription{}, "", context.Canceled
	}
	working, end := context.WithCancel(r.ctx)
	made.end = end
	r.kept = append(r.kept, made)
	r.working.Add(1)
	go r.work(working, made)
	return made.Subscription, made.key.text(), nil
}

func (r *Registry) checkReceiver(ctx context.Context, id, address string, key secret) error {
	if err := checkCallback(address); err != nil {
		return err
	}
	return r.verify(ctx, id, address, key)
}

// apply takes over what a draft gives.
func (s *subscribed) apply(draft Draft) {
	take(&s.CallbackURL, draft.CallbackURL)
	take(&s.EventTypes, draft.EventTypes)
	take(&s.Streams, draft.Streams)
	take(&s.Description, draft.Description)
	take(&s.Status, draft.Status)
}

func take[T any](into, given *T) {
	if given != nil {
		*into = *given
	}
}

// List gives an owner's subscriptions in the order of their creation.
func (r *Registry) List(owner Owner) []Subscription {
	return slices.DeleteFunc(r.All(), func(s Subscription) bool { return !s.Owner.is(owner) })
}

// All gives every subscription, to find those that an event concerns.
func (r *Registry) All() []Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []Subscription{}
	for _, s := range r.kept {
		all = append(all, s.Subscription)
	}
	return all
}

// Find gives one of an owner's subscriptions, or ErrNotFound.
func (r *Registry) Find(owner Owner, id string) (Subscription, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := r.find(owner, id)
	if err != nil {
		return Subscription{}, err
	}
	return found.Subscription, nil
}

// find wants the lock to be held.
func (r *Registry) find(owner Owner, id string) (*subscribed, error) {
	for _, s := range r.kept {
		if s.ID == id && s.Owner.is(owner) {
			return s, nil
		}
	}
	return nil, ErrNotFound
}

// Update changes a subscription. A new address is verified first; a subscription that failed is tried again
// from its next event on when it is made active.
func (r *Registry) Update(ctx context.Context, owner Owner, id string, draft Draft) (Subscription, error) {
	r.mu.Lock()
	found, err := r.find(owner, id)
	r.mu.Unlock()
	if err != nil {
		return Subscription{}, err
	}
	if draft.CallbackURL != nil {
		if err := r.checkReceiver(ctx, id, *draft.CallbackURL, found.key); err != nil {
			return Subscription{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found.apply(draft)
	return found.Subscription, nil
}

// Delete ends a subscription and what is being delivered to it.
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

// Test sends one test event at once, whatever the subscription asked for, and tells what became of it.
func (r *Registry) Test(ctx context.Context, owner Owner, id string) (Delivery, error) {
	r.mu.Lock()
	found, err := r.find(owner, id)
	if err != nil {
		r.mu.Unlock()
		return Delivery{}, err
	}
	address := found.CallbackURL
	r.mu.Unlock()
	m, err := newMessage(r.options.Source, TestEvent, EventData{SubscriptionID: id})
	if err != nil {
		return Delivery{}, err
	}
	made, _ := r.post(ctx, address, found.key, m, 1)
	r.note(found, made)
	return made, nil
}

// Publish puts an event into the queue of a subscription. A receiver that lets its queue fill up is taken for
// one that fails.
func (r *Registry) Publish(id, eventType string, data EventData) error {
	data.SubscriptionID = id
	m, err := newMessage(r.options.Source, eventType, data)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.kept {
		if s.ID != id {
			continue
		}
		select {
		case s.queue <- m:
		default:
			s.Status = DisabledFailure
		}
	}
	return nil
}

// Revoke tells a subscription that its grant has ended, if it asked for that, and delivers nothing after it.
func (r *Registry) Revoke(each Subscription) error {
	if each.Wants(GrantRevokedEvent, "") {
		if err := r.Publish(each.ID, GrantRevokedEvent, EventData{}); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.kept {
		if s.ID == each.ID {
			s.Status = Disabled
		}
	}
	return nil
}

// addressOf is where a queued event goes now. To a subscription that was disabled only the end of its grant is
// told.
func (r *Registry) addressOf(s *subscribed, m message) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.CallbackURL, s.Status == Active || s.Status == Disabled && m.eventType == GrantRevokedEvent
}

func (r *Registry) note(s *subscribed, made Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.LastDelivery = &made
}

func (r *Registry) fail(s *subscribed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Status == Active {
		s.Status = DisabledFailure
	}
}
