package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// scopeTime is the maximum time in which a search learns what it covers.
const scopeTime = 3 * time.Second

// searchScope has the schema of the streams of a search.
type searchScope struct {
	answer.Searched
	byMeaning  bool              // a stream can be searched by meaning
	timeFields map[string]string // by stream: the field with the role of the event time
}

// readScope reads what a search covers. A schema or metadata that cannot be read leaves it unknown.
func (s *searching) readScope(ctx context.Context) *searchScope {
	ctx, cancel := context.WithTimeout(schemaquery.Recent(ctx), scopeTime)
	defer cancel()
	found := &searchScope{timeFields: map[string]string{}}
	var index sync.WaitGroup
	index.Go(func() { found.IndexState = s.indexState(ctx) })
	defer index.Wait()
	scope := schemadoc.Scope{ConnectionID: s.input.ConnectionID}
	streams := s.input.Streams
	if len(streams) == 1 {
		scope.Stream = &streams[0]
	}
	document, err := schemaquery.Ask(ctx, s.env.RS, scope, nil)
	if err != nil {
		return found
	}
	for connector, stream := range document.Rows() {
		if streams == nil || slices.Contains(streams, stream.Name) {
			found.add(stream)
		}
		if i := slices.IndexFunc(found.WithFiles, isNamed(stream.Name)); i >= 0 && document.HasSeveralGrants() {
			for _, each := range connector.ConnectionsOf(stream) {
				found.WithFiles[i].ConnectionIDs = withName(found.WithFiles[i].ConnectionIDs, each.ID)
			}
		}
	}
	if found.IsMarked {
		isSearched := func(name string) bool { return slices.Contains(found.Streams, name) }
		found.Unsearchable = slices.DeleteFunc(found.Unsearchable, isSearched)
	} else { // a server that marks nothing may search every stream
		found.Streams, found.Unsearchable = found.Unsearchable, nil
	}
	return found
}

// indexState returns the state of an index of the providers that lacks records, or "".
func (s *searching) indexState(ctx context.Context) string {
	byMeaning := s.request.Path.Route().Template == rs.SemanticRoute
	for _, origin := range rs.Origins(s.env.RS, s.request) {
		read := func() (string, error) { return rs.IndexState(ctx, s.env.RS, origin, byMeaning) }
		if state := s.env.Readings.IndexState(fmt.Sprint(origin, byMeaning), read); state != "" && state != rs.IndexBuilt {
			return state
		}
	}
	return ""
}

// countFiles counts the records that may have files.
func (s *searching) countFiles(ctx context.Context, searched *answer.Searched) {
	if searched.WithFiles == nil {
		return
	}
	request := rs.Request{Path: rs.StreamsRoute, Sources: rs.StreamsOfSources{ConnectionID: s.input.ConnectionID}}
	list, err := tool.ListStreams(ctx, s.env.RS, request)
	if err != nil {
		return // their number stays unknown
	}
	for _, stream := range list.Rows {
		isNamed := s.input.ConnectionID == nil || stream.Text(wire.ConnectionID) == *s.input.ConnectionID
		if count, _ := stream.Int("record_count"); isNamed && hasFiles(searched, stream.Text("name")) {
			searched.FileRecords += count
		}
	}
}

// add adds a stream of one connector.
func (s *searchScope) add(stream *schemadoc.Stream) {
	var unmarked []answer.StreamField
	isSearchable := false
	if names := render.TimesByRole(stream); names != nil && s.timeFields[stream.Name] == "" {
		s.timeFields[stream.Name] = names[0]
	}
	for _, field := range stream.Fields() {
		s.byMeaning = s.byMeaning || field.Has("sem")
		switch one := (answer.StreamField{Stream: stream.Name, Field: field.Name}); {
		case field.Has("g=false"):
		case field.Has("lex"):
			isSearchable = true
		case field.Name == schemadoc.FileField:
			s.addFiles(stream)
		case holdsText(field) && !slices.Contains(s.Unmarked, one):
			unmarked = append(unmarked, one)
		}
	}
	if isSearchable {
		s.IsMarked = true
		s.Streams, s.Unmarked = withName(s.Streams, stream.Name), append(s.Unmarked, unmarked...)
		return
	}
	s.Unsearchable = withName(s.Unsearchable, stream.Name)
}

// fileFields are the usual names of the fields with the name and the media type of a file.
var fileFields = []string{"filename", "file_name", "content_type", "media_type", "mime_type"}

// addFiles adds a stream whose records have files.
func (s *searchScope) addFiles(stream *schemadoc.Stream) {
	if hasFiles(&s.Searched, stream.Name) {
		return
	}
	files := answer.FileStream{Name: stream.Name}
	for _, field := range stream.Fields() {
		if slices.Contains(fileFields, field.Name) && !field.Has("g=false") {
			files.Fields = append(files.Fields, field.Name)
		}
	}
	s.WithFiles = append(s.WithFiles, files)
}

// hasFiles reports whether the records of a searched stream have files.
func hasFiles(searched *answer.Searched, stream string) bool {
	return slices.ContainsFunc(searched.WithFiles, isNamed(stream))
}

func isNamed(stream string) func(answer.FileStream) bool {
	return func(each answer.FileStream) bool { return each.Name == stream }
}

// holdsText reports whether a field may hold words. Times, numbers and booleans do not.
func holdsText(field schemadoc.Field) bool {
	kinds := strings.Join(field.Values("t"), " ")
	isTime := field.Values("r") != nil || tool.TimeRole.IsAdvertised(field.Values("role"))
	return !isTime && (kinds == "" || slices.ContainsFunc([]string{"string", "text", "array", "object"}, func(kind string) bool { return strings.Contains(kinds, kind) }))
}

// withName returns names with a name in it once.
func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
