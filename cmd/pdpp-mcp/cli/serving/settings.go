package serving

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/authorize"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

const (
	introspectionSecretVariable = "PDPP_INTROSPECTION_CLIENT_SECRET" // the secret itself, for containers
	defaultListen               = "127.0.0.1:8788"                   // other machines cannot connect
)

// serveSettings are the flags of serve. Most set an option of the handler or of its verifier.
type serveSettings struct {
	host       host.HandlerOptions
	auth       auth.Options
	listen     string
	metrics    string // its listen address
	proxies    []string
	sources    []string
	secretFile string
	auditFile  string
	drainDelay time.Duration
	clearText  invocation.ClearText

	flags *pflag.FlagSet // with the values above, to compare them after a reload
}

func (s *serveSettings) addFlags(flags *pflag.FlagSet) {
	const listed = "; repeat it or separate with commas"
	s.flags = flags
	invocation.AddProviderURL(flags, &s.host.ProviderURL, "`url` of the PDPP provider, such as https://pdpp.example (required)")
	flags.StringVar(&s.host.ResourceURL, "rs-url", "", "`url` of the resource server (default: the provider URL)")
	flags.StringVar(&s.host.Name, "server-name", "pdpp-mcp", "`name` of the server for clients")
	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to listen on")
	flags.StringVar(&s.metrics, "metrics-listen", "", "`address` for Prometheus metrics (default: none)")
	flags.StringVar(&s.host.PublicURL, "public-url", "", "`url` that clients see (default: from a trusted proxy, or the listen address)")
	flags.StringVar(&s.auth.AuthorizationServer, "authorization-server", "", "`url` of the issuer for sign-in (required)")
	flags.StringVar(&s.auth.IntrospectionURL, "introspection-url", "", "`url` of the introspection endpoint (default: from the issuer's metadata)")
	flags.StringVar(&s.auth.ClientID, "introspection-client-id", "", "client `id` for introspection (required)")
	flags.StringVar(&s.secretFile, "introspection-client-secret-file", "",
		"`file` that holds the secret for introspection; "+introspectionSecretVariable+" may hold the secret itself (required)")
	flags.StringSliceVar(&s.auth.Audiences, "audience", nil, "additional token `audience` to accept"+listed)
	flags.StringSliceVar(&s.proxies, "trusted-proxy", nil, "`network` (CIDR) of trusted proxies"+listed)
	flags.StringSliceVar(&s.host.AllowedHosts, "allowed-host", nil, "additional `host` to accept"+listed)
	flags.StringSliceVar(&s.sources, "source", nil, "`source` that a sign-in asks for, or SOURCE=CONNECTION, for an authorization server that does not publish the members of packages"+listed)
	invocation.AddReadOn(flags, &s.host.MaxReads)
	invocation.AddZone(flags, &s.host.Clock, false)
	invocation.AddSlowCall(flags, &s.host.SlowCall)
	invocation.AddTimeout(flags, &s.host.RSTimeout, "time limit of one request to the resource server")
	invocation.AddDuration(flags, &s.drainDelay, "drain-delay", "how long to accept connections after /readyz fails during shutdown")
	flags.StringVar(&s.auditFile, "audit-file", "", "`file` for the audit log, one JSON line per call; - for stderr (default: none)")
	s.clearText.AddFlags(flags)
	flags.IntVar(&s.host.Limits.Concurrent, "caller-concurrency", host.DefaultLimits.Concurrent, "concurrent requests of one token")
	flags.Float64Var(&s.host.Limits.PerSecond, "caller-rate", host.DefaultLimits.PerSecond, "sustained requests per second of one token")
	invocation.ReadConfigured(flags, "introspection-client-secret-file")
	invocation.ReadVariables(flags, "rs-url", "server-name", "listen", "metrics-listen", "public-url", "authorization-server", "introspection-url",
		"introspection-client-id", "audience", "trusted-proxy", "allowed-host", "source", "audit-file", "drain-delay", "caller-concurrency", "caller-rate")
}

