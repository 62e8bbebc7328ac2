package answer

import "github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"

// Streams is the list of the granted streams, with a row for each connection (R-SCH-9).
type Streams struct {
	Origin
	GrantIDs []string         // the grants that answered, for a reader that can have several; otherwise nil
	Sent     rawjson.Value    // the response of the resource server; nil if the lists of several grants are merged
	Rows     []rawjson.Object // one that is not an object is nil
	Warnings []rawjson.Value  // about sources that are missing in a merged list
}
