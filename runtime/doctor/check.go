// Package doctor finds what prevents the adapter from reading a provider, and says how to fix it. The doctor command prints its
// findings. It changes nothing, and sends the scoped token to the provider only.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
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

// Finding is the outcome of a check with its explanation. It never contains a token.
type Finding struct {
	State  State
	Detail string           // one line; the provider may have written parts of it
	Fix    string           // a command that fixes a failure, or that suits a note; may be empty
	Advice string           // what to do about a failure that no command fixes
	Class  credential.Class // of a failure; determines the exit code
}

// Result is a check with its finding. Scripts rely on the ids.
type Result struct {
	Provider string // its normalized URL; empty for this machine and for an unusable URL
	ID       string
	Title    string // for people
	Finding
}

// check is one question. The checks that it needs come before it in the list.
type check struct {
	id    string
	title string
	needs []string // ids
	ask   func(ctx context.Context) Finding
}

// run answers the checks in order and reports each result. A check is skipped if one that it needs has failed. The deadline limits
// each check.
func run(ctx context.Context, checks []check, deadline time.Duration, report func(Result)) {
	failedTitles := map[string]string{} // of the failed and skipped checks, by id
	for _, each := range checks {
		result := Result{ID: each.id, Title: each.title}
		for _, need := range each.needs {
			if title, isFailed := failedTitles[need]; isFailed {
				result.Finding = Finding{State: Skipped, Detail: "needs " + title}
				break
			}
		}
		if result.State == "" {
			limited, cancel := context.WithTimeout(ctx, deadline)
			result.Finding = each.ask(limited)
			cancel()
		}
		if result.State == Failed || result.State == Skipped {
			failedTitles[each.id] = each.title
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

// unreachable is a failure that only the provider or the network can fix.
func unreachable(format string, values ...any) Finding {
	found := failed(credential.Unreachable, "", format, values...)
	found.Advice = "check that the provider is running and that this machine can reach it, then run doctor again"
	return found
}
