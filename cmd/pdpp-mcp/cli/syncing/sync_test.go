package syncing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// emptyFeed is a reader of streams in which nothing changed.
type emptyFeed struct{}

func (emptyFeed) ProviderURL() string { return "https://pdpp.example" }

func (emptyFeed) Get(context.Context, rs.Request) (*rs.Response, error) {
	answer := rs.Response{Status: 200}
	return answer.WithBody([]byte(`{"object":"list","data":[],"has_more":false,"next_changes_since":"b1"}`))
}

// A run that is stopped between two copies ends with an error. A run that is stopped after the last one succeeds.
func TestStoppedBetweenCopies(t *testing.T) {
	for _, test := range []struct {
		stopAfter, copies int
		stopped           bool
	}{{1, 1, true}, {2, 2, false}} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := 0
		by := &grant{reader: emptyFeed{}, account: func(reader rs.Reader) (rs.Reader, func(int, error)) {
			return reader, func(int, error) {
				if ended++; ended == test.stopAfter {
					stop()
				}
			}
		}}
		run := &sync{terminal: invocation.Terminal{Err: io.Discard}, directory: t.TempDir()}
		if err := run.open(); err != nil {
			t.Fatal(err)
		}
		defer run.root.Close()
		rows, problems := run.updateEach(ctx, []source{{"cin_1", "labels", by}, {"cin_1", "messages", by}}, 1)
		if err := errors.Join(problems...); len(rows) != test.copies || errors.Is(err, context.Canceled) != test.stopped {
			t.Errorf("stopped after %d copies it has %d and ends with %v", test.stopAfter, len(rows), err)
		}
	}
}

// leadingBack is a feed whose last cursor is the cursor of an earlier page.
type leadingBack struct {
	emptyFeed
	pages int
}

func (l *leadingBack) Get(context.Context, rs.Request) (*rs.Response, error) {
	l.pages++
	answer := rs.Response{Status: 200}
	return answer.WithBody(fmt.Appendf(nil,
		`{"object":"list","data":[{"id":"m%d"}],"has_more":true,"next_cursor":"%d","next_changes_since":"b1"}`, l.pages,
		1+(l.pages-1)%2))
}

// A feed ends where its cursor leads back.
func TestRepeatedCursor(t *testing.T) {
	feed, kept := &leadingBack{}, &streamCopy{source: source{connection: "cin_1", stream: "messages"}}
	bookmark, done, err := follow(t.Context(), feed, kept, func(int) {})
	if bookmark != "b1" || done.Written != 3 || feed.pages != 3 || err != nil {
		t.Errorf("after %d pages: %q, %+v, %v", feed.pages, bookmark, done, err)
	}
}

// Two runs cannot write to one directory: the second ends with a message, and a run after them works.
func TestOneRunAtATime(t *testing.T) {
	directory := t.TempDir()
	first, second := &sync{directory: directory}, &sync{directory: directory}
	if err := first.open(); err != nil {
		t.Fatal(err)
	}
	err := second.open()
	second.close()
	if invocation.ExitCode(err) != invocation.ExitToolError ||
		!strings.Contains(err.Error(), "another pdpp-mcp sync is writing to "+directory) {
		t.Errorf("the second run: %v", err)
	}
	first.close()
	third := &sync{directory: directory}
	defer third.close()
	if err := third.open(); err != nil {
		t.Errorf("a later run: %v", err)
	}
}
