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

// fromError is the failure of an error of this project. The step is taken when the error knows no command.
func fromError(err error, step string) Finding {
	unusable, isOurs := errors.AsType[*credential.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return failed(credential.Unreachable, step, noAnswer)
	case isOurs:
		return failed(unusable.Class, cmp.Or(unusable.Command, step), "%s", unusable.Message)
	}
	return failed(credential.Internal, step, "%v", err)
}

// fromAnswer is the failure of a read of the resource server.
func (e *examination) fromAnswer(err error) Finding {
	refused, isRefused := errors.AsType[*rs.Error](err)
	failure, isFailure := errors.AsType[*rs.Failure](err)
	switch {
	case isRefused && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden):
		return failed(credential.Configuration, e.connectCommand(), "the provider refuses the token: %d %s", refused.Status, refused.Code)
	case isRefused:
		return failed(credential.Unreachable, e.again(), "the provider answered %d %s: %s", refused.Status, refused.Code, refused.Message)
	case isFailure && failure.Reason == rs.Timeout:
		return failed(credential.Unreachable, e.again(), noAnswer)
	case isFailure:
		return failed(credential.Unreachable, e.again(), "%s", failure.Text())
	}
	return fromError(err, e.again())
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

func curl(address string) string { return "curl -s " + commandline.Word(address) }

func (e *examination) connectCommand() string {
	return commandline.Connect(e.provider, e.options.namedRoot())
}

// again is for what only the provider, the network or time can mend.
func (e *examination) again() string { return e.options.doctorCommand(e.provider) }

func (o *Options) doctorCommand(provider string) string {
	return commandline.Read("doctor", provider, o.namedRoot())
}
