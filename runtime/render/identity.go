package render

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// identity names a record by its source and by its handle, which a model passes (R-HAND-1).
type identity struct {
	connectionID string // empty if unknown
	stream       string
	recordID     string
	handle       string // empty if none can be formed
	formed       bool   // the handle was formed from the other parts
	embedded     bool   // the handle holds the connection
}

func newIdentity(connectionID, stream, recordID string) identity {
	id := identity{connectionID: connectionID, stream: stream, recordID: recordID}
	handle := recordid.Handle{ConnectionID: connectionID, Stream: stream, RecordID: recordID}
	short := recordid.Handle{Stream: stream, RecordID: recordID}
	if !handle.CanFormat() && short.CanFormat() { // the grammar cannot hold the connection, which is shown next to the id
		handle = short
	}
	if id.handle = handle.ID(); id.handle != "" {
		id.formed, id.embedded = true, handle.ConnectionID != ""
	}
	return id
}

// targetIdentity returns the record of a call by the handle that was passed (R-HAND-3), or by the self-contained id for
// a URI (R-WIN-3).
func targetIdentity(target recordid.Target) identity {
	id := newIdentity(scalar.OrZero(target.ConnectionID), target.Stream, target.RecordID)
	if target.Handle != "" && (id.handle == "" || !recordid.IsURI(target.Handle)) {
		isSame := target.Handle == id.handle
		id.formed, id.embedded, id.handle = id.formed && isSame, id.embedded && isSame, target.Handle
	}
	return id
}

func (id identity) shows(name string) bool {
	return id.formed && name != "" && strings.Contains(id.handle, name)
}

// arguments returns the arguments that select the record by its handle. The names are those of the tool for handle and
// connection.
func (id identity) arguments(handleName, connectionName string) rawjson.Object {
	arguments := rawjson.Object{rawjson.String(handleName, id.handle)}
	if id.embedded {
		return arguments
	}
	return withText(arguments, connectionName, id.connectionID)
}

func (id identity) fetch(more ...rawjson.Member) answer.Call {
	arguments := id.arguments(tool.DocumentID, tool.DocumentConnectionID)
	return answer.Call{Tool: tool.DocumentTool, Arguments: append(arguments, more...), Kind: answer.RestOfField}
}

// readField returns the call that reads a text field of the record by windows. A record without a handle is named by
// its parts.
func (id identity) readField(path string, more ...rawjson.Member) answer.Call {
	arguments := id.arguments(tool.FieldID, tool.FieldConnectionID)
	if id.handle == "" {
		arguments = rawjson.Object{rawjson.String(tool.FieldStream, id.stream), rawjson.String(tool.FieldRecordID, id.recordID)}
		arguments = withText(arguments, tool.FieldConnectionID, id.connectionID)
	}
	arguments = append(arguments, rawjson.String(tool.FieldPath, path))
	return answer.Call{Tool: tool.FieldTool, Arguments: append(arguments, more...), Kind: answer.RestOfField}
}

// tokens returns the tokens that name the record in text: its handle, and the connection if the handle cannot hold it.
func (id identity) tokens() string {
	switch {
	case id.embedded:
		return Token(wire.ID, id.handle)
	case id.handle == "":
		return words(Token(wire.RecordID, id.recordID), tokenIf(wire.Stream, id.stream), tokenIf(wire.ConnectionID, id.connectionID))
	}
	return words(Token(wire.ID, id.handle), tokenIf(wire.ConnectionID, id.connectionID))
}

func (id identity) structuredRecord() rawjson.Member {
	record := rawjson.Texts(wire.ID, id.handle, wire.ConnectionID, id.connectionID)
	return rawjson.Raw("record", append(record, rawjson.String(wire.Stream, id.stream), rawjson.String(wire.RecordID, id.recordID)).Encode())
}

// canFetch reports whether fetch accepts the record's id. A call that the tool would refuse is not shown (R-HAND-7).
func (id identity) canFetch() bool {
	_, err := recordid.Parse(id.handle)
	return (id.formed || err == nil || recordid.IsURI(id.handle)) && id.canPassConnection()
}

// canRead reports whether read_record_field accepts the record and a path in it.
func (id identity) canRead(path string) bool {
	if recordid.CheckName("field path", path) != nil {
		return false
	}
	if id.handle != "" {
		return id.canFetch()
	}
	return recordid.CheckName(wire.Stream, id.stream) == nil && recordid.CheckRecordID("record id", id.recordID) == nil && id.canPassConnection()
}

// canPassConnection reports whether a call can name the connection or does not need to.
func (id identity) canPassConnection() bool {
	return id.embedded || id.connectionID == "" || recordid.CheckName("connection id", id.connectionID) == nil
}

const maxNames = 20 // fields or relations in one call

// acceptedNames returns the names that fields, expand and expand_limit accept, up to maxNames.
func acceptedNames(names []string) []string {
	var accepted []string
	for _, name := range names {
		isOdd := name == "" || Length(name) > tool.LabelCharacters || strings.ContainsAny(name, ",[]") || strings.ContainsFunc(name, unicode.IsControl)
		if !isOdd && len(accepted) < maxNames {
			accepted = append(accepted, name)
		}
	}
	return accepted
}

// urlNames are the fields with the source's own address of a record.
var urlNames = []string{"url", "html_url", "permalink", "web_url", "link", "canonical_url", "source_url", "href"}

const urlCharacters = 2_000 // a longer address is not one that a client opens

// recordURL returns the source's own address of the record, otherwise the address at the public origin of its provider
// (R-FETCH-5).
func recordURL(members, fields rawjson.Object, id identity, provider string) string {
	provider = cmp.Or(provider, members.Text("provider_url"))
	for _, from := range []rawjson.Object{fields, members} {
		for _, name := range urlNames {
			if own := from.Text(name); openable(own) {
				return own
			}
		}
	}
	if id.stream == "" || id.recordID == "" {
		if openable(id.handle) {
			return id.handle
		}
		if path := members.Text("record_url"); strings.HasPrefix(path, "/") && openable(provider+path) {
			return provider + path
		}
		return ""
	}
	address := provider + "/v1/streams/" + url.PathEscape(id.stream) + "/records/" + url.PathEscape(id.recordID)
	if id.connectionID != "" {
		address += "?connection_id=" + url.QueryEscape(id.connectionID)
	}
	return address
}

func openable(address string) bool {
	if len(address) > urlCharacters || !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return false
	}
	parsed, err := url.Parse(address)
	return err == nil && parsed.Host != ""
}