func (s *serveSettings) check() error {
	var err error
	if s.auth.ClientSecret, err = s.secret(); err != nil {
		return err
	}
	if s.host.ProviderURL, err = credential.ParseProviderURL(s.host.ProviderURL); err != nil {
		return err
	}
	wrong := &problems{flags: s.flags}
	if s.host.Limits.Concurrent < 1 {
		wrong.add("caller-concurrency", strconv.Itoa(s.host.Limits.Concurrent), "it must be more than 0; pass a number such as 8")
	}
	if s.host.Limits.PerSecond <= 0 {
		wrong.add("caller-rate", strconv.FormatFloat(s.host.Limits.PerSecond, 'g', -1, 64), "it must be more than 0; pass a number such as 10")
	}
	if s.metrics == s.listen && !strings.HasSuffix(s.listen, ":0") {
		return invocation.Usagef("--metrics-listen and --listen are both %s; pass another address for one, such as %s", s.listen, nextAddress(s.listen))
	}
	if err := invocation.RefuseReadOn(s.host.MaxReads); err != nil {
		return err
	}
	for _, network := range s.proxies {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			wrong.add("trusted-proxy", network, "use a network such as 10.0.0.0/8 or 127.0.0.1/32")
			continue
		}
		s.host.TrustedProxies = append(s.host.TrustedProxies, prefix.Masked())
	}
	for _, text := range s.sources {
		source, err := authorize.ParseSource(text)
		if err != nil {
			wrong.add("source", text, err.Error())
			continue
		}
		s.host.Sources = append(s.host.Sources, source)
	}
	s.checkURLs(wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	// Tokens are sent to the resource server and to the introspection endpoint.
	read, asked := "provider URL", "authorization server"
	if s.host.ResourceURL != "" {
		read = "resource server URL"
	}
	if s.auth.IntrospectionURL != "" {
		asked = "introspection URL"
	}
	return errors.Join(s.clearText.Refuse(read, s.resourceURL()),
		s.clearText.Refuse(asked, cmp.Or(s.auth.IntrospectionURL, s.auth.AuthorizationServer)))
}

// missing returns one error that names every required setting without a value, or nil. Its exit code is ExitUsage if the provider URL is
// missing, as for every command, otherwise ExitConfiguration.
func (s *serveSettings) missing(secret string) error {
	var names []string
	class := credential.Configuration
	for _, required := range []struct{ value, name, flag, variable string }{
		{s.host.ProviderURL, "provider URL", "provider-url", "PDPP_PROVIDER_URL"},
		{s.auth.AuthorizationServer, "authorization server", "authorization-server", "PDPP_AUTHORIZATION_SERVER"},
		{s.auth.ClientID, "introspection client id", "introspection-client-id", "PDPP_INTROSPECTION_CLIENT_ID"},
		{secret, "introspection secret", "introspection-client-secret-file", introspectionSecretVariable},
	} {
		if strings.TrimSpace(required.value) == "" {
			names = append(names, fmt.Sprintf("%s (--%s or %s)", required.name, required.flag, required.variable))
			if required.flag == "provider-url" {
				class = credential.Usage
			}
		}
	}
	if names == nil {
		return nil
	}
	return &credential.Error{Class: class, Message: "missing settings: " + strings.Join(names, ", ")}
}

// secret returns the introspection secret from its file, otherwise from the environment. Its error names every missing setting.
func (s *serveSettings) secret() (rs.Secret, error) {
	value := os.Getenv(introspectionSecretVariable)
	if s.secretFile != "" {
		content, err := os.ReadFile(s.secretFile)
		if err != nil {
			unreadable := credential.Misconfigured(
				fmt.Sprintf("the introspection secret cannot be read: %v", err),
				"pass --introspection-client-secret-file with a file that holds the secret alone", err)
			return rs.Secret{}, errors.Join(s.missing("unreadable"), unreadable)
		}
		value = string(content)
	}
	return rs.NewSecret(strings.TrimSpace(value)), s.missing(value)
}

// audit returns the log of --audit-file, or nil. It calls lost for each lost line.
func (s *serveSettings) audit(logger *slog.Logger, lost func()) *audit.Log {
	var log *audit.Log
	switch s.auditFile {
	case "":
		return nil
	case "-":
		log = audit.NewStream(os.Stderr, logger)
	default:
		log = audit.NewFile(s.auditFile, audit.HostedLimits, logger)
	}
	log.Lost = lost
	return log
}

// checkAudit returns an error if the audit file cannot be written. It creates nothing.
func (s *serveSettings) checkAudit() error {
	if s.auditFile == "" || s.auditFile == "-" {
		return nil
	}
	if err := audit.CheckFile(s.auditFile); err != nil {
		return credential.Misconfigured(fmt.Sprintf("--audit-file %s cannot be written: %v", s.auditFile, credential.Cause(err)),
			"pass a file in a folder that this user can write to", err)
	}
	return nil
}

func (s *serveSettings) resourceURL() string { return cmp.Or(s.host.ResourceURL, s.host.ProviderURL) }

// acceptedAudiences returns the accepted token audiences (R-HOST-10): both URLs of the resource server, this server's origin and its /mcp,
// and --audience. Without a public URL, each allowed host is an origin.
func (s *serveSettings) acceptedAudiences(address string) []string {
	origins := []string{s.host.PublicURL}
	if s.host.PublicURL == "" {
		origins = []string{"http://" + address}
		for _, allowed := range s.host.AllowedHosts {
			if ip := net.ParseIP(allowed); ip != nil && ip.To4() == nil {
				allowed = "[" + allowed + "]"
			}
			origins = append(origins, "https://"+allowed, "http://"+allowed)
		}
	}
	accepted := append([]string{s.resourceURL(), s.host.ProviderURL}, s.auth.Audiences...)
	for _, origin := range origins {
		origin = strings.TrimRight(origin, "/")
		accepted = append(accepted, origin, origin+auth.MCPPath)
	}
	return accepted
}
