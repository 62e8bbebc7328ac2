package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/host/prometheus"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// NewServeCommand makes the command that serves MCP over HTTP.
func NewServeCommand(log *invocation.Log, version string) *cobra.Command {
	settings := &serveSettings{}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over HTTP to remote clients that sign in",
		Args:  invocation.NoArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
				return err
			}
			if err := settings.check(); err != nil {
				return err
			}
			return serve(command.Context(), settings, version, log.Logger())
		},
	}
	settings.addFlags(command.Flags())
	return command
}

func serve(ctx context.Context, settings *serveSettings, version string, logger *slog.Logger) error {
	raiseGCPercent(servedGCPercent)
	listener, err := listen(ctx, "listen", settings.listen)
	if err != nil {
		return err
	}
	counted := prometheus.New()
	handler, err := newHostedHandler(settings, version, listener.Addr(), counted, logger)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	group, running := errgroup.WithContext(ctx)
	// The metrics stay readable while the server drains.
	scraped, endScraping := context.WithCancel(context.WithoutCancel(ctx))
	if settings.metricsListen != "" {
		metricsListener, err := listen(ctx, "metrics-listen", settings.metricsListen)
		if err != nil {
			endScraping()
			return errors.Join(err, listener.Close())
		}
		logger.Info("metrics", "address", metricsListener.Addr().String())
		group.Go(func() error { return serveMetrics(scraped, metricsListener, counted, logger) })
	}
	logger.Info("listening", "address", listener.Addr().String(), "provider", settings.providerURL)
	group.Go(func() error {
		defer endScraping()
		return host.Serve(running, listener, handler, host.ServeOptions{DrainDelay: settings.drainDelay, Logger: logger})
	})
	return group.Wait()
}

// newHostedHandler makes the handler of a hosted server from its settings.
func newHostedHandler(settings *serveSettings, version string, address net.Addr, counted *prometheus.Metrics, logger *slog.Logger) (*host.Handler, error) {
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: settings.authorizationServer,
		IntrospectionURL:    settings.introspectionURL,
		ClientID:            settings.introspectionClientID,
		ClientSecret:        settings.introspectionSecret,
		Audiences:           settings.acceptedAudiences(reachableAt(address)),
		Observe:             counted.Authorization,
	})
	if err != nil {
		return nil, err
	}
	return host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options:             host.Options{Name: settings.serverName, Version: version, Logger: logger, ReadOn: settings.readOn, Audit: settings.audit(logger)},
		Verifier:            verifier,
		AuthorizationServer: settings.authorizationServer,
		ProviderURL:         settings.providerURL,
		ResourceURL:         settings.resourceURL(),
		PublicURL:           settings.publicURL,
		ListenAddress:       reachableAt(address),
		TrustedProxies:      settings.proxies,
		AllowedHosts:        settings.allowedHosts,
		Transport:           rs.NewTransport(),
		RSTimeout:           settings.rsTimeout,
		Limits:              settings.limits,
		Recorder:            counted,
	})
}

// reachableAt returns the host and port for a URL: localhost for an address that means all interfaces.
func reachableAt(address net.Addr) string {
	listening, err := netip.ParseAddrPort(address.String())
	if err != nil || !listening.Addr().IsUnspecified() {
		return address.String()
	}
	return fmt.Sprintf("localhost:%d", listening.Port())
}

// listen listens on an address. Its error names the flag.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, credential.Misconfigured(
			fmt.Sprintf("--%s %s cannot be listened on: %v", flag, address, err),
			"pass another address, such as 127.0.0.1:8788", err)
	}
	return listener, nil
}

const metricsPath = "/metrics"

// serveMetrics serves the metrics on their own address until the context is done.
func serveMetrics(ctx context.Context, listener net.Listener, counted http.Handler, logger *slog.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, counted)
	server := host.NewHTTPServer(mux, logger)
	context.AfterFunc(ctx, func() { _ = server.Close() }) // scrapers retry
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
