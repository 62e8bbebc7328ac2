package page_test

import (
	"net/http"
	"net/http/httptest"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const publicOrigin = "https://data.example.org"

// options describe a server with tools that no other part of the project knows, so that a name which is
// shown can only come from here.
func options() page.Options {
	return page.Options{
		Name:    "pdpp-mcp",
		Version: "v1.2.3",

		Revisions: []string{"2026-07-28", "2025-11-25"},
		Origin:    func(*http.Request) string { return publicOrigin },
		Surface: tool.Surface{
			Tools: []tool.Definition{
				{Name: "look_around", Title: "Look around", Description: "Lists what there is (`GET /v1/all`). Call this first."},
				{Name: "take_one", Title: "Take one", Description: "Takes one thing,\nwhole. Read-only. Narrow it."},
				{Name: "count_them", Description: "Counts things"},
			},
			Instructions: "Start with look_around.\nThen take_one.\n",
		},
	}
}

func withOrigin(origin string) page.Options {
	changed := options()
	changed.Origin = func(*http.Request) string { return origin }
	return changed
}

// routes returns the pages on a mux.
func routes(given page.Options) http.Handler {
	mux := http.NewServeMux()
	page.Register(mux, given)
	return mux
}

func get(handler http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	return ask(handler, http.MethodGet, path, header...)
}

// ask sends a request with headers as name, value, name, value.
func ask(handler http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}
