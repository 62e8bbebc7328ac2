package subscription

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// maxResponseBytes bounds how much of a receiver's answer is read, in bytes.
const maxResponseBytes = 512

// reply is a receiver's answer. Its status is 0 if there was none.
type reply struct {
	status int
	body   []byte // the beginning
}

func (r reply) delivered() bool { return r.status >= 200 && r.status <= 299 }

// post makes one attempt. Each attempt has a new signature and the same id, so that a receiver recognizes a repetition.
func (r *Registry) post(ctx context.Context, address string, key secret, m message) reply {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(m.body))
	if err != nil {
		return reply{}
	}
	stamp, signature := key.sign(m, time.Now())
	request.Header.Set("Content-Type", ContentType)
	request.Header.Set("User-Agent", "pdpp-sandbox")
	request.Header.Set("Webhook-Id", m.id)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", signature)
	response, err := r.client.Do(request)
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		return reply{}
	}
	return reply{status: response.StatusCode, body: body}
}

// verify posts the challenge, which the receiver must return as the member challenge of a JSON object. After any other
// answer the subscription stays pending.
func (r *Registry) verify(s *subscribed, verification message, challenge string) {
	answer := r.deliver(s, verification)
	var echo struct {
		Challenge string `json:"challenge"`
	}
	if answer.delivered() && json.Unmarshal(answer.body, &echo) == nil && echo.Challenge == challenge {
		r.become(s, Active, "", Pending)
	}
}

// deliver tries until the receiver accepts or the options' retries are used, and returns the last answer. Gone (410) is
// final.
func (r *Registry) deliver(s *subscribed, m message) reply {
	for attempt := 0; ; attempt++ {
		key, live := r.target(s, m)
		if !live {
			return reply{}
		}
		answer := r.post(s.ctx, s.CallbackURL, key, m)
		if s.ctx.Err() != nil || answer.delivered() {
			return answer
		}
		if answer.status == http.StatusGone || attempt == len(r.options.Retries) {
			r.become(s, DisabledFailure, deliveryFailed, Active, Pending)
			return answer
		}
		select {
		case <-s.ctx.Done():
			return answer
		case <-time.After(r.options.Retries[attempt]):
		}
	}
}
