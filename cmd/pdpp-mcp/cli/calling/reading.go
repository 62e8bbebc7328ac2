package calling

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// reading is one run of a toolCommand.
type reading struct {
	*toolCommand
	command *cobra.Command
	env     tool.Env
	account invocation.Accounting
	last    *lastRun // keeps the position; nil if no run continues this one

	maxRows   int // no further page is read after these
	pageSize  int // 0 for the limit of the call
	count     int // rows that were printed
	total     display.Total
	fromStart bool             // reading begins at the first page, so a total applies
	line      *invocation.Line // shows the progress
}

// run makes the call and prints what it reads.
func (r *reading) run(ctx context.Context, arguments json.RawMessage) error {
	object, isObject := rawjson.ParseObject(arguments)
	if isObject = isObject && json.Valid(arguments); isObject { // the tool refuses other arguments
		var err error
		if object, err = r.prepare(ctx, object); err != nil {
			return err
		}
		arguments = object.Encode()
	}
	output, err := r.target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	r.format.Terminal.Out = output.Writer
	r.format.Known = func(ctx context.Context) ([]string, error) { return r.knownColumns(ctx, r.env.RS, object) }
	var kept keptPosition
	if isObject && r.printsPages() {
		kept, err = r.printPages(ctx, object)
	} else {
		kept, err = r.print(ctx, arguments)
	}
	if err != nil {
		return advised(r.command, r.withColumns(ctx, r.withStreams(ctx, object, err)))
	}
	return errors.Join(output.Publish(), r.last.keep(kept))
}

// prepare adds the time range, the grouping and the position of the last run to the arguments.
func (r *reading) prepare(ctx context.Context, object rawjson.Object) (_ rawjson.Object, err error) {
	if object, err = r.span.apply(ctx, r.env.RS, object, r.clock.Now(), r.terminal); err != nil {
		return nil, err
	}
	if object, err = r.group(ctx, object); err != nil {
		return nil, err
	}
	object, r.last, err = r.resume(object)
	return object, err
}

// withStreams adds the granted streams to the error of a call that lacks a stream.
func (r *reading) withStreams(ctx context.Context, object rawjson.Object, err error) error {
	refused, isRefused := errors.AsType[*tool.Error](err)
	if !isRefused || r.span.stream == "" || refused.Param != r.span.stream || object.Get(r.span.stream) != nil {
		return err
	}
	document, failed := schemaquery.Ask(ctx, r.env.RS, schemadoc.Scope{}, nil)
	if failed != nil {
		return err
	}
	listed := *refused
	listed.Accepted = document.Names().Streams("")
	return &listed
}

// ask makes one call within the time limit. Use reads the answer and returns the number of its rows.
func (r *reading) ask(ctx context.Context, arguments json.RawMessage, use func(*tool.Answer) (rows int, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	ctx, release := rs.Bounded(ctx)
	defer release()
	env, rows := r.env, 0
	reader, end := r.account(env.RS)
	env.RS = reader
	answer, err := r.definition.Ask(ctx, env, arguments)
	if err == nil {
		rows, err = use(answer)
	}
	end(rows, err)
	return err
}

// print prints the result of a tool. A short command prints the record or the groups in it.
func (r *reading) print(ctx context.Context, arguments json.RawMessage) (kept keptPosition, err error) {
	var record json.RawMessage
	var groups []json.RawMessage
	var result *tool.Result
	if r.short != nil {
		r.format.StartPlainRows(false)
	}
	err = r.ask(ctx, arguments, func(answered *tool.Answer) (_ int, err error) {
		if document, is := answered.Found.(*answer.Document); is && r.short != nil {
			record = render.PlainRecord(document)
			return 1, nil
		}
		if found, is := answered.Found.(*answer.Groups); is && r.short != nil && !r.format.IsTable() {
			groups = render.PlainGroups(found)
			return len(groups), nil
		}
		if result, err = answered.Render(); err != nil {
			return 0, err
		}
		return result.Rows, nil
	})
	switch {
	case err != nil:
		return kept, err
	case r.web:
		return kept, openRecord(record)
	case record != nil:
		return kept, r.format.WriteRecord(ctx, record)
	case groups != nil:
		return kept, errors.Join(r.format.WriteRows(ctx, groups), r.format.EndRows(ctx, ""))
	}
	more := ""
	if r.definition.Pages != "" {
		more = "--all reads every page"
	}
	structured, _ := rawjson.ParseObject(result.Structured)
	data, _ := rawjson.ParseObject(structured.Get("data"))
	kept = keptPosition{data.Text("next_cursor"), data.Text("next_changes_since")}
	return kept, r.format.PrintShape(ctx, result, r.definition.Table, more)
}

// openRecord opens the web address of a record in the browser.
func openRecord(row json.RawMessage) error {
	members, _ := rawjson.ParseObject(row)
	address := members.FirstText("url", "html_url", "permalink", "link")
	if parsed, err := url.Parse(address); err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return invocation.Failf("the record has no web address; leave out --web to see its fields")
	}
	if !invocation.OpenBrowser(address) {
		return invocation.Failf("no browser can be started here; open %s", invocation.OneLine(address))
	}
	return nil
}
