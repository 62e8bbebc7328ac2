package connect_test

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// documents serves bodies by the end of a path, and records the requests.
type documents struct {
	resource, server, agent string
	asked                   []*http.Request
}

func (d *documents) RoundTrip(request *http.Request) (*http.Response, error) {
	d.asked = append(d.asked, request)
	body := d.agent
	switch {
	case request.URL.Path == resourcePath:
		body = d.resource
	case strings.HasPrefix(request.URL.Path, serverPath):
		body = d.server
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: request,
	}, nil
}

// R-ERR-4: with any metadata, only https URLs without a password are requested. The result is a typed error, or an
// approval page that a browser may open.
func FuzzMetadata(f *testing.F) {
	const agent = `{"approval_url":"https://as.example/consent","poll_url":"https://localhost/poll","polling_code":"c"}`
	f.Add(`{"authorization_servers":["https://as.example"]}`,
		`{"issuer":"https://as.example","agent_connect_endpoint":"https://as.example/a"}`, agent)
	f.Add(`{"authorization_servers":["https://as.example/t/1"]}`,
		`{"issuer":"https://as.example/t/1","token_endpoint":"https://127.1/",`+
			`"device_authorization_endpoint":"https://[::]/"}`, `{}`)
	f.Add(`{"authorization_servers":["https://a@b"],"resource":"https://bank.example"}`, `{}`, `null`)
	f.Add(`{"authorization_servers":["file:///etc/passwd"]}`, `[]`, `[`)
	f.Add(`{"authorization_servers":["HTTPS://LOCALHOST.:1"],`+
		`"pdpp_agent_discovery":{"agent_connect_endpoint":"http://169.254.169.254/"}}`, ``, ``)
	f.Fuzz(func(t *testing.T, resource, server, agent string) {
		if strings.Contains(agent, "interval") || strings.Contains(agent, "expires") {
			return // a sign-in that waits is tested elsewhere
		}
		answers := &documents{resource: resource, server: server, agent: agent}
		announced := errors.New("an approval was announced")
		err := safely(announced, func() error {
			_, err := connect.Connect(t.Context(), connect.Options{
				ProviderURL: "https://pdpp.example", Transport: answers,
				Announce: func(approval connect.Approval) {
					if !strings.HasPrefix(approval.URL, "https://") {
						t.Errorf("announces %q", approval.URL)
					}
					panic(announced) // what comes after it is waiting
				},
			})
			return err
		})
		var failure *credential.Error
		if err == nil || !errors.Is(err, announced) && !errors.As(err, &failure) {
			t.Errorf("error %v", err)
		}
		for _, request := range answers.asked {
			address, parseErr := netip.ParseAddr(request.URL.Hostname())
			if request.URL.Scheme != "https" || request.URL.User != nil || parseErr == nil && address.IsLoopback() ||
				strings.EqualFold(strings.TrimSuffix(request.URL.Hostname(), "."), "localhost") {
				t.Errorf("asked %s", request.URL)
			}
		}
	})
}

// safely returns a panic as an error.
func safely(expected error, run func() error) (err error) {
	defer func() {
		if stopped := recover(); stopped == expected {
			err = expected
		} else if stopped != nil {
			panic(stopped)
		}
	}()
	return run()
}
