package connect_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// What the captured servers issued.
const (
	agentToken  = "68153d0d53c9919fc8080334bd7f5b5f70baa30c43bd9bdfef6c3b2ee0fd9376"
	deviceToken = "96059e9190b64e7f673e742ebaac71753c6b85251b8460dc3fda7446968994b6"
	ownerToken  = "f4fe691dcc9e8127c1ed458c3d39b730e0fde62609400d68981b2f93caaf4fec"
	pollingCode = "agc_poll_3eb24110a35201a3d482f64a625fb8b50f6dab466fea42a740da23765eac2337"
	pollPath    = "/agent-connect/agc_87a4e77772cbdbb34e7f00f7fae8652e/token"
	spotify     = "https://registry.pdpp.dev/connectors/spotify"
	reddit      = "https://registry.pdpp.dev/connectors/reddit"
)

// Captures by what they are needed for.
var (
	metadata    = []string{"004", "005", "006"}
	agentStart  = []string{"500", "510", "520"}
	readable    = []string{"011"}
	withoutName = []string{`"agent_connect_endpoint"`, `"another_endpoint"`} // to Replace
)

func playing(parts ...[]string) *capturetest.Provider {
	return capturetest.New(slices.Concat(parts...)...)
}

// outcome is the result of a sign-in.
type outcome struct {
	entry    *credential.Entry
	err      error
	approval []connect.Approval
	landing  string // the page that the browser ends at, of a sign-in by code
	began    time.Time
}

// signIn runs in a bubble with a fake clock, which jumps ahead while everything waits.
func signIn(t *testing.T, provider *capturetest.Provider, options connect.Options) outcome {
	t.Helper()
	var got outcome
	synctest.Test(t, func(t *testing.T) {
		got.began = time.Now()
		if options.ProviderURL == "" {
			options.ProviderURL = capturetest.Resource
		}
		options.ClientName, options.Transport = "PDPP CLI", provider
		options.Announce = func(approval connect.Approval) { got.approval = append(got.approval, approval) }
		got.entry, got.err = connect.Connect(t.Context(), options)
	})
	checkSecrets(t, provider, got.err)
	return got
}

// checkSecrets: tokens and codes are in bodies and in the Authorization header only (R-ERR-6).
func checkSecrets(t *testing.T, provider *capturetest.Provider, err error) {
	t.Helper()
	for _, secret := range []string{agentToken, deviceToken, ownerToken, pollingCode, "dc_owner_bdaa20bbb5241848"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("error %q holds a secret", err)
		}
		for _, request := range provider.Seen("/") {
			if strings.Contains(request.URL, secret) {
				t.Errorf("a secret is in %s", request.URL)
			}
		}
	}
	if err != nil && strings.ContainsAny(err.Error(), "\n\r\x1b") {
		t.Errorf("error %q would command a terminal", err)
	}
}

func (o outcome) wantError(t *testing.T, class credential.Class, texts ...string) {
	t.Helper()
	var failure *credential.Error
	if !errors.As(o.err, &failure) {
		t.Fatalf("ended with %v, want a *credential.Error", o.err)
	}
	if failure.Class != class {
		t.Errorf("class is %s, want %s: %v", failure.Class, class, failure)
	}
	if failure.NextStep == "" && failure.Command == "" {
		t.Errorf("%q names no next step", failure)
	}
	for _, text := range texts {
		if !strings.Contains(failure.Error(), text) {
			t.Errorf("error %q does not say %q", failure, text)
		}
	}
	if o.entry != nil {
		t.Error("there is a credential besides the error")
	}
}

func (o outcome) wantToken(t *testing.T, token, grantID string) {
	t.Helper()
	if o.err != nil {
		t.Fatal(o.err)
	}
	if got := o.entry.Credential; got.AccessToken.Reveal() != token || got.GrantID != grantID ||
		got.TokenType != "Bearer" {
		t.Errorf("credential is %s of %s, want grant %s", got.TokenType, got.GrantID, grantID)
	}
}

// gaps returns the times between the announcement and each poll, in seconds.
func gaps(provider *capturetest.Provider, path string, began time.Time) []int {
	var seconds []int
	for _, request := range provider.Seen(path) {
		seconds = append(seconds, int(request.At.Sub(began)/time.Second))
		began = request.At
	}
	return seconds
}

