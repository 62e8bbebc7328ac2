package connect_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// reply is one response of a server.
type reply struct {
	status int
	body   string
}

// replies answers with one reply after the other, and repeats the last one.
func replies(all ...reply) http.HandlerFunc {
	next := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		now := all[next]
		next = min(next+1, len(all)-1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/elsewhere") // for those that are redirects
		w.WriteHeader(now.status)
		_, _ = io.WriteString(w, now.body)
	}
}

func oauthReply(status int, code string) reply { return reply{status, `{"error":"` + code + `"}`} }

func envelopeReply(status int, code string) reply {
	return reply{status, `{"error":{"code":"` + code + `","message":"said so"}}`}
}

var (
	agentApproved  = reply{200, `{"access_token":"` + agentToken + `","token_type":"Bearer","grant_id":"grt_1"}`}
	agentPending   = reply{202, `{"error":"authorization_pending","status":"pending","interval":2}`}
	devicePending  = oauthReply(400, "authorization_pending")
	deviceSlowDown = oauthReply(400, "slow_down")
	deviceApproved = reply{
		200,
		`{"access_token":"` + deviceToken +
			`","token_type":"bearer","grant_id":"grt_1","refresh_token":"rt_1","expires_in":60}`,
	}
)

// deviceAttempt returns a sign-in by device authorization with the given replies to polls.
func deviceAttempt(t *testing.T, polls ...reply) (*capturetest.Provider, outcome) {
	t.Helper()
	provider := playing(metadata, []string{"565"}, readable).Replace(withoutName...).Handle("/oauth/token",
		replies(polls...))
	return provider, signIn(t, provider,
		connect.Options{Access: connect.AccessRequest{Source: reddit}, ClientID: "cli_859c394ae6f7fbd0"})
}

func agentAttempt(t *testing.T, polls ...reply) (*capturetest.Provider, outcome) {
	t.Helper()
	provider := playing(metadata, agentStart, readable).Handle(pollPath, replies(polls...))
	return provider, signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}})
}

// Both flows start with an interval of 2 seconds. The interval never gets shorter.
func TestPaceOfPolls(t *testing.T) {
	tests := []struct {
		name    string
		attempt func(*testing.T, ...reply) (*capturetest.Provider, outcome)
		path    string
		polls   []reply
		want    []int // seconds
	}{
		{"agent pending", agentAttempt, pollPath, []reply{agentPending, agentPending, agentApproved}, []int{2, 2, 2}},
		{
			"agent pending without an error", agentAttempt, pollPath,
			[]reply{{202, `{}`}, {200, `{"status":"pending"}`}, agentApproved},
			[]int{2, 2, 2},
		},
		{
			"agent slows down", agentAttempt, pollPath,
			[]reply{{202, `{"error":"slow_down"}`}, agentPending, agentApproved},
			[]int{2, 7, 7},
		},
		{
			"agent slows down with another status", agentAttempt, pollPath,
			[]reply{oauthReply(400, "slow_down"), envelopeReply(429, "slow_down"), agentApproved},
			[]int{2, 7, 12},
		},
		{"agent slows down by status alone", agentAttempt, pollPath, []reply{{429, ``}, agentApproved}, []int{2, 7}},
		{
			"agent asks for a longer interval", agentAttempt, pollPath,
			[]reply{{202, `{"error":"authorization_pending","interval":9}`}, agentPending, agentApproved},
			[]int{2, 9, 9},
		},
		{
			"agent fails on the way", agentAttempt, pollPath,
			[]reply{{503, ``}, {502, ``}, agentPending, agentApproved},
			[]int{2, 4, 8, 2},
		},
		{
			"device pending", deviceAttempt, "/oauth/token",
			[]reply{devicePending, devicePending, deviceApproved},
			[]int{2, 2, 2},
		},
		{
			"device slows down twice", deviceAttempt, "/oauth/token",
			[]reply{deviceSlowDown, devicePending, deviceSlowDown, deviceApproved},
			[]int{2, 7, 7, 12},
		},
		{
			"device fails on the way", deviceAttempt, "/oauth/token",
			[]reply{{503, ``}, {503, `{}`}, deviceApproved},
			[]int{2, 4, 8},
		},
		{
			"device fails after it slowed down", deviceAttempt, "/oauth/token",
			[]reply{deviceSlowDown, {503, ``}, devicePending, deviceApproved},
			[]int{2, 7, 14, 7},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider, got := test.attempt(t, test.polls...)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if diff := cmp.Diff(test.want, gaps(provider, test.path, got.began)); diff != "" {
				t.Errorf("seconds between polls (-want +got):\n%s", diff)
			}
		})
	}
}

