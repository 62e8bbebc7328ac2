package connect

import (
	"context"
	"errors"
	"net/http"
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
	var state struct {
		Status   string `json:"status"`
		Interval int64  `json:"interval"` // seconds
	}
	if answer.status < http.StatusBadRequest || refused.code == codePending || refused.code == codeSlowDown {
		if err := answer.decode(&state); err != nil {
			return nil, err
		}
	}
	switch {
	case refused.code == codePending, refused.code == codeSlowDown:
		waiting.slower(refused.code == codeSlowDown, state.Interval)
		return nil, nil
	case refused.code == "" && (answer.status == http.StatusAccepted || answer.status == http.StatusOK && state.Status == "pending"):
		waiting.slower(false, state.Interval)
		return nil, nil
	case refused.code == "" && answer.status == http.StatusTooManyRequests:
		waiting.slower(true, 0)
		return nil, nil
	case refused.code == "" && (state.Status == "denied" || state.Status == "expired"):
		refused.code = map[string]string{"denied": codeDenied, "expired": codeExpired}[state.Status]
		return nil, s.failed(refused)
	case refused.code == "" && answer.status == http.StatusGone:
		return nil, s.expired(refused)
	case refused.code != "" || answer.status != http.StatusOK:
		return nil, s.failed(refused)
	}
	var granted agentGranted
	if err := answer.decode(&granted); err != nil {
		return nil, err
	}
	return &granted, nil
}
