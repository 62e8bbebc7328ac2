package calling

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var (
	errNoCursor = invocation.Usagef("several connections hold this stream, and the provider pages one at a time; " +
		"pass --connection-id with an id that schema lists")
	errRepeatedCursor = invocation.Failf("the provider repeats the cursor of an earlier page; the pages after it cannot be read")
)

// followInterval is the time between two requests for changes.
const followInterval = 5 * time.Second

// printPages prints the rows of one page, or of several, one by one and uncut (R-HAND-7). It prints a page before it
// requests the next one. When reading stops early, also by Ctrl-C, the output ends with a whole line.
func (r *reading) printPages(ctx context.Context, object rawjson.Object) (keptPosition, error) {
	r.prepareRows(object)
	defer r.line.End()
	last, err := r.printEach(ctx, object)
	r.line.End()
	if err == nil {
		err = r.endRows(ctx, last)
	}
	return last.position, err
}

// prepareRows chooses the printer of rows, their maximum and the size of pages.
func (r *reading) prepareRows(object rawjson.Object) {
	limit := argumentOf(r.definition, func(a tool.Argument) bool { return a.Name == tool.HitsLimit })
	r.line = &invocation.Line{}
	if _, isTerminal := invocation.OnTerminal(r.terminal.Out); r.target.IsFile() || !isTerminal {
		r.line = invocation.NewLine(r.terminal.Err)
	}
	r.fromStart = object.Text(r.definition.Pages) == ""
	r.all = r.all || r.follow
	if r.all && limit.Name != "" && object.Get(tool.HitsLimit) == nil {
		r.pageSize = rs.MaxRows
	}
	switch {
	case r.all:
		r.maxRows = math.MaxInt
	case r.short != nil:
		r.maxRows, r.pageSize = r.limit, min(r.limit, rs.MaxRows)
		if r.limit <= rs.MaxRows {
			r.line = &invocation.Line{}
		}
	}
	if r.short != nil && !r.follow { // a table is printed at the end
		r.format.StartPlainRows(r.definition.Table == tool.HitTable)
	}
}

// printEach prints pages until the last one, or the maximum of rows, and returns the last one.
func (r *reading) printEach(ctx context.Context, object rawjson.Object) (page rowPage, err error) {
	cursorName := r.definition.Pages
	seen := map[string]bool{object.Text(cursorName): true}
	for {
		page, err = r.readPage(ctx, object)
		if err == nil {
			err = r.printPage(ctx, page)
		}
		cursor := page.position.Cursor
		if err == nil && cursor != "" && seen[cursor] {
			err = errRepeatedCursor
		}
		switch {
		case err != nil:
			r.line.End()
			r.reportStop(err, object)
			return page, err
		case r.follow && cursor == "" && page.position.Bookmark != "":
			r.line.End()
			if err := r.last.keep(page.position); err != nil {
				return page, err
			}
			select {
			case <-ctx.Done():
				return page, ctx.Err()
			case <-time.After(followInterval):
			}
			object = object.Without(cursorName).With(r.definition.Changes, rawjson.Quote(page.position.Bookmark))
			clear(seen)
		case cursor == "", r.count >= r.maxRows:
			return page, nil
		default:
			seen[cursor] = true
			// A page of a feed of changes is named by its cursor alone.
			object = object.Without(r.definition.Changes).With(cursorName, rawjson.Quote(cursor))
		}
	}
}

func (r *reading) printPage(ctx context.Context, page rowPage) error {
	if err := r.format.WriteRows(ctx, page.rows); err != nil {
		return err
	}
	r.count += len(page.rows)
	if r.total.Value == 0 && r.fromStart {
		r.total = page.total
	}
	r.line.Show(r.progress())
	return nil
}

// barWidth is the length of a bar. A line with it stays below 80 columns.
const barWidth = 24

func (r *reading) progress() string {
	if r.total.Value <= 0 {
		return invocation.Count(r.count, "row")
	}
	filled := min(r.count*barWidth/r.total.Value, barWidth)
	return fmt.Sprintf("[%s%s] %d of %v rows", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), r.count, r.total)
}

// endRows ends the output and reports the rows that follow.
func (r *reading) endRows(ctx context.Context, last rowPage) error {
	more := ""
	switch {
	case !last.hasMore && last.position.Cursor == "", r.all:
	case r.short == nil:
		more = "more follow: --all reads every page"
	default:
		more = fmt.Sprintf("more follow: --%s %d", tool.HitsLimit, 10*r.limit)
		if r.definition.Table != tool.HitTable || last.position.Cursor != "" { // hits without all words of q have one page
			more += ", or --all"
		}
	}
	if r.format.IsTable() && last.note != "" {
		r.terminal.Note("%s", forPeople(last.note))
	}
	if err := r.format.EndRows(ctx, more); err != nil {
		return err
	}
	if !r.format.IsTable() && last.note != "" {
		r.terminal.Note("%s", forPeople(last.note))
	}
	if r.short != nil && r.last == nil && last.position.Bookmark != "" && last.position.Cursor == "" {
		r.terminal.Note("later changes: --%s %s", invocation.FlagName(r.definition.Changes), commandline.Word(invocation.OneLine(last.position.Bookmark)))
	}
	if more != "" && !r.format.IsTable() && (last.position.Cursor != "" || r.short != nil) {
		r.terminal.Note("%s; %s", invocation.Count(r.count, "row"), more)
	}
	return nil
}

// forPeople replaces the names of tools in a note with the equivalent commands.
func forPeople(note string) string {
	return word.ReplaceAllStringFunc(note, func(name string) string {
		for _, definition := range gen.Surface().Tools {
			if definition.Name == name && len(definition.Commands) > 0 {
				return "pdpp-mcp " + definition.Commands[0].Name
			}
		}
		return name
	})
}

var word = regexp.MustCompile(`\w+`)

// reportStop says on stderr how many rows were printed, and how to get the others.
func (r *reading) reportStop(err error, object rawjson.Object) {
	if r.count == 0 {
		return
	}
	note := "stopped after " + invocation.Count(r.count, "row")
	switch {
	case r.target.IsFile():
		note += "; no file was written. To keep a copy that can be resumed, run: pdpp-mcp sync <directory>"
		if stream := object.Text(r.span.stream); stream != "" {
			note += " --stream " + commandline.Word(invocation.OneLine(stream))
		}
	case r.short == nil && !errors.Is(err, errRepeatedCursor):
		note += "; to continue, run: " + commandFor(r.command, r.command, object.Encode())
	}
	r.terminal.Note("%s", note)
}
