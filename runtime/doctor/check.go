// Package doctor finds out what keeps the adapter from reading a provider, and says what to do about it. It
// only looks: nothing is written, and the scoped token is sent to the provider and nowhere else.
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
	Skipped State = "skipped" // it needs a check that failed
	Note    State = "note"    // worth knowing, and nothing that has to be mended
)

// Finding is what a check found. It never holds a token.
type Finding struct {
	State  State
	Detail string           // what was found, in one line; parts of it may come from the provider
	Mend   string           // a command that fixes a failure, or that suits a note; may be empty
	Advice string           // what to do about a failure that no command fixes
	Class  credential.Class // of a failure; commands turn it into an exit code
}

// Result is a check and what it found. The ids are stable, for scripts, and each is there once for a provider.
type Result struct {
	Provider string // that was examined, in one spelling; empty for what is of the machine, and of a URL that cannot be used
	ID       string
	Title    string // for people
	Finding
}

// check is one question. The checks that it needs come before it in the list.
type check struct {
	id    string
	title string
	needs []string
	ask   func(ctx context.Context) Finding
}

// run answers the checks, those that do not need each other at the same time, and reports the results in the
// order of the list, each as soon as it and all before it are known. Each check has the time of deadline.
func run(ctx context.Context, checks []check, deadline time.Duration, report func(Result)) {
	answers := make([]answer, len(checks))
	named := make(map[string]*answer, len(checks)) // several checks that nobody needs may have one id
	for i, each := range checks {
		answers[i].known, answers[i].title = make(chan struct{}), each.title
		named[each.id] = &answers[i]
	}
	for i, each := range checks {
		go func() {
			defer close(answers[i].known)
			answers[i].finding = settle(ctx, each, named, deadline)
		}()
	}
	for i, each := range checks {
		<-answers[i].known
		report(Result{ID: each.id, Title: each.title, Finding: answers[i].finding})
	}
}

type answer struct {
	title   string
	known   chan struct{} // closed when finding is set
	finding Finding
}

// settle waits for what the check needs and then asks.
func settle(ctx context.Context, asked check, answers map[string]*answer, deadline time.Duration) Finding {
	for _, need := range asked.needs {
		<-answers[need].known
		if state := answers[need].finding.State; state == Failed || state == Skipped {
			return Finding{State: Skipped, Detail: "needs " + answers[need].title}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return asked.ask(ctx)
}

func ok(format string, values ...any) Finding {
	return Finding{State: OK, Detail: fmt.Sprintf(format, values...)}
}

func note(mend, format string, values ...any) Finding {
	return Finding{State: Note, Detail: fmt.Sprintf(format, values...), Mend: mend}
}

func failed(class credential.Class, mend, format string, values ...any) Finding {
	return Finding{State: Failed, Detail: fmt.Sprintf(format, values...), Mend: mend, Class: class}
}

// unreachable is a failure that only the provider or the network can fix.
func unreachable(format string, values ...any) Finding {
	found := failed(credential.Unreachable, "", format, values...)
	found.Advice = "check that the provider is running and that this machine can reach it, then run doctor again"
	return found
}
