package recordid_test

import (
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// An id names the source, the stream and the record. The first colon after the slash ends the stream, so that record
// ids may hold more.
func ExampleParse() {
	handle, err := recordid.Parse("cin_slack_team/chat_messages:C001:1758925260.000135")
	fmt.Println(handle.ConnectionID, handle.Stream, handle.RecordID, err)
	// Output: cin_slack_team chat_messages C001:1758925260.000135 <nil>
}

func ExampleParse_refused() {
	_, err := recordid.Parse("cin_1/../messages:m1")
	var refused *recordid.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Part+":", refused.Message)
	}
	// Output: stream: must not hold a slash
}

func ExampleHandle_String() {
	handle := recordid.Handle{
		ConnectionID: "cin_spotify", Stream: "top_artists",
		RecordID: `["The Lanterns","2023-08-01"]`,
	}
	fmt.Println(handle.CanFormat(), handle)
	// Output: true cin_spotify/top_artists:["The Lanterns","2023-08-01"]
}

// A URI can name any record, also one whose parts an id cannot hold.
func ExampleFormatURI() {
	text := recordid.FormatURI(recordid.URI{
		Kind:   recordid.KindRecord,
		Record: recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"},
	})
	uri, err := recordid.ParseURI(text)
	fmt.Println(recordid.IsURI(text), uri.Kind, uri.Record, err)
	// Output: true record cin_1/messages:m1 <nil>
}
