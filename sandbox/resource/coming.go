package resource

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Coming sets members of answers that later versions of PDPP announce, to test clients with them. The zero value sets
// none.
type Coming struct {
	Origin       string        // meta.fulfillment.origin of every answer that has a meta
	RankingScope string        // meta.recall.ranking_scope of every lexical search
	Freshness    string        // freshness.status of every stream
	Unavailable  []string      // ids of connections whose reads fail with 503 source_unavailable
	RetryAfter   time.Duration // Retry-After of that 503, in whole seconds; less than a second means no header
}

// Set parses one setting: origin=…, ranking_scope=…, freshness=…, unavailable=<connection id> or
// retry_after=<duration>.
func (c *Coming) Set(setting string) error {
	name, value, _ := strings.Cut(setting, "=")
	switch name {
	case "origin":
		c.Origin = value
	case "ranking_scope":
		c.RankingScope = value
	case "freshness":
		c.Freshness = value
	case "unavailable":
		c.Unavailable = append(c.Unavailable, value)
	case "retry_after":
		var err error
		if c.RetryAfter, err = time.ParseDuration(value); err != nil {
			return fmt.Errorf("retry_after: %w", err)
		}
	default:
		return fmt.Errorf("unknown name %q: use origin, ranking_scope, freshness, unavailable or retry_after", name)
	}
	return nil
}

// fulfillment names the origin of an answer's records.
type fulfillment struct {
	Origin string `json:"origin"`
}

func (c Coming) fulfillment() *fulfillment {
	if c.Origin == "" {
		return nil
	}
	return &fulfillment{c.Origin}
}

// checkAvailable refuses a read of a connection that is set to be unavailable.
func (c Coming) checkAvailable(sources []source) error {
	for _, source := range sources {
		if slices.Contains(c.Unavailable, source.connection.ID) {
			return &problem{
				status: http.StatusServiceUnavailable, code: "source_unavailable", retryAfter: c.RetryAfter,
				message: fmt.Sprintf("Connection '%s' cannot be read now.", source.connection.ID),
			}
		}
	}
	return nil
}
