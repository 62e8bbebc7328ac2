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
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// NewServeCommand returns the command that serves MCP over HTTP.
func NewServeCommand(log *invocation.Log, version string, tracing invocation.Tracing) *cobra.Command {
	settings, isCheck := &serveSettings{}, false
	var filled error
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over HTTP to remote clients that sign in",
		Example: `  pdpp-mcp serve --provider-url https://pdpp.example --authorization-server https://as.pdpp.example \
    --introspection-client-id pdpp-mcp --introspection-client-secret-file secret
  pdpp-mcp serve --config serve.yaml --check`,
		Args: invocation.NoArguments,
		PersistentPreRunE: func(command *cobra.Command, _ []string) error {
			filled = invocation.Fill(command) // check reports it with the other wrong settings
			return nil
		},
		RunE: func(command *cobra.Command, _ []string) error {
			if err := credential.RefuseOwnerEnvironment(os.Environ()); err != nil {
				return err
			}
			if err := settings.check(filled); err != nil {
				return err
			}
			read := func() (*serveSettings, error) { return readSettings(command) }
			logger := log.Logger()
			tracer, end, err := tracing.Begin(command.Context(), version, logger)
			if err != nil {
				return err
			}
			defer end()
			handlers := &handlerFactory{version: version, tracer: tracer, metrics: prometheus.New(), transport: rs.NewTransport(), logger: logger}
			handlers.metrics.Version(version)
			if isCheck {
				return check(command.Context(), settings, handlers, command.OutOrStdout())
			}
			return serve(command.Context(), settings, read, handlers)
		},
	}
	settings.addFlags(command.Flags())
	command.Flags().BoolVar(&isCheck, "check", false, "try everything that a start tries, change nothing, and exit")
	return command
}

// serve serves until the context is done. Read returns the current settings.
func serve(ctx context.Context, settings *serveSettings, read func() (*serveSettings, error), handlers *handlerFactory) error {
	logger := handlers.logger
	tuneMemory(servedGCPercent)
	listener, err := settings.listenOn(ctx, "listen", settings.listen)
	if err != nil {
		return err
	}
	handlers.address = listener.Addr()
	handler, verifier, err := handlers.handler(settings)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	group, running := errgroup.WithContext(ctx)
	// The metrics stay readable while the server drains.
	scraped, endScraping := context.WithCancel(context.WithoutCancel(ctx))
	if settings.metrics != "" {
		metricsListener, err := settings.listenOn(ctx, "metrics-listen", settings.metrics)
		if err != nil {
			endScraping()
			return errors.Join(err, listener.Close())
		}
		logger.Info("metrics", "address", metricsListener.Addr().String())
		group.Go(func() error { return serveMetrics(scraped, metricsListener, handlers.metrics, logger) })
	}
	go child.Prepare(running)
	go func() { _ = verifier.ReadMetadata(running) }() // for challenges; after a failure, a probe reads it again
	current := host.NewCurrent(handler)
	reloads := &reloader{
		handlers: handlers, read: read, settings: settings, started: settings.flags, replace: current.Replace,
		rotation: invocation.Rotation{Secret: "introspection secret", Logger: logger},
	}
	group.Go(func() error { return reloads.run(running) })
	logger.Info("listening", "address", listener.Addr().String(), "provider", settings.host.ProviderURL)
	group.Go(func() error {
		defer endScraping()
		return host.Serve(running, listener, current, host.ServeOptions{DrainDelay: settings.drainDelay, Logger: logger})
	})
	return group.Wait()
}

// handlerFactory makes handlers. They share everything that does not depend on the settings.
type handlerFactory struct {
	version   string
	tracer    toolcall.Tracer // may be nil
	address   net.Addr        // of the server
	metrics   *prometheus.Metrics
	transport http.RoundTripper // to the resource server
	logger    *slog.Logger
}

// handler returns a handler for the settings, and its verifier.
func (f *handlerFactory) handler(settings *serveSettings) (*host.Handler, *auth.Verifier, error) {
	verified, options := settings.auth, settings.host
	verified.Audiences, verified.Observe = settings.acceptedAudiences(reachableAt(f.address)), f.metrics.Authorization
	verifier, err := auth.NewVerifier(verified)
	if err != nil {
		return nil, nil, settings.named(err)
	}
	options.Version, options.Logger, options.Tracer, options.Transport, options.Recorder = f.version, f.logger, f.tracer, f.transport, f.metrics
	options.Verifier, options.AuthorizationServer, options.ListenAddress = verifier, verified.AuthorizationServer, reachableAt(f.address)
	options.Audit = settings.audit(f.logger, f.metrics.AuditLineLost)
	handler, err := host.NewHandler(gen.Surface(), options)
	return handler, verifier, settings.named(err)
}

// reachableAt returns host and port for a URL: localhost if the address means all interfaces.
func reachableAt(address net.Addr) string {
	listening, err := netip.ParseAddrPort(address.String())
	if err != nil || !listening.Addr().IsUnspecified() {
		return address.String()
	}
	return fmt.Sprintf("localhost:%d", listening.Port())
}

const metricsPath = "/metrics"

func serveMetrics(ctx context.Context, listener net.Listener, metrics http.Handler, logger *slog.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, metrics)
	server := host.NewHTTPServer(mux, logger)
	context.AfterFunc(ctx, func() { _ = server.Close() }) // scrapers retry
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
