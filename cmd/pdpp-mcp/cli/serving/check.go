package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// check reports whether a server with the settings could work: it asks both other servers, and listens on nothing. The error has the exit
// code of the first problem.
func check(ctx context.Context, settings *serveSettings, handlers *handlerFactory, out io.Writer) error {
	handlers.address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	made, err := handlers.handler(settings)
	if err != nil {
		return err
	}
	failedAS, failedRS := made.handler.Check(ctx)
	_, err = fmt.Fprintln(out, "ok      settings")
	return errors.Join(err,
		report(out, "authorization server "+settings.authorizationServer, "check --authorization-server and the introspection client", failedAS),
		report(out, "resource server "+settings.resourceURL(), "check --provider-url and --rs-url", failedRS))
}

func report(out io.Writer, name, nextStep string, failed error) error {
	if failed == nil {
		_, err := fmt.Fprintln(out, "ok      "+name)
		return err
	}
	_, _ = fmt.Fprintln(out, "failed  "+name)
	return &credential.Error{Class: credential.Unreachable, Message: name + ": " + cmp.Or(errors.Unwrap(failed), failed).Error(), NextStep: nextStep, Cause: failed}
}
