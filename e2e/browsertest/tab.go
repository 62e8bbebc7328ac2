package browsertest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Bounds of waiting, generous for a busy machine.
const (
	tabWithin     = time.Minute      // all that one test does in one tab
	becomesWithin = 20 * time.Second // one change of a page
)

// Tab is one page in a browser. It closes when the test that opened it ends.
type Tab struct {
	*testing.T
	Ctx context.Context // for steps that Tab has no method for; it ends after a minute
}

// Tab opens an empty page.
func (b Browser) Tab(t *testing.T) Tab {
	t.Helper()
	opened, closeTab := chromedp.NewContext(b.ctx)
	t.Cleanup(closeTab)
	if err := chromedp.Do(opened); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(opened, tabWithin)
	t.Cleanup(cancel)
	return Tab{t, limited}
}

// Do runs actions in order.
func (t Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.Ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Evaluate runs an expression in the page, and waits for its promise if it returns one.
func Evaluate[T any](t Tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(t.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Becomes waits until an expression has a value.
func (t Tab) Becomes(expression, want string) {
	t.Helper()
	holds := chromedp.Poll[bool](expression+" === "+strconv.Quote(want), chromedp.WithPollingTimeout(becomesWithin))
	if _, err := chromedp.Run(t.Ctx, holds); err != nil {
		t.Fatalf("%s is %q, want %q (%v)", expression, Evaluate[string](t, expression), want, err)
	}
}

// Problems subscribes to the errors and warnings in the page's console, among them each violation of its policy.
// The returned function returns those since the call of Problems.
func (t Tab) Problems() func() []string {
	const mark = "everything before this line was seen"
	messages := chromedp.Console(t.Ctx)
	return func() []string {
		t.Helper()
		Evaluate[chromedp.Void](t, `console.info("`+mark+`")`)
		var seen []string
		for message, err := range messages {
			if err != nil {
				t.Fatal(err)
			}
			if message.Text == mark {
				break
			}
			if message.IsException() || message.Type == "error" || message.Type == "warning" {
				seen = append(seen, message.Text)
			}
		}
		return seen
	}
}
