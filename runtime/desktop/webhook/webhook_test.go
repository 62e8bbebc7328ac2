package webhook_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/webhook"
)

// hmacSHA256 implements RFC 2104 without crypto/hmac: H(K xor opad, H(K xor ipad, text)) with blocks of 64 bytes.
func hmacSHA256(key, text []byte) []byte {
	block := make([]byte, 64)
	if len(key) > 64 {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	copy(block, key)
	inner, outer := make([]byte, 64), make([]byte, 64)
	for i, b := range block {
		inner[i], outer[i] = b^0x36, b^0x5c
	}
	first := sha256.Sum256(append(inner, text...))
	second := sha256.Sum256(append(outer, first[:]...))
	return second[:]
}

// hmacSHA256 passes test case 2 of RFC 4231.
func TestIndependentHMAC(t *testing.T) {
	got := fmt.Sprintf("%x", hmacSHA256([]byte("Jefe"), []byte("what do ya want for nothing?")))
	if want := "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

var (
	now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	key = []byte("0123456789abcdef0123456789abcdef")
)

const (
	messageID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	body      = `{"test": 2432232314}`
)

func secretText(key []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(key) }

func sign(key []byte, id, timestamp, body string) string {
	return "v1," + base64.StdEncoding.EncodeToString(hmacSHA256(key, []byte(id+"."+timestamp+"."+body)))
}

func parse(t interface{ Fatal(...any) }, text string) webhook.Secret {
	secret, err := webhook.ParseSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// The example of the Standard Webhooks specification is accepted at its time.
func TestVerifyTheExampleOfTheSpecification(t *testing.T) {
	secret := parse(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	header := http.Header{}
	header.Set("webhook-id", messageID)
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	if err := secret.Verify(webhook.Message{Header: header, Body: []byte(body)}, time.Unix(1614265330, 0),
		webhook.DefaultTolerance); err != nil {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	at := func(offset time.Duration) string { return strconv.FormatInt(now.Add(offset).Unix(), 10) }
	good := sign(key, messageID, at(0), body)
	other := sign([]byte(strings.Repeat("x", 32)), messageID, at(0), body)
	for name, test := range map[string]struct {
		id, timestamp, signature, body string
		fault                          string // the invalid header; empty if the event is valid
	}{
		"signed":              {messageID, at(0), good, body, ""},
		"signed, empty body":  {messageID, at(0), sign(key, messageID, at(0), ""), "", ""},
		"second of several":   {messageID, at(0), other + " v2,AAAA " + good, body, ""},
		"several, none of it": {messageID, at(0), other + " " + other, body, "webhook-signature"},
		"just old enough": {
			messageID, at(-5 * time.Minute),
			sign(key, messageID, at(-5*time.Minute), body), body, "",
		},
		"too old": {
			messageID, at(-5*time.Minute - time.Second),
			sign(key, messageID, at(-5*time.Minute-time.Second), body), body, "webhook-timestamp",
		},
		"just early enough": {
			messageID, at(5 * time.Minute),
			sign(key, messageID, at(5*time.Minute), body), body, "",
		},
		"too early": {
			messageID, at(5*time.Minute + time.Second),
			sign(key, messageID, at(5*time.Minute+time.Second), body), body, "webhook-timestamp",
		},
		"another body":                {messageID, at(0), good, body + "\n", "webhook-signature"},
		"another id":                  {"msg_2", at(0), good, body, "webhook-signature"},
		"another time":                {messageID, at(time.Second), good, body, "webhook-signature"},
		"another secret":              {messageID, at(0), other, body, "webhook-signature"},
		"another version":             {messageID, at(0), "v2" + strings.TrimPrefix(good, "v1"), body, "webhook-signature"},
		"no version":                  {messageID, at(0), strings.TrimPrefix(good, "v1,"), body, "webhook-signature"},
		"a part of the signature":     {messageID, at(0), good[:len(good)-4], body, "webhook-signature"},
		"an empty signature":          {messageID, at(0), "v1,", body, "webhook-signature"},
		"no signature":                {messageID, at(0), "", body, "webhook-signature"},
		"no id":                       {"", at(0), good, body, "webhook-id"},
		"no time":                     {messageID, "", good, body, "webhook-timestamp"},
		"a time that is no number":    {messageID, "today", good, body, "webhook-timestamp"},
		"a time beyond all measures":  {messageID, "9223372036854775807", good, body, "webhook-timestamp"},
		"a time before all measures":  {messageID, "-9223372036854775808", good, body, "webhook-timestamp"},
		"the parts moved by one byte": {messageID + "." + at(0)[:1], at(0)[1:], good, body, "webhook-timestamp"},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Webhook-Id", test.id)
			header.Set("Webhook-Timestamp", test.timestamp)
			header.Set("Webhook-Signature", test.signature)
			err := parse(t, secretText(key)).Verify(webhook.Message{Header: header, Body: []byte(test.body)}, now,
				webhook.DefaultTolerance)
			var refused *webhook.Refusal
			switch {
			case test.fault == "" && err != nil:
				t.Error(err)
			case test.fault != "" && (!errors.As(err, &refused) || refused.Header != test.fault):
				t.Errorf("got %v, want a refusal of %s", err, test.fault)
			}
		})
	}
}

// A header with two values is refused.
func TestVerifyRefusesRepeatedHeaders(t *testing.T) {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	header := http.Header{"Webhook-Id": {messageID, messageID}}
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", sign(key, messageID, timestamp, body))
	if err := parse(t, secretText(key)).Verify(webhook.Message{Header: header, Body: []byte(body)}, now,
		webhook.DefaultTolerance); err == nil {
		t.Error("an event with two ids is accepted")
	}
}

// Every signed event is accepted, and none with one changed bit.
func TestVerifyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 24, 64).Draw(t, "key")
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body")
		timestamp := strconv.FormatInt(now.Unix(), 10)
		header := http.Header{}
		header.Set("webhook-id", messageID)
		header.Set("webhook-timestamp", timestamp)
		header.Set("webhook-signature", sign(key, messageID, timestamp, string(body)))
		secret := parse(t, secretText(key))
		if err := secret.Verify(webhook.Message{Header: header, Body: body}, now, webhook.DefaultTolerance); err != nil {
			t.Fatal(err)
		}
		bit := rapid.IntRange(0, 8*len(body)-1).Draw(t, "bit")
		body[bit/8] ^= 1 << (bit % 8)
		if err := secret.Verify(webhook.Message{Header: header, Body: body}, now, webhook.DefaultTolerance); err == nil {
			t.Fatal("a changed body is accepted")
		}
	})
}

func TestParseSecret(t *testing.T) {
	for name, text := range map[string]string{
		"no prefix": base64.StdEncoding.EncodeToString(key),
		"no base64": "whsec_hidden!",
		"too short": secretText(key[:23]),
		"too long":  secretText([]byte(strings.Repeat("x", 65))),
		"empty":     "",
	} {
		_, err := webhook.ParseSecret(text)
		var refused *webhook.SecretError
		if !errors.As(err, &refused) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v, want a refusal that does not repeat it", name, err)
		}
	}
	secret := parse(t, " "+secretText(key)+"\r\n")
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if shown := fmt.Sprintf(form, secret); shown != "[signing secret]" {
			t.Errorf("%s prints %s", form, shown)
		}
	}
}
