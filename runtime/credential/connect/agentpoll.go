package connect

import (
	"context"
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// pollAgent asks until the owner has decided, no faster than the interval.
func (s *signIn) pollAgent(ctx context.Context, attempt *agentAttempt, waiting *waiting) (*agentGranted, error) {
	body := struct {
		PollingCode string `json:"polling_code"`
	}{attempt.PollingCode}
	for {
		if err := waiting.pause(ctx); err != nil {
			if errors.Is(err, ErrExpired) {
				return nil, s.expired(err)
			}
			return nil, err
		}
		answer, err := s.asker.postJSON(ctx, attempt.PollURL, body)
		if err != nil {
			if waiting.failed(err) {
				continue
			}
			return nil, err
		}
		waiting.failures = 0
		granted, err := s.agentAnswer(answer, waiting, attempt.PollingCode)
		if granted != nil || err != nil {
			return granted, err
		}
	}
}

// agentAnswer gives neither a token nor an error while the owner has not decided.
func (s *signIn) agentAnswer(answer *answer, waiting *waiting, pollingCode string) (*agentGranted, error) {
	refused := answer.refused(pollingCode)
	switch {
	case refused.code == codePending, refused.code == codeSlowDown:
		var again struct {
			Interval int64 `json:"interval"` // seconds
		}
		if err := answer.decode(&again); err != nil {
			return nil, err
		}
		waiting.slower(refused.code == codeSlowDown, again.Interval)
		return nil, nil
	case refused.code == "" && answer.isSuccess():
		return s.agentSuccess(answer, waiting, refused)
	case refused.code == "" && answer.status == http.StatusTooManyRequests:
		waiting.slower(true, 0)
		return nil, nil
	case refused.code == "" && answer.status == http.StatusGone:
		return nil, s.expired(refused)
	}
	return nil, s.failed(refused)
}

// agentSuccess tells a token from a state that has none. A success of another kind is taken for a token, and is
// refused for having none.
func (s *signIn) agentSuccess(answer *answer, waiting *waiting, refused *refusal) (*agentGranted, error) {
	var granted agentGranted
	if err := answer.decode(&granted); err != nil {
		return nil, err
	}
	granted.members, _ = rawjson.ParseObject(answer.body) // decode has read it
	switch {
	case granted.AccessToken != "":
		return &granted, nil
	case granted.Status == "denied":
		refused.code = codeDenied
		return nil, s.failed(refused)
	case granted.Status == "expired":
		return nil, s.expired(refused)
	case granted.Status == "pending" || answer.status == http.StatusAccepted:
		waiting.slower(false, granted.Interval)
		return nil, nil
	}
	return &granted, nil
}
