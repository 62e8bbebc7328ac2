package subscription

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// mostResponseBytes is how much of a receiver's answer is read.
const mostResponseBytes = 512

// post makes one attempt, and gives the beginning of the receiver's answer. Each attempt is signed anew, under
// the same id, so that a receiver can tell a repetition.
func (r *Registry) post(ctx context.Context, address string, key secret, m message, attempt int) (Delivery, []byte) {
	at := time.Now()
	made := Delivery{Object: "event_delivery", EventID: m.id, EventType: m.eventType, Status: "failed", Attempt: attempt, At: timestamp(at)}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(m.body))
	if err != nil {
		return made, nil
	}
	stamp, signature := key.sign(m, at)
	request.Header.Set("Content-Type", ContentType)
	request.Header.Set("User-Agent", "pdpp-sandbox")
	request.Header.Set("Webhook-Id", m.id)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", signature)
	response, err := r.client.Do(request)
	if err != nil {
		return made, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostResponseBytes))
	made.ResponseStatus = response.StatusCode
	if err == nil && response.StatusCode >= 200 && response.StatusCode <= 299 {
		made.Status = "delivered"
	}
	return made, answer
}

// verify posts a challenge, which the receiver has to echo: as the whole of its answer, or as the member
// challenge of a JSON object.
func (r *Registry) verify(ctx context.Context, id, address string, key secret) error {
	challenge := random()
	m, err := newMessage(r.options.Source, VerifyEvent, EventData{SubscriptionID: id, Challenge: challenge})
	if err != nil {
		return err
	}
	made, answer := r.post(ctx, address, key, m, 1)
	var echo struct {
		Challenge string `json:"challenge"`
	}
	_ = json.Unmarshal(answer, &echo) // plain text is fine too
	if !made.delivered() || strings.TrimSpace(string(answer)) != challenge && echo.Challenge != challenge {
		return &CallbackError{
			Code: "callback_verification_failed",
			Message: "the receiver did not echo the challenge of " + VerifyEvent + " with a 2xx answer within 10 seconds; " +
				"it answers with the member data.challenge as text, or as {\"challenge\": …}",
		}
	}
	return nil
}

// work delivers the events of one subscription, one after the other, until it ends.
func (r *Registry) work(ctx context.Context, s *subscribed) {
	defer r.working.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-s.queue:
			r.deliver(ctx, s, m)
		}
	}
}

// deliver tries until the receiver accepts, as often as the options say.
func (r *Registry) deliver(ctx context.Context, s *subscribed, m message) {
	for attempt := 1; ; attempt++ {
		address, live := r.addressOf(s, m)
		if !live {
			return
		}
		made, _ := r.post(ctx, address, s.key, m, attempt)
		if ctx.Err() != nil {
			return
		}
		r.note(s, made)
		if made.delivered() {
			return
		}
		if attempt > len(r.options.Retries) {
			r.fail(s)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.options.Retries[attempt-1]):
		}
	}
}
