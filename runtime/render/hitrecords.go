package render

import (
	"context"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the records that are read to describe hits (R-FIND-4).
const (
	maxHitRecords  = 5
	hitRecordsTime = time.Second
)

// hitRecords has the fields of the records that were read for the first hits of a search. The keys are the handles of the hits.
type hitRecords map[string]rawjson.Object

// describe completes the first hits without author or title from their records. It reads the records concurrently, and once for a search.
// A hit is unchanged if its record does not arrive in time, and so are all hits of a later page.
func (known hitRecords) describe(ctx context.Context, env tool.Env, hits []*hit, isLaterPage bool) {
	ctx, cancel := context.WithTimeout(ctx, hitRecordsTime)
	defer cancel()
	first := hits[:min(len(hits), maxHitRecords)]
	if isLaterPage {
		first = nil
	}
	fields := make([]rawjson.Object, len(first))
	var reading sync.WaitGroup
	for i, h := range first {
		if fields[i] = known[h.handle]; fields[i] == nil && h.isRecord() &&
			(roleText(tool.AuthorRole, h.members, h.fields) == "" || roleText(tool.TitleRole, h.members, h.fields) == "") {
			reading.Go(func() { fields[i] = h.readFields(ctx, env) })
		}
	}
	reading.Wait()
	for i, h := range first {
		if fields[i] != nil {
			known[h.handle] = fields[i]
			h.describe(fields[i])
		}
	}
	for _, h := range hits {
		h.fillCells()
	}
}

// readFields reads the record of the hit. It returns nil if that fails.
func (h *hit) readFields(ctx context.Context, env tool.Env) rawjson.Object {
	request := rs.Request{Path: rs.JoinPath("v1", "streams", h.stream, "records", h.recordID)}
	var connectionID *string
	if h.connectionID != "" {
		connectionID = &h.connectionID
	}
	request.Query.String("connection_id", connectionID)
	request.Sources = rs.OneSource{Stream: h.stream, ConnectionID: connectionID}
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil
	}
	record, err := recordOf(response, connectionID, h.stream)
	if err != nil || record == nil {
		return nil
	}
	return record.fields
}