// Captures 520, 521 and 525, with the registration and the pushed request that they build on.
func TestAgentConnectAsCaptured(t *testing.T) {
	provider := playing(metadata, agentStart, []string{"521", "525"}, readable)
	got := signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}})
	got.wantToken(t, agentToken, "grt_7da0791a00dea728")
	if faults := provider.Faults(); len(faults) > 0 {
		t.Errorf("asked otherwise than captured:\n%s", strings.Join(faults, "\n"))
	}
	wantApproval := []connect.Approval{{
		URL:       "http://localhost:7662/consent?request_uri=urn%3Apdpp%3Apending-consent%3Adc_c6c91763b1e3b9dd",
		Issuer:    "http://localhost:7662",
		ExpiresAt: got.began.Add(300 * time.Second), OmitsConnection: true,
	}}
	if diff := cmp.Diff(wantApproval, got.approval); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 2}, gaps(provider, pollPath, got.began)); diff != "" {
		t.Errorf("seconds between polls (-want +got):\n%s", diff)
	}
	if got.entry.ProviderURL != capturetest.Resource || got.entry.AuthorizationServer != capturetest.Issuer ||
		got.entry.Scope != "pdpp:read" ||
		got.entry.Client.ClientID != "cli_20a2ded8546d8fbc" || !got.entry.Credential.ExpiresAt.IsZero() {
		t.Errorf("entry is %+v", got.entry)
	}
	for _, request := range provider.Seen("/") {
		if tried := strings.HasPrefix(request.URL,
			capturetest.Resource+"/v1/schema"); tried != (request.Authorization != "") {
			t.Errorf("%s was sent %q", request.URL, request.Authorization)
		}
	}
}

// Capture 526: a lost response is sent again.
func TestAgentConnectAnswerIsLost(t *testing.T) {
	provider := playing(metadata, agentStart, []string{"521", "525", "526"}, readable)
	lost := 0
	got := signIn(t, provider.Handle(pollPath, func(w http.ResponseWriter, _ *http.Request) {
		if lost++; lost == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		exchange, err := capturetest.Load("526")
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(exchange.Status)
		_, _ = w.Write([]byte(exchange.Answered))
	}), connect.Options{Access: connect.AccessRequest{Source: spotify}})
	got.wantToken(t, agentToken, "grt_7da0791a00dea728")
	if diff := cmp.Diff([]int{2, 4}, gaps(provider, pollPath, got.began)); diff != "" {
		t.Errorf("seconds between polls, longer after a failure (-want +got):\n%s", diff)
	}
}

// Captures 522 and 530.
func TestAgentConnectRefusedAsCaptured(t *testing.T) {
	t.Run("denied", func(t *testing.T) {
		provider := playing(metadata, agentStart, []string{"530"}, readable).Replace(
			"agc_fb83c72d8f5d236e1a608f8c95f82322", "agc_87a4e77772cbdbb34e7f00f7fae8652e",
			"agc_poll_9aba30687e2d4d5aae0b242d773c97f9484bfa0c616f55e632f9e10ed1fb4702", pollingCode)
		got := signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}})
		got.wantError(t, credential.Refused, "the owner denied the request", "run: pdpp-mcp connect "+capturetest.Resource)
		if !errors.Is(got.err, connect.ErrDenied) {
			t.Error("the error does not wrap ErrDenied")
		}
		if faults := provider.Faults(); len(faults) > 0 {
			t.Error(faults)
		}
	})
	t.Run("unknown handle", func(t *testing.T) {
		got := signIn(t, playing(metadata, agentStart, []string{"522"}),
			connect.Options{Access: connect.AccessRequest{Source: spotify}})
		got.wantError(t, credential.Configuration, "invalid_grant", "Unknown agent-connect polling handle")
	})
}

// Captures 527, 565, 561 and 569: agent connect requires a pushed request, so the device flow is used. The server does
// not accept grant types in a registration (502).
func TestAgentConnectFallsBackToDevice(t *testing.T) {
	provider := playing(metadata, []string{"500", "502", "500", "527", "565", "561", "569"}, readable).Replace(
		"cli_859c394ae6f7fbd0", "cli_20a2ded8546d8fbc", "pdpp_cli", "cli_20a2ded8546d8fbc", "dc_owner_bdaa20bbb5241848",
		"dc_2d7dac328fb606eb")
	got := signIn(t, provider, connect.Options{})
	got.wantToken(t, deviceToken, "grt_6334fc20a223cf08")
	if len(got.approval) != 1 || got.approval[0].UserCode != "5DF34C" {
		t.Errorf("announced %+v, want the code of the device once", got.approval)
	}
	if registered := provider.Seen("/oauth/register"); len(registered) != 3 ||
		!strings.Contains(registered[1].Body, "device_code") ||
		registered[2].Body != registered[0].Body {
		t.Errorf("registered %+v, want the second time with a grant type and then without", registered)
	}
}

