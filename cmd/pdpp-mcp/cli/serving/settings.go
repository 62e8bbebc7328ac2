package serving

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// introspectionSecretVariable is the environment variable for the secret itself, for containers.
const introspectionSecretVariable = "PDPP_INTROSPECTION_CLIENT_SECRET"

// defaultListen is on loopback, so that other machines cannot connect.
const defaultListen = "127.0.0.1:8788"

// serveSettings are the flags of serve, and the values that check derives from them.
type serveSettings struct {
	providerURL             string
	rsURL                   string
	rsTimeout               time.Duration
	readOn                  int
	slowCall                time.Duration
	serverName              string
	listen                  string
	metricsListen           string
	publicURL               string
	trustedProxies          []string
	allowedHosts            []string
	authorizationServer     string
	introspectionURL        string
	introspectionClientID   string
	introspectionSecretFile string
	audiences               []string
	auditFile               string
	drainDelay              time.Duration
	clearText               invocation.ClearText
	limits                  host.Limits
	clock                   tool.Clock

	introspectionSecret rs.Secret
	proxies             []netip.Prefix

	flags *pflag.FlagSet // with the values above, to compare them after a reload
}

func (s *serveSettings) addFlags(flags *pflag.FlagSet) {
	const listed = "; repeat it or separate with commas"
	s.flags = flags
	invocation.AddProviderURL(flags, &s.providerURL, "`url` of the PDPP provider, such as https://pdpp.example (required)")
	flags.StringVar(&s.rsURL, "rs-url", "", "`url` of the resource server (default: the provider URL)")
	flags.StringVar(&s.serverName, "server-name", "pdpp-mcp", "`name` of the server for clients")
	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to listen on")
	flags.StringVar(&s.metricsListen, "metrics-listen", "", "`address` for Prometheus metrics (default: none)")
	flags.StringVar(&s.publicURL, "public-url", "", "`url` that clients see (default: from a trusted proxy, or the listen address)")
	flags.StringVar(&s.authorizationServer, "authorization-server", "", "`url` of the issuer for sign-in (required)")
	flags.StringVar(&s.introspectionURL, "introspection-url", "", "`url` of the introspection endpoint (default: from the issuer's metadata)")
	flags.StringVar(&s.introspectionClientID, "introspection-client-id", "", "client `id` for introspection (required)")
	flags.StringVar(&s.introspectionSecretFile, "introspection-client-secret-file", "",
		"`file` that holds the secret for introspection; "+introspectionSecretVariable+" may hold the secret itself (required)")
	flags.StringSliceVar(&s.audiences, "audience", nil, "additional token `audience` to accept"+listed)
	flags.StringSliceVar(&s.trustedProxies, "trusted-proxy", nil, "`network` (CIDR) of trusted proxies"+listed)
	flags.StringSliceVar(&s.allowedHosts, "allowed-host", nil, "additional `host` to accept"+listed)
	invocation.AddReadOn(flags, &s.readOn)
	invocation.AddZone(flags, &s.clock, false)
	invocation.AddSlowCall(flags, &s.slowCall)
	invocation.AddTimeout(flags, &s.rsTimeout, "time limit of one request to the resource server")
	invocation.AddDuration(flags, &s.drainDelay, "drain-delay", "how long to accept connections after /readyz fails during shutdown")
	flags.StringVar(&s.auditFile, "audit-file", "", "`file` for the audit log, one JSON line per call; - for stderr (default: none)")
	s.clearText.AddFlags(flags)
	flags.IntVar(&s.limits.Concurrent, "caller-concurrency", host.DefaultLimits.Concurrent, "concurrent requests of one token")
	flags.Float64Var(&s.limits.PerSecond, "caller-rate", host.DefaultLimits.PerSecond, "sustained requests per second of one token")
	invocation.ReadConfigured(flags, "introspection-client-secret-file")
	invocation.ReadVariables(flags, "rs-url", "server-name", "listen", "metrics-listen", "public-url", "authorization-server", "introspection-url",
		"introspection-client-id", "audience", "trusted-proxy", "allowed-host", "audit-file", "drain-delay", "caller-concurrency", "caller-rate")
}

// check refuses missing and wrong settings before the server listens.
func (s *serveSettings) check() error {
	var err error
	if s.introspectionSecret, err = s.secret(); err != nil {
		return err
	}
	if s.providerURL, err = credential.ParseProviderURL(s.providerURL); err != nil {
		return err
	}
	if s.limits.Concurrent < 1 || s.limits.PerSecond <= 0 {
		return invocation.Usagef("invalid --caller-concurrency or --caller-rate: both must be more than 0")
	}
	if err := invocation.RefuseReadOn(s.readOn); err != nil {
		return err
	}
	for _, network := range s.trustedProxies {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			return invocation.Usagef("invalid --trusted-proxy %q: use a network such as 10.0.0.0/8 or 127.0.0.1/32", network)
		}
		s.proxies = append(s.proxies, prefix.Masked())
	}
	return s.refuseClearText()
}

// missing returns one error that names every required setting without a value, or nil. It has the exit code of a missing provider
// URL, which is ExitUsage for every command, or else ExitConfiguration.
func (s *serveSettings) missing(secret string) error {
	var names []string
	class := credential.Configuration
	for _, required := range []struct{ value, name, flag, variable string }{
		{s.providerURL, "provider URL", "provider-url", "PDPP_PROVIDER_URL"},
		{s.authorizationServer, "authorization server", "authorization-server", "PDPP_AUTHORIZATION_SERVER"},
		{s.introspectionClientID, "introspection client id", "introspection-client-id", "PDPP_INTROSPECTION_CLIENT_ID"},
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

// refuseClearText checks the addresses that tokens are sent to: the resource server and the introspection endpoint.
func (s *serveSettings) refuseClearText() error {
	asked, introspection := "authorization server", s.authorizationServer
	if s.introspectionURL != "" {
		asked, introspection = "introspection URL", s.introspectionURL
	}
	read := "provider URL"
	if s.rsURL != "" {
		read = "resource server URL"
	}
	return errors.Join(s.clearText.Refuse(read, s.resourceURL()), s.clearText.Refuse(asked, introspection))
}

// secret returns the introspection secret from its file, or else from the environment. Its error names every missing setting.
func (s *serveSettings) secret() (rs.Secret, error) {
	value := os.Getenv(introspectionSecretVariable)
	if s.introspectionSecretFile != "" {
		content, err := os.ReadFile(s.introspectionSecretFile)
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

func (s *serveSettings) resourceURL() string { return cmp.Or(s.rsURL, s.providerURL) }

// acceptedAudiences returns the accepted token audiences (R-HOST-10): both URLs of the resource server, this server's origin and its /mcp,
// and --audience. Without a public URL, each allowed host is an origin.
func (s *serveSettings) acceptedAudiences(address string) []string {
	origins := []string{s.publicURL}
	if s.publicURL == "" {
		origins = []string{"http://" + address}
		for _, allowed := range s.allowedHosts {
			if ip := net.ParseIP(allowed); ip != nil && ip.To4() == nil {
				allowed = "[" + allowed + "]"
			}
			origins = append(origins, "https://"+allowed, "http://"+allowed)
		}
	}
	accepted := append([]string{s.resourceURL(), s.providerURL}, s.audiences...)
	for _, origin := range origins {
		origin = strings.TrimRight(origin, "/")
		accepted = append(accepted, origin, origin+auth.MCPPath)
	}
	return accepted
}
