package flow

import (
	"context"
	"slices"
	"sync"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// clients holds the registered clients, and finds those that a document names.
type clients struct {
	documents *documents

	mu   sync.Mutex
	byID map[string]goidc.Client
}

func newClients(documents *documents) *clients {
	return &clients{documents: documents, byID: map[string]goidc.Client{}}
}

// contextKey is the type of this package's context keys.
type contextKey int

const (
	askedRedirectKey contextKey = iota // string: the redirect_uri of an authorization request
	privateURIsKey                     // []string: redirect URIs that the library need not judge
	causeKey                           // *cause: where the library's error goes
)

// SaveClient stores a copy, with the redirect URIs that register kept from the library.
func (s *clients) SaveClient(ctx context.Context, client *goidc.Client) error {
	if private, held := ctx.Value(privateURIsKey).([]string); held {
		client.RedirectURIs = append(client.RedirectURIs, private...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := *client
	stored.RedirectURIs = slices.Clone(client.RedirectURIs)
	s.byID[client.ID] = stored
	return nil
}

// Client returns a client. If the request's loopback redirect differs from a registered one only in its port, the
// client has it as registered (RFC 8252, section 7.3).
func (s *clients) Client(ctx context.Context, id string) (*goidc.Client, error) {
	client, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	client.RedirectURIs = slices.Clone(client.RedirectURIs)
	asked, _ := ctx.Value(askedRedirectKey).(string)
	if portless, loopback := withoutLoopbackPort(asked); loopback {
		for _, registered := range client.RedirectURIs {
			if same, is := withoutLoopbackPort(registered); is && same == portless {
				// The library looks for one form or the other, by how the host is written.
				client.RedirectURIs = append(client.RedirectURIs, asked, portless)
				break
			}
		}
	}
	return &client, nil
}

func (s *clients) find(ctx context.Context, id string) (goidc.Client, error) {
	if s.documents.names(id) {
		return s.documents.find(ctx, id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client, found := s.byID[id]
	if !found {
		return goidc.Client{}, goidc.ErrNotFound
	}
	return client, nil
}

// DeleteClient removes a client.
func (s *clients) DeleteClient(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
	return nil
}
