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

// noAnswer is what is found where a server was waited for in vain.
const noAnswer = "there was no answer in time"

// fromError is the failure of an error of this project. The step is a command for an error that has none; it may be empty.
func fromError(err error, step string) Finding {
	unusable, isOurs := errors.AsType[*credential.Error](err)
	found := failed(credential.Internal, step, "%v", err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return unreachable(noAnswer)
	case isOurs:
		found = failed(unusable.Class, cmp.Or(unusable.Command, step), "%s", unusable.Message)
	}
	if found.Mend == "" {
		found.Advice = "run doctor again; if this remains, ask who runs the provider"
		if isOurs {
			found.Advice = cmp.Or(unusable.NextStep, found.Advice)
		}
	}
	return found
}

// fromAnswer is the failure of a read of the resource server.
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

// unanswered says in a few words why there was no answer.
func unanswered(err error) string {
	var name *net.DNSError
	var timeout net.Error
	var system *os.SyscallError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return noAnswer
	case errors.As(err, &name):
		return "the host name " + name.Name + " is not known"
	case errors.As(err, &system):
		return system.Err.Error()
	}
	return err.Error()
}

// namedRoot is the cache root as the commands that mend something have to name it.
func (o *Options) namedRoot() string {
	if o.CacheRoot == "" { // the token was passed
		return ""
	}
	return (&credential.Cache{Root: o.CacheRoot}).NamedRoot()
}

func (e *examination) connectCommand() string {
	return commandline.Connect(e.provider, e.options.namedRoot())
}

func (o *Options) doctorCommand(provider string) string {
	return commandline.Read("doctor", provider, o.namedRoot())
}
