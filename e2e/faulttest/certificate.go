package faulttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// certificates are the certificates of a proxy.
type certificates struct {
	shown   atomic.Pointer[tls.Certificate]
	trusted *x509.CertPool
}

func (c *certificates) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.shown.Load(), nil },
	}
}

// Secure makes a proxy that does not serve yet use TLS with a certificate for its address, and returns the pool that
// trusts it.
func (p *Proxy) Secure() *x509.CertPool {
	p.t.Helper()
	p.secured = &certificates{trusted: x509.NewCertPool()}
	p.URL = "https://" + p.address
	first := certificate(p.t, "127.0.0.1", time.Hour)
	p.secured.trusted.AddCert(first.Leaf)
	p.secured.shown.Store(first)
	return p.secured.trusted
}

// Certificate is the kind of certificate to which a server changes.
type Certificate int

// The certificates. All but Renewed must be refused.
const (
	Renewed   Certificate = iota // another of the same kind, trusted like the first
	Untrusted                    // signed by an unknown authority
	OtherName                    // trusted, for another address
	Expired                      // trusted, and over
)

// Present uses another certificate for new connections.
func (p *Proxy) Present(kind Certificate) {
	p.t.Helper()
	address, lasts := "127.0.0.1", time.Hour
	switch kind {
	case OtherName:
		address = "192.0.2.1"
	case Expired:
		lasts = -time.Hour
	}
	changed := certificate(p.t, address, lasts)
	if kind != Untrusted {
		p.secured.trusted.AddCert(changed.Leaf)
	}
	p.secured.shown.Store(changed)
}

// certificate returns a self-signed certificate that is valid since two hours ago.
func certificate(t testing.TB, address string, lasts time.Duration) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: address},
		NotBefore: now.Add(-2 * time.Hour), NotAfter: now.Add(lasts),
		IPAddresses: []net.IP{net.ParseIP(address)},
		IsCA:        true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key, Leaf: leaf}
}
