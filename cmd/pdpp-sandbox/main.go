// Command pdpp-sandbox is a complete PDPP provider on one machine, for trying and testing: an authorization server and
// a resource server with invented data, and the hosted adapter at /mcp, all on one origin. At start it writes a scoped
// credential to the cache, so that pdpp-mcp finds it.
//
// With --data-dir changes of records outlive a restart. Tokens are new at every start, and revoked grants are active
// again.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// Exit codes, the same as those of pdpp-mcp.
const (
	exitOK       = 0
	exitUsage    = 64
	exitInternal = 70
	exitConfig   = 78
)

// shutdownGrace is the time for open requests after a signal to stop.
const shutdownGrace = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program until ctx ends and returns the exit code.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	settings, err := parseSettings(arguments, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "pdpp-sandbox: %v\n", err)
		return exitUsage
	}
	if err := serve(ctx, settings, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "pdpp-sandbox: %v\n", err)
		var unusable *unusableError
		if errors.As(err, &unusable) {
			return exitConfig
		}
		return exitInternal
	}
	return exitOK
}

// unusableError reports that a flag's value cannot be used on this machine.
type unusableError struct {
	flag string
	err  error
}

func (e *unusableError) Error() string { return fmt.Sprintf("--%s cannot be used: %v", e.flag, e.err) }
func (e *unusableError) Unwrap() error { return e.err }

// serve runs the sandbox until ctx ends. The ready line is printed when requests are answered.
func serve(ctx context.Context, settings settings, stdout, stderr io.Writer) (err error) {
	listener, err := listen(ctx, settings, stderr)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the server has usually closed it before
	options := sandbox.Options{
		PublicURL: cmp.Or(settings.publicURL, "http://"+listener.Addr().String()),
		DataDir:   settings.dataDir,
		Seed:      settings.seed,
		Reads:     settings.reads,
		Coming:    settings.coming,
		Quirks:    settings.quirks,

		Authorization: []authorization.Option{
			authorization.WithMembers(settings.members), authorization.WithDocuments(settings.documents),
			authorization.WithAdapters(settings.adapters...), authorization.WithStrictRegistration(settings.strict),
		},
	}
	if settings.person != 0 {
		data := sample.Person(settings.person)
		options.Data = &data
	}
	box, err := sandbox.New(ctx, options)
	if err != nil {
		return &unusableError{"data-dir", err}
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	credential, err := writeCredentials(settings.cacheRoot, box, settings.grants, time.Now())
	if err != nil {
		return &unusableError{"cache-root", err}
	}

	origin, err := newOrigin(box)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: origin, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if err := announce(stdout, settings, box, credential); err != nil {
		return errors.Join(err, server.Close())
	}
	if settings.demo != "" {
		if err := demonstrate(ctx, stdout, stderr, settings.demo, box.PublicURL(), settings.cacheRoot); err != nil {
			return errors.Join(err, server.Close())
		}
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return shutDown(server)
	}
}

// listen listens on the address. If the default port is taken, a demonstration listens on a free one, since the lines
// that it prints to paste have the address.
func listen(ctx context.Context, settings settings, stderr io.Writer) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", settings.listen)
	if err != nil && settings.demo != "" && settings.listen == defaultListen {
		fmt.Fprintf(stderr, "%s is not available (%v); listening on a free port\n", defaultListen, err)
		listener, err = config.Listen(ctx, "tcp", anyPort)
	}
	if err != nil {
		return nil, &unusableError{"listen", fmt.Errorf("%w; --listen %s takes a free port", err, anyPort)}
	}
	return listener, nil
}

// shutDown waits for open requests, and then closes their connections.
func shutDown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
