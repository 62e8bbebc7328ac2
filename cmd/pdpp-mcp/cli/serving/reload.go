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
)

// lookEvery is how often the secret's file is read. An orchestrator replaces such files by links, which no change of the file
// itself tells.
const lookEvery = 2 * time.Second

// checkWithin bounds the question whether the authorization server takes new settings.
const checkWithin = 10 * time.Second

// reloader puts changed settings into effect while a server runs (R-OPS-3): all of them on SIGHUP, a changed secret by itself.
// New ones must pass the checks of a start, and the authorization server must answer an introspection with them; else those in
// effect stay. No request is refused meanwhile.
type reloader struct {
	makes    *maker
	again    func() (*serveSettings, error)
	settings *serveSettings // in effect
	replace  func(*host.Handler)
	logger   *slog.Logger

	refused string // what was said last about a secret that did not change since
}

// run reloads until the context is done.
func (r *reloader) run(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	looks := time.NewTicker(lookEvery)
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
	if err != nil {
		r.logger.Error("the new settings are refused; those before stay", "error", err)
		return
	}
	if fresh.listen != r.settings.listen || fresh.metricsListen != r.settings.metricsListen || fresh.drainDelay != r.settings.drainDelay {
		r.logger.Warn("--listen, --metrics-listen and --drain-delay change with a restart only")
	}
	r.settings, r.refused = fresh, ""
	r.logger.Info("the settings were read again")
}

// look puts a changed secret into effect. What is wrong with one is said once.
func (r *reloader) look(ctx context.Context) {
	if r.settings.introspectionSecretFile == "" {
		return
	}
	fresh := *r.settings
	var err error
	if fresh.introspectionSecret, err = fresh.secret(); err == nil {
		if fresh.introspectionSecret.Reveal() == r.settings.introspectionSecret.Reveal() {
			r.refused = ""
			return
		}
		err = r.use(ctx, &fresh)
	}
	if err != nil {
		if r.refused != err.Error() {
			r.refused = err.Error()
			r.logger.Error("the new introspection secret is refused; the one before stays", "file", fresh.introspectionSecretFile, "error", err)
		}
		return
	}
	r.settings, r.refused = &fresh, ""
	r.logger.Info("the introspection secret was read again", "file", fresh.introspectionSecretFile)
}

// use lets a handler with new settings answer from now on, unless the authorization server does not answer it.
func (r *reloader) use(ctx context.Context, fresh *serveSettings) error {
	made, err := r.makes.handler(fresh)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
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