// Captures 527 and 565b: nothing in particular is requested, and both flows require it.
func TestBothFlowsRequireASource(t *testing.T) {
	got := signIn(t, playing(metadata, []string{"500", "527", "565b"}), connect.Options{})
	got.wantError(t, credential.Configuration, "request_uri is required", "--source")
	if len(got.approval) > 0 {
		t.Error("the owner was asked")
	}
}

// Captures 565 and 569, with a known client.
func TestDeviceAuthorizationAsCaptured(t *testing.T) {
	provider := playing(metadata, []string{"565", "561", "569"}, readable).Replace(withoutName...).Replace(
		"pdpp_cli", "cli_859c394ae6f7fbd0", "dc_owner_bdaa20bbb5241848", "dc_2d7dac328fb606eb")
	got := signIn(t, provider,
		connect.Options{Access: connect.AccessRequest{Source: reddit}, ClientID: "cli_859c394ae6f7fbd0"})
	got.wantToken(t, deviceToken, "grt_6334fc20a223cf08")
	if faults := provider.Faults(); len(faults) > 0 {
		t.Errorf("asked otherwise than captured:\n%s", strings.Join(faults, "\n"))
	}
	wantApproval := []connect.Approval{{
		URL:      "http://localhost:7662/consent?request_uri=urn%3Apdpp%3Apending-consent%3Adc_2d7dac328fb606eb",
		Issuer:   "http://localhost:7662",
		UserCode: "5DF34C", ExpiresAt: got.began.Add(300 * time.Second), OmitsConnection: true,
	}}
	if diff := cmp.Diff(wantApproval, got.approval); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 2}, gaps(provider, "/oauth/token", got.began)); diff != "" {
		t.Errorf("seconds between polls (-want +got):\n%s", diff)
	}
}

// Captures 560 to 563: the server takes the request for one of the owner's own devices and asks to slow down. The token
// is tried and refused (R-STDIO-3).
func TestOwnerDeviceIsRefused(t *testing.T) {
	provider := playing(metadata, []string{"560", "561", "561b", "563", "016"}).Replace(withoutName...)
	got := signIn(t, provider, connect.Options{ClientID: "pdpp_cli"})
	got.wantError(t, credential.Refused, "owner token", "not stored")
	if diff := cmp.Diff([]int{1, 1, 6}, gaps(provider, "/oauth/token", got.began)); diff != "" {
		t.Errorf("seconds between polls, 5 more after slow_down (-want +got):\n%s", diff)
	}
	if started := provider.Seen("/oauth/device_authorization"); len(started) != 1 ||
		!strings.Contains(started[0].Body, "resource=http%3A%2F%2Flocalhost%3A7663") {
		t.Errorf("asked %+v, want a resource", started)
	}
}

// Captures 564 and 570.
func TestDeviceTokenRefusedAsCaptured(t *testing.T) {
	for name, text := range map[string]string{"564": "Unknown or invalid device_code", "570": "unsupported_grant_type"} {
		t.Run(name, func(t *testing.T) {
			provider := playing(metadata, []string{"565", name}).Replace(withoutName...)
			got := signIn(t, provider,
				connect.Options{Access: connect.AccessRequest{Source: reddit}, ClientID: "cli_859c394ae6f7fbd0"})
			got.wantError(t, credential.Configuration, text)
		})
	}
}

// Ctrl-C ends the wait at once.
func TestConnectEndsWithItsContext(t *testing.T) {
	for name, replaced := range map[string][]string{"agent": nil, "device": withoutName} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				provider := playing(metadata, agentStart, []string{"521", "565"}).Replace(replaced...)
				began := time.Now()
				_, err := connect.Connect(ctx, connect.Options{
					ProviderURL: capturetest.Resource, Access: connect.AccessRequest{Source: spotify}, ClientID: "cli_1",
					Transport: provider,
					Announce:  func(connect.Approval) { cancel() },
				})
				if !errors.Is(err, context.Canceled) || time.Since(began) > 0 {
					t.Errorf("ended with %v after %s, want at once with the context's error", err, time.Since(began))
				}
			})
		})
	}
}
