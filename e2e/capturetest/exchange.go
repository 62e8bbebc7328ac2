// Package capturetest is a PDPP provider that replays answers captured from a running one. Tests of the sign-in use it
// in memory or through a listener.
package capturetest

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed captures/*.txt
var captures embed.FS

// divider separates a request from its response.
var divider = []byte("\n---\n\n")

// Exchange is one request and its response, as they went over the wire.
type Exchange struct {
	Name        string
	Method      string
	Path        string // without a query
	Query       string // of the request's URL, without the question mark
	ContentType string
	Asked       string // body of the request
	Status      int
	Header      http.Header
	Answered    string // body of the response
}

// Load reads the captured exchange whose file name begins with name.
func Load(name string) (Exchange, error) {
	files, err := fs.Glob(captures, "captures/"+name+"-*.txt")
	if err != nil || len(files) != 1 {
		return Exchange{}, fmt.Errorf("%d captures are named %s", len(files), name)
	}
	content, err := captures.ReadFile(files[0])
	if err != nil {
		return Exchange{}, err
	}
	asked, answered, found := bytes.Cut(content, divider)
	if !found {
		return Exchange{}, fmt.Errorf("%s has no response", files[0])
	}
	head, body, _ := bytes.Cut(asked, []byte("\n\n"))
	request, err := http.ReadRequest(headReader(head))
	if err != nil {
		return Exchange{}, fmt.Errorf("%s: %w", files[0], err)
	}
	exchange := Exchange{
		Name: name, Method: request.Method, Path: request.URL.Path, Query: request.URL.RawQuery,
		ContentType: request.Header.Get("Content-Type"), Header: http.Header{},
	}
	// The bodies were written with indentation, so Content-Length does not fit them.
	exchange.Asked = strings.TrimSpace(string(body))
	return exchange, exchange.readResponse(answered)
}

func (e *Exchange) readResponse(answered []byte) error {
	head, body, _ := bytes.Cut(answered, []byte("\n\n"))
	response, err := http.ReadResponse(headReader(head), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	defer response.Body.Close()
	e.Status, e.Answered = response.StatusCode, string(body)
	e.Header.Set("Content-Type", response.Header.Get("Content-Type"))
	return nil
}

// headReader reads a first line and headers.
func headReader(head []byte) *bufio.Reader {
	return bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.TrimSpace(head)), strings.NewReader("\n\n")))
}
