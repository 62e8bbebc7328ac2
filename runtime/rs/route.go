package rs

import (
	"net/url"
	"strings"
)

// Route is the endpoint that a path leads to.
type Route struct {
	Template string // one of the constants; a word in braces matches any segment
	Stream   string // in the path; empty if the template has none
}

// The endpoints that are read (rs-contract.md).
const (
	RecordsRoute   = "/v1/streams/{stream}/records"
	RecordRoute    = "/v1/streams/{stream}/records/{id}"
	WindowRoute    = "/v1/streams/{stream}/records/{id}/field-window"
	AggregateRoute = "/v1/streams/{stream}/aggregate"
	SchemaRoute    = "/v1/schema"
	SearchRoute    = "/v1/search"
	SemanticRoute  = "/v1/search/semantic"
	HybridRoute    = "/v1/search/hybrid"
	StreamsRoute   = "/v1/streams"
	BlobRoute      = "/v1/blobs/{id}"
	OtherRoute     = "other"
)

var routes = [...]string{
	RecordsRoute, SchemaRoute, SearchRoute, RecordRoute, WindowRoute, AggregateRoute, SemanticRoute, HybridRoute, StreamsRoute, BlobRoute,
}

// Route returns the endpoint of a path that JoinPath built. The template of any other path is OtherRoute.
func (p Path) Route() Route {
	for _, template := range routes {
		if stream, ok := match(template, string(p)); ok {
			return Route{template, stream}
		}
	}
	return Route{Template: OtherRoute}
}

func match(template, path string) (stream string, ok bool) {
	template, path = template[1:], strings.TrimPrefix(path, "/")
	for template != "" && path != "" {
		var word, segment string
		word, template, _ = strings.Cut(template, "/")
		segment, path, _ = strings.Cut(path, "/")
		switch {
		case word == "{stream}":
			stream, _ = url.PathUnescape(segment) // JoinPath escaped it
		case word != segment && word[0] != '{':
			return "", false
		}
	}
	return stream, template == path
}
