package doctor

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// noAnswer is the detail of a timeout.
const noAnswer = "no answer in time"

// fromError returns the finding for an error. The fix is used if the error has no command.
func fromError(err error, fix string) Finding {
	unusable, isOurs := errors.AsType[*credential.Error](err)
	found := failed(credential.Internal, fix, "%v", err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return unreachable(noAnswer)
	case isOurs:
		found = failed(unusable.Class, cmp.Or(unusable.Command, fix), "%s", unusable.Message)
	}
	if found.Fix == "" {
		found.Advice = "run doctor again; if this remains, ask who runs the provider"
		if isOurs {
			found.Advice = cmp.Or(unusable.NextStep, found.Advice)
		}
	}
	return found
}

// fromAnswer returns the finding for a failed read of the resource server.
func (e *examination) fromAnswer(err error) Finding {
	refused, isRefused := errors.AsType[*rs.Error](err)
	failure, isFailure := errors.AsType[*rs.Failure](err)
	switch {
	case isRefused && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden):
		return failed(credential.Configuration, e.connectCommand(), "the provider refuses the token: %d %s", refused.Status, refused.Code)
	case isRefused:
		return unreachable("the provider answered %d %s: %s", refused.Status, refused.Code, refused.Message)
	case isFailure && failure.Reason == rs.Timeout:
		return unreachable(noAnswer)
	case isFailure:
		return unreachable("%s", failure.Text())
	}
	return fromError(err, "")
}

// connectionProblem explains in a few words why there was no answer.
func connectionProblem(err error) string {
	var name *net.DNSError
	var timeout net.Error
	var system *os.SyscallError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return noAnswer
	case errors.As(err, &name):
		return "unknown host name " + name.Name
	case errors.As(err, &system):
		return system.Err.Error()
	}
	return err.Error()
}

func (o *Options) cache() *credential.Cache {
	return &credential.Cache{Root: o.CacheRoot, KeepModes: true}
}

// namedRoot is the cache root for a command line, as credential.Cache.NamedRoot returns it.
func (o *Options) namedRoot() string {
	if o.CacheRoot == "" { // the token was passed
		return ""
	}
	return o.cache().NamedRoot()
}

func (e *examination) connectCommand() string {
	return commandline.Connect(e.provider, e.options.namedRoot())
}

func (o *Options) doctorCommand(provider string) string {
	return commandline.Read("doctor", provider, o.namedRoot())
}
