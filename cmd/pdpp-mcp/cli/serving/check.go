package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// check tries everything that a start tries, and changes nothing: both addresses, the audit file and both other
// servers. The error has the exit code of the first problem.
func check(ctx context.Context, settings *serveSettings, handlers *handlerFactory, out io.Writer) error {
	wrong := &invocation.WrongSettings{}
	add := func(flag, value, fix string) { wrong.Add(settings.flags, flag, value, fix) }
	settings.checkAddresses(ctx, out, add)
	settings.checkAudit(add)
	if err := wrong.Err(); err != nil {
		return err
	}
	handlers.address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	dry := *settings
	dry.auditFile = "" // a handler would create it
	handler, _, err := handlers.handler(&dry)
	if err != nil {
		return err
	}
	errAS, errRS := handler.Check(ctx)
	_, err = fmt.Fprintln(out, "ok      settings")
	return errors.Join(err,
		report(out, "authorization server "+settings.auth.AuthorizationServer, "check --authorization-server and the introspection client", errAS),
		report(out, "resource server "+settings.resourceURL(), "check --provider-url and --rs-url", errRS))
}

// checkAddresses listens on the addresses for a moment. An address in use is not an error, because a running server is
// checked before a reload.
func (s *serveSettings) checkAddresses(ctx context.Context, out io.Writer, add func(flag, value, fix string)) {
	for _, each := range []struct{ flag, address string }{{"listen", s.listen}, {"metrics-listen", s.metrics}} {
		if each.address == "" {
			continue
		}
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp", each.address)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			_, _ = fmt.Fprintf(out, "note    --%s %s is in use, as it is while this server runs\n", each.flag, each.address)
		case err != nil:
			add(each.flag, each.address, cannotListen(each.address, err))
		default:
			defer listener.Close() // after both were tried, so that they cannot be the same
		}
	}
}

// checkAudit checks that the audit file can be written. It creates nothing.
func (s *serveSettings) checkAudit(add func(flag, value, fix string)) {
	if s.auditFile == "" || s.auditFile == "-" {
		return
	}
	if err := audit.CheckFile(s.auditFile); err != nil {
		add("audit-file", s.auditFile, fmt.Sprintf("it cannot be written: %v; pass a file in a folder that this user can write to", credential.Cause(err)))
	}
}

func report(out io.Writer, name, nextStep string, failed error) error {
	if failed == nil {
		_, err := fmt.Fprintln(out, "ok      "+name)
		return err
	}
	_, _ = fmt.Fprintln(out, "failed  "+name)
	class := credential.Unreachable
	if errors.Is(failed, auth.ErrIntrospectionClient) {
		class = credential.Configuration
	}
	return &credential.Error{Class: class, Message: name + ": " + cmp.Or(errors.Unwrap(failed), failed).Error(), NextStep: nextStep, Cause: failed}
}

// listenOn listens on the address of a flag.
func (s *serveSettings) listenOn(ctx context.Context, flag, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		wrong := &invocation.WrongSettings{}
		wrong.Add(s.flags, flag, address, cannotListen(address, err))
		return nil, wrong
	}
	return listener, nil
}

func cannotListen(address string, err error) string {
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = failed.Err
	}
	return fmt.Sprintf("cannot listen on it: %v; pass another address, such as %s", err, nextAddress(address))
}

// nextAddress returns an address with the port after the one that cannot be used.
func nextAddress(address string) string {
	name, port, err := net.SplitHostPort(address)
	number, numberErr := strconv.Atoi(port)
	if err != nil || numberErr != nil || number < 1 || number > 65534 {
		return "127.0.0.1:8789"
	}
	return net.JoinHostPort(name, strconv.Itoa(number+1))
}

// overlap reports whether two addresses cannot be listened on at once.
func overlap(a, b string) bool {
	first, err := net.ResolveTCPAddr("tcp", a)
	if err != nil {
		return false
	}
	second, err := net.ResolveTCPAddr("tcp", b)
	return err == nil && first.Port == second.Port && first.Port != 0 &&
		(first.IP.Equal(second.IP) || first.IP.IsUnspecified() || second.IP.IsUnspecified() || first.IP == nil || second.IP == nil)
}
