package serving

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
)

// reloader applies changed settings while a server runs (R-OPS-3): all of them on SIGHUP, and the secret when its file
// changes. New settings apply only if they are valid and an introspection with them succeeds. No request is refused
// during the change.
type reloader struct {
	handlers *handlerFactory
	read     func() (*serveSettings, error)
	settings *serveSettings // current
	started  *pflag.FlagSet // of the start
	replace  func(*host.Handler)
	rotation invocation.Rotation // of the secret
}

func (r *reloader) run(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	ticks := time.NewTicker(invocation.CheckInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hangups:
			r.reload(ctx)
		case <-ticks.C:
			r.checkSecret(ctx)
		}
	}
}

func (r *reloader) reload(ctx context.Context) {
	fresh, err := r.read()
	if err == nil {
		err = r.use(ctx, fresh)
	}
	r.handlers.metrics.Refused(prometheus.ChangedSettings, err != nil)
	if err != nil {
		r.handlers.logger.Error("invalid settings; the server keeps the old ones", "error", err)
		return
	}
	r.logChanges(fresh)
	r.settings = fresh
}

var restartOnly = []string{"drain-delay", "listen", "log-format", "log-level", "metrics-listen"}

// logChanges logs which settings have changed. A change that needs a restart is logged at every reload until the
// restart.
func (r *reloader) logChanges(fresh *serveSettings) {
	var changed, restart []string
	fresh.flags.VisitAll(func(flag *pflag.Flag) {
		value := flag.Value.String()
		switch {
		case !slices.Contains(restartOnly, flag.Name):
			if value != r.settings.flags.Lookup(flag.Name).Value.String() {
				changed = append(changed, flag.Name)
			}
		case value != r.started.Lookup(flag.Name).Value.String():
			restart = append(restart, flag.Name)
		}
	})
	if fresh.auth.ClientSecret.Reveal() != r.settings.auth.ClientSecret.Reveal() {
		changed = append(changed, "the introspection secret")
	}
	r.handlers.logger.Info("settings reloaded", "changed", cmp.Or(strings.Join(changed, ", "), "nothing"))
	if restart != nil {
		r.handlers.logger.Warn("these settings take effect after a restart", "settings", strings.Join(restart, ", "))
	}
}

func (r *reloader) checkSecret(ctx context.Context) {
	if r.settings.secretFile == "" {
		return
	}
	r.rotation.Check(r.settings.secretFile, r.settings.auth.ClientSecret, r.settings.secret, func(secret rs.Secret) error {
		fresh := *r.settings
		fresh.auth.ClientSecret = secret
		err := r.use(ctx, &fresh)
		if err == nil {
			r.settings = &fresh
		}
		return err
	})
	r.handlers.metrics.Refused(prometheus.ChangedSecret, r.rotation.IsRefused())
}

// use replaces the handler, if an introspection with the new settings succeeds.
func (r *reloader) use(ctx context.Context, fresh *serveSettings) error {
	handler, verifier, err := r.handlers.handler(fresh)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, invocation.CheckTimeout)
	defer cancel()
	if err := verifier.Check(ctx); err != nil {
		return fmt.Errorf("introspection with --introspection-client-id %s failed: %w", fresh.auth.ClientID, err)
	}
	r.replace(handler)
	return nil
}

// readSettings returns the current settings, checked as at a start.
func readSettings(command *cobra.Command) (*serveSettings, error) {
	settings, flags := &serveSettings{}, pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.addFlags(flags)
	invocation.NewLog(io.Discard, flags) // its flags are compared only
	return settings, settings.check(invocation.Refill(flags, command))
}
