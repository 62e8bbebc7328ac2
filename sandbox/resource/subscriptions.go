package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// subscriptionsPath is the path below which all requests about subscriptions are.
const subscriptionsPath = "/v1/event-subscriptions"

// maxSubscriptionBytes bounds the body of a request about a subscription, in bytes.
const maxSubscriptionBytes = 64 << 10

// withStatus is a document with a status other than 200.
type withStatus struct {
	status   int
	document any
}

// subscriber returns the owner of the subscriptions that a request is about.
func subscriber(c *call) subscription.Owner {
	owner := subscription.Owner{ClientID: c.access.ClientID}
	for _, grant := range c.access.Grants {
		owner.GrantIDs = append(owner.GrantIDs, grant.ID)
	}
	return owner
}

// listSubscriptions answers with every subscription of the owner on one page. It ignores parameters.
func (s *server) listSubscriptions(c *call) (any, error) {
	return struct {
		Data []subscription.Subscription `json:"data"`
	}{s.subscriptions.List(subscriber(c))}, nil
}

// createSubscription answers with the new subscription and, only here, its signing secret. It ignores unknown members.
func (s *server) createSubscription(c *call) (any, error) {
	body, err := subscriptionBody(c)
	if err != nil {
		return nil, err
	}
	var address string
	_ = json.Unmarshal(body["callback_url"], &address) // a value that is not a text is not a URL
	filters, err := streamFilter(c, body["filters"])
	if err != nil {
		return nil, err
	}
	made, secret, err := s.subscriptions.Create(subscriber(c), subscription.Draft{CallbackURL: address, Scope: scopeOf(c, filters)})
	if err != nil {
		return nil, subscriptionProblem(err)
	}
	return withStatus{http.StatusCreated, struct {
		CallbackURL string `json:"callback_url"`
		CreatedAt   string `json:"created_at"`
		Secret      string `json:"secret"`
		Status      string `json:"status"`
		ID          string `json:"subscription_id"`
	}{made.CallbackURL, made.CreatedAt, secret, made.Status, made.ID}}, nil
}

func (s *server) readSubscription(c *call) (any, error) {
	found, err := s.subscriptions.Find(subscriber(c), c.PathValue("id"))
	return found, subscriptionProblem(err)
}

// updateSubscription reads two members. It ignores all others, and values of the wrong type.
func (s *server) updateSubscription(c *call) (any, error) {
	body, err := subscriptionBody(c)
	if err != nil {
		return nil, err
	}
	var change subscription.Change
	if enabled := string(body["enabled"]); enabled == "true" || enabled == "false" {
		on := enabled == "true"
		change.Enabled = &on
	}
	change.RotateSecret = string(body["rotate_secret"]) == "true"
	changed, secret, err := s.subscriptions.Update(subscriber(c), c.PathValue("id"), change)
	return struct {
		Subscription subscription.Subscription `json:"subscription"`
		Secret       string                    `json:"secret,omitempty"`
	}{changed, secret}, subscriptionProblem(err)
}

func (s *server) deleteSubscription(c *call) (any, error) {
	return noContent{}, subscriptionProblem(s.subscriptions.Delete(subscriber(c), c.PathValue("id")))
}

func (s *server) testSubscription(c *call) (any, error) {
	event, err := s.subscriptions.Test(subscriber(c), c.PathValue("id"))
	return withStatus{http.StatusAccepted, struct {
		EventID string `json:"event_id"`
	}{event}}, subscriptionProblem(err)
}

// subscriptionBody returns the members of the body: a JSON object, or a form, whose values become JSON strings.
func subscriptionBody(c *call) (map[string]json.RawMessage, error) {
	text, err := io.ReadAll(http.MaxBytesReader(nil, c.Body, maxSubscriptionBytes))
	if err != nil {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, unwrapped: true, message: "Request body is too large"}
	}
	members := map[string]json.RawMessage{}
	if form, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); form == "application/x-www-form-urlencoded" {
		values, err := url.ParseQuery(string(text))
		for name := range values {
			members[name], _ = json.Marshal(values.Get(name)) // a text has a JSON form
		}
		return members, err
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, &problem{status: http.StatusBadRequest, unwrapped: true, message: "The body is not JSON: " + err.Error()}
	}
	_ = json.Unmarshal(text, &members) // a value that is not an object has no members
	return members, nil
}