// All responses that end the wait, in both flows and in every known shape.
func TestEndOfWaiting(t *testing.T) {
	tests := []struct {
		name     string
		agent    reply // zero: not asked
		device   reply
		class    credential.Class
		sentinel error
		text     string
	}{
		{
			"denied", envelopeReply(403, "access_denied"), oauthReply(400, "access_denied"), credential.Refused,
			connect.ErrDenied, "to ask again, run: pdpp-mcp connect",
		},
		{
			"denied by status",
			reply{200, `{"status":"denied"}`},
			reply{},
			credential.Refused, connect.ErrDenied,
			"the owner denied",
		},
		{
			"expired", envelopeReply(410, "expired_token"), oauthReply(400, "expired_token"), credential.Configuration,
			connect.ErrExpired, "to ask again, run: pdpp-mcp connect",
		},
		{
			"expired by status",
			reply{200, `{"status":"expired"}`},
			reply{},
			credential.Configuration,
			connect.ErrExpired, "expired",
		},
		{"gone", reply{410, ``}, reply{}, credential.Configuration, connect.ErrExpired, "expired"},
		{
			"never decided", agentPending, devicePending, credential.Configuration, connect.ErrExpired,
			"expired before the owner decided",
		},
		{"unreachable for long", reply{503, ``}, reply{503, ``}, credential.Unreachable, nil, "503"},
		{"redirect", reply{302, ``}, reply{302, ``}, credential.Configuration, nil, "redirect"},
		{
			"a page",
			reply{200, `<!DOCTYPE html>`},
			reply{200, `<!DOCTYPE html>`},
			credential.Configuration, nil,
			"not answer with a JSON object",
		},
		{
			"too large",
			reply{200, `{"x":"` + strings.Repeat("x", 256<<10) + `"}`},
			reply{200, `{"x":"` + strings.Repeat("x", 256<<10) + `"}`},
			credential.Configuration, nil, "262144 bytes",
		},
		{
			"no token",
			reply{200, `{"status":"approved"}`},
			reply{200, `{"token_type":"Bearer"}`},
			credential.Configuration, nil, "token",
		},
		{
			"token of the wrong type",
			reply{200, `{"access_token":["` + agentToken + `"]}`},
			reply{200, `{"access_token":["` + agentToken + `"]}`},
			credential.Configuration, nil, "answered with",
		},
		{
			"token with a line break",
			reply{200, `{"access_token":"a\nb"}`},
			reply{200, `{"access_token":"a\nb"}`},
			credential.Configuration, nil, "characters that a bearer cannot have",
		},
		{
			"another kind of token",
			reply{200, `{"access_token":"x","token_type":"DPoP"}`},
			reply{200, `{"access_token":"x","token_type":"DPoP"}`},
			credential.Configuration, nil, "other than Bearer",
		},
		{
			"text for a terminal",
			reply{400, `{"error":"x","error_description":"\u001b[2J` + pollingCode + `\nbye"}`},
			reply{400, `{"error":"x","error_description":"\u001b[2Jdc_2d7dac328fb606eb\nbye"}`},
			credential.Configuration, nil, "x: [2J[redacted] bye",
		},
	}
	for _, test := range tests {
		for flow, attempt := range map[string]func(*testing.T, ...reply) (*capturetest.Provider, outcome){
			"agent": agentAttempt, "device": deviceAttempt,
		} {
			answered := test.agent
			if flow == "device" {
				answered = test.device
			}
			if answered.status == 0 {
				continue
			}
			t.Run(test.name+" "+flow, func(t *testing.T) {
				_, got := attempt(t, answered)
				got.wantError(t, test.class, test.text)
				if test.sentinel != nil && !errors.Is(got.err, test.sentinel) {
					t.Errorf("%v does not wrap %v", got.err, test.sentinel)
				}
			})
		}
	}
}

