package calling

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// newDownloadCommand makes a command that saves the bytes of an answer to a file, or prints their text.
func newDownloadCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	target := saved.Target{Terminal: terminal}
	isText := false
	command := newGeneratedCommand(log, generated, target.Check, func(command *cobra.Command, env tool.Env, arguments json.RawMessage) error {
		ctx := command.Context()
		arguments, reference, err := locate(ctx, env.RS, generated, arguments)
		if err != nil {
			return err
		}
		request, err := generated.Download(arguments)
		if err != nil {
			return err
		}
		opener, _ := env.RS.(rs.Opener) // every reader of a command is an Opener
		if isText {
			ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
			defer cancel()
			return printText(ctx, opener, request, reference, &target)
		}
		target.SetDefaultName(reference.Name)
		return target.Download(ctx, opener, request)
	})
	target.AddFlags(command.Flags(), "default: the file's own name, or standard output with --text")
	command.Flags().BoolVar(&isText, "text", false, "print the text of the file")
	return command
}

// locate returns the arguments with the id of a blob in place of the handle of its record, and the record's reference
// to the blob.
func locate(ctx context.Context, reader rs.Reader, generated tool.Command, arguments json.RawMessage) (json.RawMessage, blob.Reference, error) {
	object, _ := rawjson.ParseObject(arguments)
	name := generated.Arguments[0].Name
	value := object.Text(name)
	target, field, isRecord, err := parseHandle(value)
	if err != nil || !isRecord {
		return arguments, blob.Reference{ID: value, Name: value, Size: -1}, err
	}
	var query rs.Query
	query.String(wire.ConnectionID, target.ConnectionID)
	response, err := reader.Get(ctx, rs.Request{
		Path: rs.RecordsPath(target.Stream, target.RecordID), Query: query,
		Sources: rs.OneSource{Stream: target.Stream, ConnectionID: target.ConnectionID},
	})
	if err != nil {
		return nil, blob.Reference{}, err
	}
	fields, target, err := record.Fields(response, target)
	if err != nil {
		return nil, blob.Reference{}, err
	}
	references := blob.References(fields, field)
	if len(references) != 1 {
		return nil, blob.Reference{}, notOneFile(value, references)
	}
	reference := references[0]
	object = object.With(name, rawjson.Quote(reference.ID))
	for _, argument := range generated.Arguments {
		if argument.Complete == tool.CompleteConnection && target.ConnectionID != nil {
			object = object.With(argument.Name, rawjson.Quote(*target.ConnectionID))
		}
	}
	return object.Encode(), reference, nil
}

func notOneFile(handle string, references []blob.Reference) error {
	if len(references) == 0 {
		return invocation.Usagef("%s has no file", handle)
	}
	ids := make([]string, len(references))
	for i, reference := range references {
		ids[i] = reference.ID
	}
	return invocation.Usagef("%s has %d files; pass the id of one: %s", handle, len(references), strings.Join(ids, ", "))
}

// named returns the URI of a record whose id has a slash (R-HAND-9), if its handle was typed. Other values stay.
func named(handle string) string {
	typed, err := recordid.ParseSlashed(handle)
	if uri := typed.ID(); err == nil && uri != "" && !recordid.IsURI(handle) {
		return uri
	}
	return handle
}

// parseHandle reads the handle of a record, or the resource URI of its file. Other values are ids of blobs.
func parseHandle(value string) (target recordid.Target, field string, isRecord bool, err error) {
	value = named(value)
	var handle recordid.Handle
	if recordid.IsURI(value) {
		uri, err := recordid.ParseURI(value)
		if err != nil {
			return target, "", false, invocation.Usagef("%v", err)
		}
		handle, field = uri.Record, uri.Window.FieldPath
	} else if handle, err = recordid.Parse(value); err != nil || !strings.Contains(value, "/") {
		return target, "", false, nil
	}
	target = recordid.Target{Handle: value, Stream: handle.Stream, RecordID: handle.RecordID}
	if handle.ConnectionID != "" {
		target.ConnectionID = &handle.ConnectionID
	}
	return target, field, true, nil
}

// printText writes the text of a file (R-DOC-6). It is the same text as in the tool's result.
func printText(ctx context.Context, opener rs.Opener, request rs.Request, reference blob.Reference, target *saved.Target) error {
	content, release, err := blob.Read(ctx, opener, "", request, reference, blob.MaxText)
	defer release()
	if err != nil {
		return err
	}
	text, err := textOf(ctx, content)
	if unreadable, ok := errors.AsType[*document.Error](err); ok {
		return invocation.Failf("%v", unreadable)
	}
	if err != nil {
		return err
	}
	text = content.Redact(text)
	if _, isScreen := invocation.OnTerminal(target.Terminal.Out); isScreen && !target.IsFile() {
		text = []byte(invocation.Printable(string(text)))
	}
	output, err := target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	if _, err := io.Copy(output, bytes.NewReader(text)); err != nil {
		return err
	}
	return output.Publish()
}

func textOf(ctx context.Context, content *blob.Content) ([]byte, error) {
	if format := document.Sniff(content.Data); format != "" {
		parts, err := child.Parts(ctx, "", format, content.Data)
		return []byte(document.Join(parts)), err
	}
	kind := blob.KindOf(content.ContentType)
	if !kind.IsText() {
		kind = filetext.KindOf(content.Data)
	}
	_, parameters := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, parameters["charset"])
	if !ok || !kind.IsText() {
		return nil, invocation.Failf("its bytes are not text; leave out --text to save the file")
	}
	return text.Bytes, nil
}
