package webhook_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/webhook"
)

// FuzzVerify checks that an event is accepted only with the signature of its id, time and body.
func FuzzVerify(f *testing.F) {
	at := strconv.FormatInt(now.Unix(), 10)
	f.Add(messageID, at, sign(key, messageID, at, body), []byte(body))
	f.Add(messageID, at, "v1, v1,AAAA v2,", []byte{0xff})
	f.Add(messageID+"."+at, "+1", "v1,"+strings.Repeat("A", 43)+"=", []byte(nil))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		header := http.Header{}
		header.Set("webhook-id", id)
		header.Set("webhook-timestamp", timestamp)
		header.Set("webhook-signature", signature)
		err := parse(t, secretText(key)).Verify(webhook.Message{Header: header, Body: body}, now, webhook.DefaultTolerance)
		const wholeBytes = len("v1,") + 42 // the last character has spare bits
		if right := sign(key, id, timestamp, string(body)); err == nil && !strings.Contains(signature, right[:wholeBytes]) {
			t.Errorf("%q accepted, the signature is %q", signature, right)
		}
	})
}
