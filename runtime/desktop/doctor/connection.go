package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const renewWithin = 14 * 24 * time.Hour // most certificates are renewed earlier

// checkConnection connects to the provider's port and checks its certificate. Plain http is for this machine only,
// since it sends the token unencrypted.
func (e *examination) checkConnection(ctx context.Context) Finding {
	isUnencrypted := e.isUnencrypted()
	if isUnencrypted && !e.options.AllowPlainHTTP {
		return failed(credential.Usage, e.options.doctorCommand("https://"+e.address.Host),
			"plain http would send the token unencrypted; it is for this machine only")
	}
	if proxy := rs.ProxyFor(e.address.String()); proxy != nil { // the requests of the next checks use it
		connection, err := e.options.Transport.DialContext(ctx, "tcp", address.HostPort(proxy))
		if err != nil {
			return unreachable("the proxy %s of the environment cannot be reached: %s", proxy.Host, connectionProblem(err))
		}
		_ = connection.Close()
		return note("", "through the proxy %s of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY)", proxy.Host)
	}
	connection, err := e.options.Transport.DialContext(ctx, "tcp", address.HostPort(e.address))
	if err != nil {
		return unreachable("%s cannot be reached: %s", e.address.Host, connectionProblem(err))
	}
	defer connection.Close()
	if isUnencrypted {
		return note("", "plain http to another machine, as allowed: others on the network can read the token")
	}
	if e.address.Scheme == "http" {
		return ok("plain http, on this machine")
	}
	configuration := cmp.Or(e.options.Transport.TLSClientConfig.Clone(), &tls.Config{}) // a clone of nil is nil
	configuration.ServerName = e.address.Hostname()
	secured := tls.Client(connection, configuration)
	if err := secured.HandshakeContext(ctx); err != nil {
		return e.handshakeFinding(err)
	}
	defer secured.Close()
	state := secured.ConnectionState()
	version := tls.VersionName(state.Version)
	left := time.Until(state.PeerCertificates[0].NotAfter)
	days := int(left / (24 * time.Hour))
	if left < renewWithin {
		return note("", "%s, certificate ends in %d days", version, days)
	}
	return ok("%s, certificate valid for %d days", version, days)
}

func (e *examination) isUnencrypted() bool {
	return e.address.Scheme == "http" && !address.IsLoopback(e.address.Hostname())
}

// handshakeFinding explains a failed handshake, with the command that shows the certificate or trusts its issuer.
func (e *examination) handshakeFinding(err error) Finding {
	host := e.address.Hostname()
	inspect := "openssl s_client -servername " + commandline.Word(host) + " -connect " + commandline.Word(address.HostPort(e.address))
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, hasOtherName := errors.AsType[x509.HostnameError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isUnknown:
		return failed(credential.Unreachable, "SSL_CERT_FILE=authority.pem "+e.options.doctorCommand(e.provider), "the certificate is signed by an authority that this machine does not trust")
	case hasOtherName:
		return failed(credential.Unreachable, inspect, "the certificate is not for %s", host)
	case isInvalid && invalid.Reason == x509.Expired:
		return failed(credential.Unreachable, inspect, "the certificate is not valid now: it is valid from %s to %s",
			invalid.Cert.NotBefore.Format(time.DateOnly), invalid.Cert.NotAfter.Format(time.DateOnly))
	}
	return failed(credential.Unreachable, inspect, "TLS failed: %s", connectionProblem(err))
}

const maxSkew = time.Minute // between two clocks

// checkClock compares this machine's clock with the provider's Date header. The expiry of a credential is compared with
// this clock.
func (e *examination) checkClock(ctx context.Context) Finding {
	asked := time.Now()
	request, _ := http.NewRequestWithContext(ctx, http.MethodGet, connect.MetadataURL(e.provider), nil) // the URL was parsed
	request.Header.Set("User-Agent", "pdpp-mcp")
	response, err := e.options.Transport.RoundTrip(request)
	if err != nil {
		return unreachable("the provider's clock cannot be read: %s", connectionProblem(err))
	}
	defer response.Body.Close()
	answered := time.Now()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return note("", "the provider sends no Date header")
	}
	if age, err := strconv.Atoi(response.Header.Get("Age")); err == nil { // seconds in a cache
		date = date.Add(time.Duration(age) * time.Second)
	}
	skew := asked.Add(answered.Sub(asked) / 2).Sub(date).Round(time.Second)
	fix := "sudo timedatectl set-ntp true"
	switch e.options.Machine.System {
	case "darwin":
		fix = "sudo sntp -sS time.apple.com"
	case "windows":
		fix = "w32tm /resync"
	}
	switch {
	case skew > maxSkew:
		return failed(credential.Configuration, fix, "this machine is %s ahead of the provider", skew)
	case skew < -maxSkew:
		return failed(credential.Configuration, fix, "this machine is %s behind the provider", -skew)
	}
	return ok("within %s of the provider", maxSkew)
}

// checkResourceMetadata reads which authorization server the provider names (RFC 9728), as connect does.
func (e *examination) checkResourceMetadata(ctx context.Context) Finding {
	if e.isUnencrypted() {
		return note("", signInOverHTTPS)
	}
	inspection, err := connect.Inspect(ctx, e.provider, e.options.Transport)
	if err != nil {
		fix := ""
		if misaddressed, ok := errors.AsType[*credential.Error](err); ok && misaddressed.Provider != "" {
			fix = e.options.doctorCommand(misaddressed.Provider)
		}
		return fromError(err, fix)
	}
	e.inspection = inspection
	return ok("authorization server %s", inspection.Issuer)
}

// signInOverHTTPS: connect has no exception for private networks, so there is nothing to check.
const signInOverHTTPS = "not read: connect signs in over https only"

var flowTitles = map[connect.Flow]string{
	connect.AgentConnect: "agent connect", connect.DeviceAuthorization: "device authorization", connect.AuthorizationCode: "authorization code",
}

func (e *examination) checkAuthorizationServer(ctx context.Context) Finding {
	if e.inspection == nil {
		return note("", signInOverHTTPS)
	}
	flows, err := e.inspection.Flows(ctx)
	if err != nil {
		return fromError(err, "")
	}
	var titles []string
	for _, flow := range flows {
		titles = append(titles, flowTitles[flow])
	}
	return ok("%s", strings.Join(titles, ", "))
}
