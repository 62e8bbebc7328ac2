package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const secret = "scoped-secret-of-a-test"

// provider serves bodies by path. ORIGIN in a body is its own URL. Other paths are 404.
func provider(t *testing.T, bodies map[string]string) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = answers(server, bodies)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func answers(server *httptest.Server, bodies map[string]string) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, found := bodies[request.URL.Path]
		if !found {
			response.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(response, strings.ReplaceAll(body, "ORIGIN", server.URL))
	})
}

// healthy returns bodies that pass every check.
func healthy() map[string]string {
	return map[string]string{
		"/.well-known/oauth-protected-resource":   `{"resource":"ORIGIN","authorization_servers":["ORIGIN"]}`,
		"/.well-known/oauth-authorization-server": `{"issuer":"ORIGIN","agent_connect_endpoint":"ORIGIN/connect"}`,
		"/v1/schema": `{"bearer":{"token_kind":"client"},"connectors":[{"streams":[{"name":"s"},{"name":"t"}],` +
			`"granted_connections":[{"connection_id":"a"},{"connection_id":"b"}]}]}`,
		"/v1/search":          `{"data":[]}`,
		"/v1/search/semantic": `{"data":[]}`,
		"/v1/search/hybrid":   `{"data":[]}`,
	}
}

// options examine a provider with a passed token, and no hosts.
func options(providerURL string) doctor.Options {
	return doctor.Options{
		ProviderURL: providerURL,
		Token:       func() (rs.Secret, error) { return rs.NewBearer(secret) },
		TokenSource: "the test",
		Deadline:    time.Minute,
	}
}

// cached returns options that examine the grants of an empty cache, for one provider or, without a URL, for all of the
// cache.
func cached(t *testing.T, providerURL string) (*credential.Cache, doctor.Options) {
	t.Helper()
	asked := options(providerURL)
	asked.Token, asked.Cache = nil, &credential.Cache{Root: t.TempDir(), KeepModes: true}
	return &credential.Cache{Root: asked.Cache.Root}, asked
}

// store adds a grant of a provider to a cache, with a token that begins with a name.
func store(t *testing.T, cache *credential.Cache, providerURL, name string, held credential.Credential) {
	t.Helper()
	held.AccessToken = rs.NewSecret(name + "-" + secret)
	if err := cache.Add(&credential.Entry{ProviderURL: providerURL, Credential: held}); err != nil {
		t.Fatal(err)
	}
}

// examined returns the findings by id, and the order of the ids.
func examined(t *testing.T, options doctor.Options) (map[string]doctor.Result, []string) {
	t.Helper()
	results := map[string]doctor.Result{}
	var order []string
	doctor.Examine(t.Context(), options, func(result doctor.Result) {
		results[result.ID] = result
		order = append(order, result.ID)
		if strings.Contains(result.Detail+result.Fix, secret) {
			t.Errorf("%s shows the token", result.ID)
		}
		if (result.State == doctor.Failed) != (result.Class != "") || result.State == doctor.Failed && result.Fix == "" &&
			result.Advice == "" {
			t.Errorf("%s is %s of class %q and has the fix %q", result.ID, result.State, result.Class, result.Fix)
		}
	})
	return results, order
}

// want checks one finding.
func want(t *testing.T, results map[string]doctor.Result, id string, state doctor.State,
	class credential.Class, says string,
) {
	t.Helper()
	result := results[id]
	if result.State != state || result.Class != class || !strings.Contains(result.Detail, says) {
		t.Errorf("%s is %s (%s): %s; want %s (%s): %s", id, result.State, result.Class, result.Detail, state, class, says)
	}
}

// secured returns a healthy provider with a certificate, and a transport that trusts it.
func secured(t *testing.T, name string, from, until time.Time) (*httptest.Server, *http.Transport) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: from, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if address := net.ParseIP(name); address != nil {
		template.IPAddresses = []net.IP{address}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = answers(server, healthy())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes are meant to fail
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	transport := rs.NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	transport.TLSClientConfig.RootCAs.AddCert(certificate)
	return server, transport
}
