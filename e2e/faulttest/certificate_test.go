package faulttest_test

import (
	"crypto/tls"
	"net/http"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

// R-ERR-4, R-ERR-6: no bearer is sent to a server whose certificate is not valid any more, and the message names the
// certificate. A renewed certificate works.
func TestCertificateChanges(t *testing.T) {
	tests := []struct {
		name    string
		changed faulttest.Certificate
		refused bool
	}{
		{"renewed", faulttest.Renewed, false},
		{"not trusted", faulttest.Untrusted, true},
		{"of another name", faulttest.OtherName, true},
		{"expired", faulttest.Expired, true},
	}
	for _, whose := range []string{"stdio", "hosted, client token", "hosted, package token"} {
		for _, test := range tests {
			t.Run(whose+"/"+test.name, func(t *testing.T) {
				watch(t)
				resource := faulttest.New(t)
				carrier := transport(t)
				carrier.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: resource.Secure()}
				resource.Serve(provider())
				a := secured(t, whose, resource, carrier)
				a.mustAnswer("with the first certificate")
				a.reset() // a connection that is open is not asked for its certificate again
				resource.Present(test.changed)
				if !test.refused {
					a.mustAnswer("with another certificate")
					return
				}
				a.read().assertError(t, unreachable, "certificate", a.children)
				if seen := resource.Take(); len(seen) > 0 {
					t.Errorf("the server saw %v", seen)
				}
				resource.Present(faulttest.Renewed)
				a.mustAnswer("with a good certificate")
			})
		}
	}
}

func secured(t *testing.T, whose string, resource *faulttest.Proxy, carrier *http.Transport) *adapter {
	t.Helper()
	switch whose {
	case "stdio":
		return overStdio(t, resource, carrier, ample)
	case "hosted, client token":
		return overHTTP(t, resource, authority(t), "everything", carrier, ample)
	}
	return overHTTP(t, resource, authority(t), "package", carrier, ample)
}

// The authorization server's certificate is checked the same way.
func TestCertificateOfTheAuthorizationServerChanges(t *testing.T) {
	for name, changed := range map[string]faulttest.Certificate{
		"not trusted": faulttest.Untrusted, "of another name": faulttest.OtherName, "expired": faulttest.Expired,
	} {
		t.Run(name, func(t *testing.T) {
			watch(t)
			resource, authority := faulttest.New(t), faulttest.New(t)
			resource.Serve(provider())
			carrier := transport(t)
			carrier.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authority.Secure()}
			authority.Serve(provider())
			a := overHTTP(t, resource, authority, "everything", carrier, ample)
			authority.Present(changed)
			a.read().assertUnavailable(t)
			if seen := authority.Take(); len(seen) > 0 {
				t.Errorf("the authorization server saw %v", seen)
			}
			authority.Present(faulttest.Renewed)
			a.mustAnswer("with a good certificate")
		})
	}
}
