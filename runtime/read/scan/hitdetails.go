package scan

import (
	"context"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	records "github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// Bounds of the records that are read to describe hits (R-FIND-4).
const (
	maxHitRecords  = 5
	hitRecordsTime = time.Second
)

// describe adds the records of the first hits that lack an author or a title. It reads them concurrently, each once in
// a call, and none for a later page. A hit is unchanged if its record does not arrive in time.
func (s *searching) describe(ctx context.Context, found *answer.Hits) {
	if found.Question.IsLaterPage {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hitRecordsTime)
	defer cancel()
	first := found.Hits[:min(len(found.Hits), maxHitRecords)]
	read := map[recordid.Handle]*rawjson.Object{}
	for _, hit := range first {
		handle, isNeeded := render.RecordToRead(hit, found.Question.ConnectionID)
		if _, isKnown := s.known[handle]; isNeeded && !isKnown {
			read[handle] = new(rawjson.Object)
		}
	}
	var reading sync.WaitGroup
	for handle, fields := range read {
		reading.Go(func() { *fields = s.recordFields(ctx, handle) })
	}
	reading.Wait()
	if s.known == nil {
		s.known = map[recordid.Handle]rawjson.Object{}
	}
	for handle, fields := range read {
		s.known[handle] = *fields
	}
	for i := range first {
		if handle, isNeeded := render.RecordToRead(first[i], found.Question.ConnectionID); isNeeded {
			first[i].Record = s.known[handle]
			if s.scope != nil && render.LacksEventTime(first[i]) {
				first[i].EventTime = render.TimeText(first[i].Record.Get(s.scope.timeFields[handle.Stream]))
			}
		}
	}
}

// recordFields reads the record of a hit. It returns nil if that fails.
func (s *searching) recordFields(ctx context.Context, handle recordid.Handle) rawjson.Object {
	request := rs.Request{Path: rs.RecordsPath(handle.Stream, handle.RecordID)}
	source := sourceOf(handle)
	request.Query.String(wire.ConnectionID, source.ConnectionID)
	request.Sources = source
	response, err := s.env.RS.Get(ctx, request)
	if err != nil {
		return nil
	}
	fields, _, err := records.Fields(response, recordid.Target{Stream: handle.Stream, RecordID: handle.RecordID})
	if err != nil {
		return nil
	}
	return fields
}

func sourceOf(handle recordid.Handle) rs.OneSource {
	source := rs.OneSource{Stream: handle.Stream}
	if handle.ConnectionID != "" {
		source.ConnectionID = &handle.ConnectionID
	}
	return source
}
