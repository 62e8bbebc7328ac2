package browsertest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Bounds of waiting. What is waited for comes in a moment, unless the machine does other work at the same time.
const (
	tabWithin     = time.Minute      // all that one test does in one tab
	becomesWithin = 20 * time.Second // one change of a page
)

// Tab is one page in a browser. It closes with the test that opened it.
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

// Do takes steps, one after the other.
func (t Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.Ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Evaluate runs an expression in the page and waits when it gives a promise.
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

// Problems are the errors and warnings that a page caused in the console, among them each violation of
// its policy. It subscribes when it is called; the function that it returns gives what came since.
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
