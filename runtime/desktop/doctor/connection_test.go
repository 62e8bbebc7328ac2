package doctor_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const day = 24 * time.Hour

func TestCertificates(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name    string
		host    string // in the certificate
		from    time.Time
		until   time.Time
		trusted bool
		state   doctor.State
		says    string
	}{
		{"good", "127.0.0.1", now.Add(-day), now.Add(90*day + time.Hour), true, doctor.OK, "certificate valid for 90 days"},
		{
			"ends soon", "127.0.0.1", now.Add(-day), now.Add(5*day + time.Hour), true, doctor.Note,
			"certificate ends in 5 days",
		},
		{"ended", "127.0.0.1", now.Add(-90 * day), now.Add(-day), true, doctor.Failed, "is not valid now"},
		{"not yet", "127.0.0.1", now.Add(day), now.Add(90 * day), true, doctor.Failed, "is not valid now"},
		{"another name", "data.example", now.Add(-day), now.Add(90 * day), true, doctor.Failed, "is not for 127.0.0.1"},
		{"unknown authority", "127.0.0.1", now.Add(-day), now.Add(90 * day), false, doctor.Failed, "does not trust"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, transport := secured(t, test.host, test.from, test.until)
			asked := options(server.URL)
			if test.trusted {
				asked.Transport = transport
			}
			results, _ := examined(t, asked)
			class := credential.Class("")
			if test.state == doctor.Failed {
				class = credential.Unreachable
				// The token is not sent over a connection that cannot be trusted.
				want(t, results, "token_kind", doctor.Skipped, "", "needs Connection")
			} else {
				want(t, results, "schema", doctor.OK, "", "2 connections, 2 streams")
			}
			want(t, results, "connection", test.state, class, test.says)
		})
	}
}

// Plain http to another machine fails before anything is sent. If it is allowed, it is reported, and everything but the
// sign-in is checked.
func TestPlainHTTPToAnotherMachine(t *testing.T) {
	here := provider(t, healthy())
	asked := options("http://data.example")
	var dialed atomic.Bool
	asked.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		dialed.Store(true)
		return new(net.Dialer).DialContext(ctx, "tcp", here.Listener.Addr().String())
	}}
	results, _ := examined(t, asked)
	want(t, results, "connection", doctor.Failed, credential.Usage, "plain http would send the token unencrypted")
	want(t, results, "token_kind", doctor.Skipped, "", "needs Connection")
	if dialed.Load() {
		t.Error("somebody was dialed")
	}
	asked.AllowPlainHTTP = true
	results, _ = examined(t, asked)
	want(t, results, "connection", doctor.Note, "", "others on the network can read the token")
	want(t, results, "resource_metadata", doctor.Note, "", "over https only")
	want(t, results, "authorization_server", doctor.Note, "", "over https only")
	want(t, results, "schema", doctor.OK, "", "2 connections, 2 streams")
}

// With a silent provider the examination ends within a few deadlines, and its lines keep their order.
func TestSilentProviders(t *testing.T) {
	for scheme, connection := range map[string]doctor.State{"http://": doctor.OK, "https://": doctor.Failed} {
		synctest.Test(t, func(t *testing.T) {
			asked := options(scheme + "127.0.0.1:8787")
			asked.Deadline = time.Second
			asked.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				silent, _ := net.Pipe()
				return silent, nil
			}}
			began := time.Now()
			results, order := examined(t, asked)
			// Three checks need no other one that hangs.
			if took := time.Since(began); took > 3*asked.Deadline {
				t.Errorf("%s took %s", scheme, took)
			}
			if results["connection"].State != connection {
				t.Errorf("%s: the connection is %+v", scheme, results["connection"])
			}
			if connection == doctor.OK {
				want(t, results, "resource_metadata", doctor.Failed, credential.Unreachable, "in time")
				want(t, results, "token_kind", doctor.Failed, credential.Unreachable, "in time")
				want(t, results, "clock", doctor.Failed, credential.Unreachable, "in time")
			}
			const wanted = "provider_url connection resource_metadata authorization_server cache_file credential token_kind schema " +
				"search_lexical search_semantic search_hybrid clock environment"
			if got := strings.Join(order, " "); got != wanted {
				t.Errorf("the order is %s", got)
			}
		})
	}
}

// A cached response has an age, which is not counted as a wrong clock.
func TestAgeIsNoSkew(t *testing.T) {
	server := provider(t, healthy())
	old := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		response.Header().Set("Age", "3600")
		old.ServeHTTP(response, request)
	})
	results, _ := examined(t, options(server.URL))
	want(t, results, "clock", doctor.OK, "", "within")

	server.Config.Handler = http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header()["Date"] = nil
		old.ServeHTTP(response, request)
	})
	results, _ = examined(t, options(server.URL))
	want(t, results, "clock", doctor.Note, "", "sends no Date header")
}
