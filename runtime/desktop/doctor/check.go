// Package doctor finds what prevents the adapter from reading a provider, and says how to fix it. The doctor command
// prints its findings. It changes nothing, and sends the scoped token to the provider only.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// State is the outcome of a check.
type State string

// The states.
const (
	OK      State = "ok"
	Failed  State = "failed"
	Skipped State = "skipped" // a check that it needs failed
	Note    State = "note"    // useful to know, nothing to fix
)

// Finding is the outcome of a check with its explanation. It never contains a token. Scripts read the members.
type Finding struct {
	State  State            `json:"state"`
	Detail string           `json:"detail"`           // one line; the provider may have written parts of it
	Fix    string           `json:"mend,omitempty"`   // vale off: scripts read this member: a command that fixes a failure or follows a note
	Advice string           `json:"advice,omitempty"` // what to do about a failure that no command fixes
	Class  credential.Class `json:"-"`                // of a failure; determines the exit code
}

// Result is a check with its finding.
type Result struct {
	Provider string `json:"provider_url,omitempty"` // its normalized URL; empty for this machine and for an unusable URL
	ID       string `json:"id"`
	Title    string `json:"-"` // for people
	Finding
}

type check struct {
	id    string
	title string
	needs []string // titles
	ask   func(ctx context.Context) Finding
}

// run answers the checks in order and reports each result. A check is skipped if one that it needs has failed. The
// deadline limits each check.
func run(ctx context.Context, checks []check, deadline time.Duration, report func(Result)) {
	var failedTitles []string // of the failed and skipped checks
	for _, each := range checks {
		result := Result{ID: each.id, Title: each.title}
		if i := slices.IndexFunc(each.needs, func(title string) bool { return slices.Contains(failedTitles, title) }); i >= 0 {
			result.Finding = Finding{State: Skipped, Detail: "needs " + each.needs[i]}
		} else {
			limited, cancel := context.WithTimeout(ctx, deadline)
			result.Finding = each.ask(limited)
			cancel()
		}
		if result.State == Failed || result.State == Skipped {
			failedTitles = append(failedTitles, each.title)
		}
		report(result)
	}
}

func ok(format string, values ...any) Finding {
	return Finding{State: OK, Detail: fmt.Sprintf(format, values...)}
}

func note(fix, format string, values ...any) Finding {
	return Finding{State: Note, Detail: fmt.Sprintf(format, values...), Fix: fix}
}

func failed(class credential.Class, fix, format string, values ...any) Finding {
	return Finding{State: Failed, Detail: fmt.Sprintf(format, values...), Fix: fix, Class: class}
}

// unreachable returns a failure that only the provider or the network can fix.
func unreachable(format string, values ...any) Finding {
	found := failed(credential.Unreachable, "", format, values...)
	found.Advice = "check that the provider is running and that this machine can reach it, then run doctor again"
	return found
}

const noAnswer = "no answer in time"

// fromError returns the finding for an error. It uses fix if the error has no command.
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
		found.Advice = "run doctor again; if it fails again, ask the provider's operator"
		if isOurs {
			found.Advice = cmp.Or(unusable.NextStep, found.Advice)
		}
	}
	return found
}

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

// connectionProblem returns a short reason why there was no response.
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

func (e *examination) connectCommand() string {
	return commandline.Connect(e.provider, e.options.Cache.NamedRoot())
}

func (o *Options) doctorCommand(provider string) string {
	return commandline.Read("doctor", provider, o.Cache.NamedRoot())
}
