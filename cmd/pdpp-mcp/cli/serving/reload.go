package serving

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/host/prometheus"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// reloader puts changed settings into effect while a server runs (R-OPS-3): all of them on SIGHUP, a changed secret by itself.
// New ones must pass the checks of a start, and the authorization server must answer an introspection with them; else those in
// effect stay. No request is refused meanwhile.
type reloader struct {
	makes    *maker
	again    func() (*serveSettings, error)
	settings *serveSettings // in effect
	replace  func(*host.Handler)
	logger   *slog.Logger
	rotation invocation.Rotation // of the secret
}

// run reloads until the context is done.
func (r *reloader) run(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	looks := time.NewTicker(invocation.LookEvery)
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hangups:
			r.reload(ctx)
		case <-looks.C:
			r.look(ctx)
		}
	}
}

// reload puts all settings into effect as they are now.
func (r *reloader) reload(ctx context.Context) {
	fresh, err := r.again()
	if err == nil {
		err = r.use(ctx, fresh)
	}
	r.makes.counted.Refused(prometheus.ChangedSettings, err != nil)
	if err != nil {
		r.logger.Error("the new settings are refused; those before stay", "error", err)
		return
	}
	if fresh.listen != r.settings.listen || fresh.metricsListen != r.settings.metricsListen || fresh.drainDelay != r.settings.drainDelay {
		r.logger.Warn("--listen, --metrics-listen and --drain-delay change with a restart only")
	}
	r.settings = fresh
	r.logger.Info("the settings were read again")
}

// look puts a changed secret into effect.
func (r *reloader) look(ctx context.Context) {
	if r.settings.introspectionSecretFile == "" {
		return
	}
	r.rotation.Look(r.settings.introspectionSecretFile, r.settings.introspectionSecret, r.settings.secret, func(secret rs.Secret) error {
		fresh := *r.settings
		fresh.introspectionSecret = secret
		err := r.use(ctx, &fresh)
		if err == nil {
			r.settings = &fresh
		}
		return err
	})
	r.makes.counted.Refused(prometheus.ChangedSecret, r.rotation.IsRefused())
}

// use lets a handler with new settings answer from now on, unless the authorization server does not answer it.
func (r *reloader) use(ctx context.Context, fresh *serveSettings) error {
	made, err := r.makes.handler(fresh)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, invocation.CheckWithin)
	defer cancel()
	if err := made.verifier.Check(ctx); err != nil {
		return fmt.Errorf("an introspection with --introspection-client-id %s and its secret fails: %w", fresh.introspectionClientID, err)
	}
	r.replace(made.handler)
	return nil
}

// settingsAgain are the settings as they are now, checked as at a start.
func settingsAgain(command *cobra.Command) (*serveSettings, error) {
	settings, flags := &serveSettings{}, pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.addFlags(flags)
	if err := invocation.Again(flags, command); err != nil {
		return nil, err
	}
	return settings, settings.check()
}
