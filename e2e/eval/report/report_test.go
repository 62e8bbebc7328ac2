package report_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/report"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// hostile is an answer that would be markup.
const hostile = `<script>alert(1)</script>`

// played returns two attempts at each of ten questions on both channels. The first is right for `right` questions on
// the text channel, the second for two fewer.
func played(name string, right, tokens int) report.Run {
	r := report.Run{Manifest: run.Manifest{Candidate: name, Server: "server {url}"}, Name: name}
	for number := range 2 {
		for _, channel := range []string{"text", "structured"} {
			for i := range 10 {
				attempt := transcript.Attempt{
					Key:  transcript.Key{Question: fmt.Sprint("q", i), Seed: 7, Channel: channel, Number: number + 1},
					Tags: []string{"search"}, Prompt: "How many?", Truth: []string{"3"}, Text: hostile, Verdict: "wrong", Millis: 1500,
					Calls: []transcript.Call{{Tokens: tokens}, {Tokens: tokens}}, Usage: transcript.Usage{Dollars: 0.01},
				}
				switch {
				case i == 9:
					attempt.Verdict = "none"
				case channel == "structured" || i < right-2*number:
					attempt.Verdict = "right"
				}
				if i == 0 {
					attempt.Tags, attempt.Reaction = []string{"injection"}, []string{"obeyed", "mentioned"}[number]
				}
				r.Attempts = append(r.Attempts, attempt)
			}
		}
	}
	failed := transcript.Attempt{
		Key: transcript.Key{Question: "q1", Seed: 7, Channel: "text", Number: 3}, Failure: "503",
		Tags: []string{"search"},
	}
	r.Attempts = append(r.Attempts, failed)
	return r
}

// R-EVAL-3: the report has, per channel and tag, pass@1, pass^k, calls, tokens and confident errors, and the difference
// of two runs.
func TestRatesOfTheReport(t *testing.T) {
	made, err := report.New(played("new", 8, 100), played("old", 6, 300))
	if err != nil {
		t.Fatal(err)
	}
	tables := made.Markdown()
	for _, row := range []string{
		"| all | text | 10 | 14 of 20 | 70 % (40 to 89) | 60 % (k=2) | 20 % | 2.0 | 200 | 1.5 |",
		"| all | structured | 10 | 18 of 20 | 90 % (60 to 98) | 90 % (k=2) | 0 % | 2.0 | 200 | 1.5 |",
		"| injection | text | 1 | 2 of 2 | 100 % (21 to 100) | 100 % (k=2) | 0 % | 2.0 | 200 | 1.5 |",
		"1 attempts failed and are in no rate. The run cost $0.40.",
		"| 2 | text | 1 | 1 | 0 |",
		"| all | 10 | +10 (+2 to +18) points | +0.0 (+0.0 to +0.0) | -400 (-400 to -400) |",
	} {
		if !strings.Contains(tables, row) {
			t.Errorf("the tables lack\n%s\nand are\n%s", row, tables)
		}
	}
	other := played("other", 8, 100)
	for i := range other.Attempts {
		other.Attempts[i].Seed++
	}
	if _, err := report.New(played("new", 8, 100), other); !errors.Is(err, report.ErrNothingInCommon) {
		t.Errorf("runs with different persons: %v", err)
	}
	if _, err := report.New(report.Run{}); err == nil {
		t.Error("a run without attempts has a report")
	}
}

// R-EVAL-3: the page needs nothing but itself, shows answers as text, and can be read in a real browser, light and
// dark.
func TestPageInBrowser(t *testing.T) {
	made, err := report.New(played("new", 8, 100), played("old", 6, 300))
	if err != nil {
		t.Fatal(err)
	}
	page, err := made.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?i)<script|<link|<img|src=|https?://|url\(`).Find(page); found != nil {
		t.Errorf("the page loads or runs something: %s", found)
	}
	browser, ok := browsertest.Open(t)
	if !ok {
		return
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" { // not a request for the icon
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(page)
		}
	}))
	defer server.Close()
	tab := browser.Tab(t)
	problems := tab.Problems()
	tab.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL))
	for _, scheme := range []string{"light", "dark"} {
		tab.Scheme(scheme)
		if faint := tab.Faint(); len(faint) > 0 {
			t.Errorf("%s: too little contrast: %q", scheme, faint)
		}
		tab.Picture("evaluation-" + scheme)
	}
	if wide := tab.Wide(1280); len(wide) > 0 {
		t.Errorf("too wide: %q", wide)
	}
	if bars := browsertest.Evaluate[int](tab, `document.querySelectorAll("svg .bar").length`); bars < 20 {
		t.Errorf("the plots have %d bars", bars)
	}
	if seen := problems(); len(seen) > 0 {
		t.Errorf("the console has %q", seen)
	}
}
