package resource

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/store"
	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/subscription"
)

// mostSubscriptionBytes bounds the body of a request about a subscription.
const mostSubscriptionBytes = 64 << 10

// created is a document of something new: status 201.
type created struct{ document any }

// subscriber is the owner of the subscriptions that a request is about. Only a client has some: an owner may
// read everything without them.
func subscriber(c *call) (subscription.Owner, error) {
	if c.isOwner() {
		return subscription.Owner{}, forbidden("permission_error", "Client token required")
	}
	owner := subscription.Owner{ClientID: c.access.ClientID}
	for _, grant := range c.access.Grants {
		owner.GrantIDs = append(owner.GrantIDs, grant.ID)
	}
	return owner, nil
}

func (s *server) listSubscriptions(c *call) (any, error) {
	owner, err := subscriber(c)
	if err != nil {
		return nil, err
	}
	return list[subscription.Subscription]{
		Object: "list", Data: s.subscriptions.List(owner), Links: listLinks{Self: c.self()}, Meta: c.meta(count{Kind: "none"}),
	}, nil
}

// createSubscription answers with the signing secret, this once.
func (s *server) createSubscription(c *call) (any, error) {
	owner, draft, err := s.drafted(c)
	if err != nil {
		return nil, err
	}
	if draft.CallbackURL == nil {
		return nil, invalidRequest("callback_url is required").of("callback_url")
	}
	if draft.Status != nil {
		return nil, invalidRequest("status is set by PATCH").of("status")
	}
	made, secret, err := s.subscriptions.Create(c.Context(), owner, draft)
	if err != nil {
		return nil, subscriptionProblem(err)
	}
	return created{struct {
		subscription.Subscription
		Secret string `json:"secret"`
	}{made, secret}}, nil
}

func (s *server) readSubscription(c *call) (any, error) {
	owner, err := subscriber(c)
	if err != nil {
		return nil, err
	}
	found, err := s.subscriptions.Find(owner, c.PathValue("id"))
	return found, subscriptionProblem(err)
}

func (s *server) updateSubscription(c *call) (any, error) {
	owner, draft, err := s.drafted(c)
	if err != nil {
		return nil, err
	}
	if draft == (subscription.Draft{}) {
		return nil, invalidRequest("The body names nothing to change")
	}
	if status := draft.Status; status != nil && *status != subscription.Active && *status != subscription.Disabled {
		return nil, invalidRequest("status must be %s or %s", subscription.Active, subscription.Disabled).of("status")
	}
	changed, err := s.subscriptions.Update(c.Context(), owner, c.PathValue("id"), draft)
	return changed, subscriptionProblem(err)
}

func (s *server) deleteSubscription(c *call) (any, error) {
	owner, err := subscriber(c)
	if err != nil {
		return nil, err
	}
	return noContent{}, subscriptionProblem(s.subscriptions.Delete(owner, c.PathValue("id")))
}

func (s *server) testSubscription(c *call) (any, error) {
	owner, err := subscriber(c)
	if err != nil {
		return nil, err
	}
	made, err := s.subscriptions.Test(c.Context(), owner, c.PathValue("id"))
	return made, subscriptionProblem(err)
}

// drafted reads the body of a request, and refuses events that there are not and streams that the grant does
// not cover.
func (s *server) drafted(c *call) (subscription.Owner, subscription.Draft, error) {
	owner, err := subscriber(c)
	if err != nil {
		return owner, subscription.Draft{}, err
	}
	var draft subscription.Draft
	decoder := json.NewDecoder(http.MaxBytesReader(nil, c.Body, mostSubscriptionBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&draft); err != nil {
		return owner, draft, invalidRequest("The body must be one JSON object of callback_url, event_types, streams, description and status")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return owner, draft, invalidRequest("The body must be one JSON object and nothing after it")
	}
	if draft.EventTypes != nil {
		for _, eventType := range *draft.EventTypes {
			if !slices.Contains(subscription.EventTypes(), eventType) {
				return owner, draft, invalidRequest("Unknown event type %q; there are %v", eventType, subscription.EventTypes()).of("event_types")
			}
		}
	}
	if draft.Streams != nil {
		for _, stream := range *draft.Streams {
			if !slices.ContainsFunc(c.reach, func(granted source) bool { return granted.stream.Name == stream }) {
				return owner, draft, forbidden("grant_stream_not_allowed", "Stream '%s' is not granted", stream).of("streams")
			}
		}
	}
	return owner, draft, nil
}

func subscriptionProblem(err error) error {
	var callback *subscription.CallbackError
	switch {
	case errors.Is(err, subscription.ErrNotFound):
		return notFound("not_found", "Event subscription not found")
	case errors.Is(err, subscription.ErrTooMany):
		return invalid("too_many_subscriptions", "%v; delete one first", err)
	case errors.As(err, &callback):
		return invalid(callback.Code, "%s", callback.Message).of("callback_url")
	}
	return err
}

// changed tells the subscriptions of a change that was committed. Whose grant has ended is told that, once, when
// the first change comes that it would have seen.
func (s *server) changed(change store.Change) {
	for _, each := range s.subscriptions.All() {
		if each.Status != subscription.Active {
			continue
		}
		if err := s.tell(each, change); err != nil {
			slog.Error("sandbox event was not queued", "subscription_id", each.ID, "error", err)
		}
	}
}

func (s *server) tell(each subscription.Subscription, change store.Change) error {
	var grants []catalog.Grant
	for _, id := range each.Owner.GrantIDs {
		if grant, found := s.grant(id); found {
			grants = append(grants, grant)
		}
	}
	if s.checkGrants(grants) != nil {
		return s.subscriptions.Revoke(each)
	}
	seen := slices.ContainsFunc(s.reach(catalog.Access{Kind: clientKind, Grants: grants}), func(granted source) bool {
		return granted.connection.ID == change.ConnectionID && granted.stream.Name == change.Stream
	})
	if !seen || !each.Wants(subscription.RecordsChangedEvent, change.Stream) {
		return nil
	}
	before, err := encodeCursor(feedCursor{Kind: "changes_since", Version: change.Version - 1})
	if err != nil {
		return err
	}
	return s.subscriptions.Publish(each.ID, subscription.RecordsChangedEvent, subscription.EventData{
		Stream: change.Stream, ConnectionID: change.ConnectionID, ChangesSince: before,
	})
}