// After the owner was asked, no other flow is tried: they would have to approve twice.
func TestOwnerIsAskedOnce(t *testing.T) {
	provider := playing(metadata, agentStart, []string{"565", "569"}, readable).Handle(pollPath,
		replies(oauthReply(400, "invalid_request")))
	got := signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}})
	got.wantError(t, credential.Configuration, "invalid_request")
	if len(got.approval) != 1 || len(provider.Seen("/oauth/device_authorization")) > 0 {
		t.Errorf("announced %+v, want one approval", got.approval)
	}
}

// Extreme numbers do not make polls faster, do not wait forever, and do not crash the program.
func TestNumbersOfAnAttempt(t *testing.T) {
	tests := []struct {
		interval, expires string
		gap, lasts        int // seconds
	}{
		{"0", "300", 5, 300},
		{"-1", "-1", 5, 300},
		{"null", "null", 5, 300},
		{`"7"`, `"120"`, 7, 120},
		{"1", "9223372036854775807", 1, 86400},
		{"9223372036854775807", "3600", 300, 3600},
	}
	start := `{"approval_url":"http://localhost:7662/consent","verification_uri":"http://localhost:7662/consent",` +
		`"poll_url":"http://localhost:7662` + pollPath +
		`","device_code":"c","polling_code":"c","user_code":"A","interval":%s,"expires_in":%s}`
	for _, test := range tests {
		started := reply{200, fmt.Sprintf(start, test.interval, test.expires)}
		for flow, replaced := range map[string][]string{"agent": nil, "device": withoutName} {
			t.Run(flow+" "+test.interval+" "+test.expires, func(t *testing.T) {
				provider := playing(metadata, []string{"500"}, readable).Replace(replaced...).
					Handle("/agent-connect", replies(started)).Handle("/oauth/device_authorization", replies(started)).
					Handle(pollPath, replies(agentApproved)).Handle("/oauth/token", replies(deviceApproved))
				got := signIn(t, provider, connect.Options{ClientID: "cli_1"})
				if got.err != nil {
					t.Fatal(got.err)
				}
				polls := append(provider.Seen(pollPath), provider.Seen("/oauth/token")...)
				if gap := int(polls[0].At.Sub(got.began).Seconds()); gap != test.gap {
					t.Errorf("polled after %d seconds, want %d", gap, test.gap)
				}
				if lasts := int(got.approval[0].ExpiresAt.Sub(got.began).Seconds()); lasts != test.lasts {
					t.Errorf("lasts %d seconds, want %d", lasts, test.lasts)
				}
			})
		}
	}
}

// The expiry of a grant or a token is stored.
func TestExpiryOfTheCredential(t *testing.T) {
	_, got := deviceAttempt(t, deviceApproved)
	if got.err != nil {
		t.Fatal(got.err)
	}
	if lasts := got.entry.Credential.ExpiresAt.Sub(got.began); lasts != 62*time.Second {
		t.Errorf("the device's token lasts %s, want a minute after the poll", lasts)
	}
	// the poll was after 2 s
	for expiresIn, want := range map[string]time.Duration{`"60"`: 62 * time.Second, "0": 2 * time.Second} {
		_, got := deviceAttempt(t, reply{200, `{"access_token":"` + deviceToken + `","expires_in":` + expiresIn + `}`})
		if got.err != nil || got.entry.Credential.ExpiresAt.Sub(got.began) != want {
			t.Errorf("expires_in %s: %v, %v", expiresIn, got.entry, got.err)
		}
	}
	end := "2000-06-01T00:00:00Z" // the clock of these tests begins in 2000
	_, got = agentAttempt(t, reply{
		200,
		`{"access_token":"` + agentToken +
			`","expires_in":99999999,"grant":{"grant_id":"grt_2","expires_at":"` + end + `"}}`,
	})
	got.wantToken(t, agentToken, "grt_2")
	if ends := got.entry.Credential.ExpiresAt.Format(time.RFC3339); ends != end {
		t.Errorf("the grant ends at %s, want %s", ends, end)
	}
}
