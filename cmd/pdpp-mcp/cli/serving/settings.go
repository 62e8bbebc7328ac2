package serving

import (
	"cmp"
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
	secretFlag                  = "introspection-client-secret-file"
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
	flags.StringVar(&s.secretFile, secretFlag, "",
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
	invocation.ReadConfigured(flags, secretFlag)
	invocation.ReadVariables(flags, "rs-url", "server-name", "listen", "metrics-listen", "public-url", "authorization-server", "introspection-url",
		"introspection-client-id", "audience", "trusted-proxy", "allowed-host", "source", "audit-file", "drain-delay", "caller-concurrency", "caller-rate")
}

// check returns an error with every wrong setting, including those that filled has refused already.
func (s *serveSettings) check(filled error) error {
	wrong := &invocation.WrongSettings{}
	if !wrong.Include(filled) {
		return filled
	}
	add := func(flag, value, fix string) { wrong.Add(s.flags, flag, value, fix) }
	secret, err := s.secret()
	if s.auth.ClientSecret = secret; err != nil {
		add(secretFlag, s.secretFile, err.Error())
	}
	s.addMissing(wrong, err == nil && secret.Reveal() == "")
	if s.host.Limits.Concurrent < 1 {
		add("caller-concurrency", strconv.Itoa(s.host.Limits.Concurrent), "it must be more than 0; pass a number such as 8")
	}
	if s.host.Limits.PerSecond <= 0 {
		add("caller-rate", strconv.FormatFloat(s.host.Limits.PerSecond, 'g', -1, 64), "it must be more than 0; pass a number such as 10")
	}
	if s.metrics != "" && overlap(s.metrics, s.listen) {
		add("metrics-listen", s.metrics, "--listen has this address; pass another one, such as "+nextAddress(s.listen))
	}
	for _, network := range s.proxies {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			add("trusted-proxy", network, "use a network such as 10.0.0.0/8 or 127.0.0.1/32")
			continue
		}
		s.host.TrustedProxies = append(s.host.TrustedProxies, prefix.Masked())
	}
	for _, allowed := range s.host.AllowedHosts {
		if _, err := host.ParseAllowedHost(allowed); err != nil {
			add("allowed-host", allowed, err.Error())
		}
	}
	for _, text := range s.sources {
		source, err := authorize.ParseSource(text)
		if err != nil {
			add("source", text, err.Error())
			continue
		}
		s.host.Sources = append(s.host.Sources, source)
	}
	s.checkURLs(add)
	return wrong.Err()
}

// addMissing adds one line that names every required setting without a value. The exit code is ExitUsage if the
// provider URL is missing, as for every command (docs/interfaces.md).
func (s *serveSettings) addMissing(wrong *invocation.WrongSettings, isSecretMissing bool) {
	var names []string
	code := invocation.ExitConfiguration
	for _, required := range []struct {
		isMissing            bool
		name, flag, variable string
	}{
		{isBlank(s.host.ProviderURL), "provider URL", "provider-url", "PDPP_PROVIDER_URL"},
		{isBlank(s.auth.AuthorizationServer), "authorization server", "authorization-server", "PDPP_AUTHORIZATION_SERVER"},
		{isBlank(s.auth.ClientID), "introspection client id", "introspection-client-id", "PDPP_INTROSPECTION_CLIENT_ID"},
		{isSecretMissing, "introspection secret", secretFlag, introspectionSecretVariable},
	} {
		if required.isMissing {
			names = append(names, fmt.Sprintf("%s (--%s or %s)", required.name, required.flag, required.variable))
			if required.flag == "provider-url" {
				code = invocation.ExitUsage
			}
		}
	}
	if names != nil {
		wrong.Fail(code, "missing settings: "+strings.Join(names, ", "))
	}
}

func isBlank(value string) bool { return strings.TrimSpace(value) == "" }

// secret returns the introspection secret from its file, otherwise from the environment. It may be empty.
func (s *serveSettings) secret() (rs.Secret, error) {
	value := os.Getenv(introspectionSecretVariable)
	if s.secretFile != "" {
		content, err := os.ReadFile(s.secretFile)
		if err != nil {
			return rs.Secret{}, fmt.Errorf("the introspection secret cannot be read: %w; pass a file that holds the secret alone", credential.Cause(err))
		}
		value = string(content)
	}
	return rs.NewSecret(strings.TrimSpace(value)), nil
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

func (s *serveSettings) resourceURL() string { return cmp.Or(s.host.ResourceURL, s.host.ProviderURL) }

// acceptedAudiences returns the accepted token audiences (R-HOST-10): both URLs of the resource server, this server's
// origin and its /mcp, and --audience. Without a public URL, each allowed host is an origin.
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