// streamFilter reads filters.streams. None, and an empty list, mean every stream; another type is the failure that real
// providers answer it with.
func streamFilter(c *call, given json.RawMessage) (*subscription.Filters, error) {
	var filters struct {
		Streams json.RawMessage `json:"streams"`
	}
	_ = json.Unmarshal(given, &filters) // a value that is not an object filters nothing
	if filters.Streams == nil || string(filters.Streams) == "null" {
		return nil, nil
	}
	var streams []string
	if json.Unmarshal(filters.Streams, &streams) != nil {
		return nil, &problem{status: http.StatusInternalServerError, code: "api_error", message: "filters.streams.filter is not a function"}
	}
	unknown := slices.DeleteFunc(slices.Clone(streams), func(stream string) bool {
		return slices.ContainsFunc(c.readable, func(granted source) bool { return granted.stream.Name == stream })
	})
	if len(unknown) > 0 {
		return nil, invalidRequest("filter streams not in grant: %s", strings.Join(unknown, ", "))
	}
	if len(streams) == 0 {
		return nil, nil
	}
	return &subscription.Filters{Streams: streams}, nil
}

// scopeOf returns what a bearer may read, as a subscription shows it.
func scopeOf(c *call, filters *subscription.Filters) subscription.Scope {
	scope := subscription.Scope{Streams: []subscription.ScopeStream{}, Filters: filters}
	several := false
	for _, granted := range c.readable {
		i := slices.IndexFunc(scope.Streams, func(stream subscription.ScopeStream) bool { return stream.Name == granted.stream.Name })
		if i < 0 {
			i = len(scope.Streams)
			scope.Streams = append(scope.Streams, subscription.ScopeStream{Name: granted.stream.Name})
		}
		scope.Streams[i].InstanceIDs = append(scope.Streams[i].InstanceIDs, granted.connection.ID)
		several = several || scope.Source != nil && scope.Source.ConnectorID != granted.connector.Key
		scope.Source = &subscription.Source{ID: connectorRegistry + granted.connector.Key, Kind: "connector", ConnectorID: granted.connector.Key}
	}
	if several {
		scope.Source = nil
	}
	return scope
}

func subscriptionProblem(err error) error {
	var callback *subscription.CallbackError
	var state *subscription.StateError
	switch {
	case errors.Is(err, subscription.ErrNotFound):
		return notFound("not_found", "subscription not found")
	case errors.Is(err, subscription.ErrTooMany):
		return invalid("too_many_subscriptions", "%v; delete one first", err)
	case errors.As(err, &callback):
		return invalidRequest("%s", callback.Message)
	case errors.As(err, &state):
		return &problem{status: http.StatusConflict, code: "invalid_state", message: state.Error()}
	}
	return err
}

// changed publishes a committed change to the subscriptions. Deletions are not published.
func (s *server) changed(change store.Change) {
	if change.EmittedAt.IsZero() {
		return
	}
	for _, each := range s.subscriptions.Active() {
		if err := s.notify(each, change); err != nil {
			slog.Error("sandbox event was not queued", "subscription_id", each.ID, "error", err)
		}
	}
}

// notify queues an event for a subscription that covers the change. An expired grant is reported as revoked.
func (s *server) notify(each subscription.Subscription, change store.Change) error {
	access := catalog.Access{Kind: ownerKind}
	if each.Owner.ClientID != "" {
		access.Kind = clientKind
		for _, id := range each.Owner.GrantIDs {
			grant, found := s.grant(id)
			if !found || s.checkGrants([]catalog.Grant{grant}) != nil {
				return s.subscriptions.Revoke(id)
			}
			access.Grants = append(access.Grants, grant)
		}
	}
	seen := slices.ContainsFunc(s.readableSources(access), func(granted source) bool {
		return granted.connection.ID == change.ConnectionID && granted.stream.Name == change.Stream
	})
	if !seen || !each.Wants(change.Stream) {
		return nil
	}
	cursor, err := encodeCursor(feedCursor{Kind: "changes_since", Version: change.Version - 1})
	if err != nil {
		return fmt.Errorf("encode the cursor of the change: %w", err)
	}
	return s.subscriptions.Publish(each.ID, change.EmittedAt, subscription.EventData{
		Stream: change.Stream, ConnectionID: change.ConnectionID, ChangeCount: 1, ChangesSince: cursor,
	})
}
