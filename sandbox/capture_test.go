package sandbox_test

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// capture is one exchange with a real PDPP server, as testdata/captures keeps it: tokens are replaced by
// <name>, and long bodies are cut where marked.
type capture struct {
	name     string // the file's, without .txt
	method   string
	target   string
	header   http.Header // of the request
	body     string      // of the request
	status   int
	response []byte
	valued   bool // compared value by value
}

func readCaptures(t *testing.T) []capture {
	t.Helper()
	paths, err := filepath.Glob("testdata/captures/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	captures := make([]capture, len(paths))
	for i, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		captures[i] = parseCapture(t, strings.TrimSuffix(filepath.Base(path), ".txt"), raw)
	}
	return captures
}

func parseCapture(t *testing.T, name string, raw []byte) capture {
	t.Helper()
	c := capture{name: name, header: http.Header{}}
	sent, received, found := bytes.Cut(raw, []byte("\n---\n"))
	if !found || sent[0] == '#' {
		return c // a file, or what another server received
	}
	start, rest, _ := strings.Cut(string(sent), "\n")
	method, rest2, _ := strings.Cut(start, " ")
	c.method, c.target = method, strings.TrimSuffix(rest2, " HTTP/1.1")
	head, body, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(head) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			c.header.Add(key, value)
		}
	}
	c.body = strings.TrimSpace(body)
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(bytes.TrimLeft(received, "\n"))), nil)
	if err != nil {
		t.Fatalf("%s: response: %v", name, err)
	}
	_ = response.Body.Close()
	c.status = response.StatusCode
	if _, captured, found := bytes.Cut(received, []byte("\n\n{")); found {
		c.response = append([]byte("{"), captured...)
	}
	return c
}

// ofLab reports whether all data of the provider that was captured is known.
func (c capture) ofLab() bool {
	return strings.Contains(c.header.Get("Authorization"), "client_lab") || strings.Contains(c.target, "cin_lab_") ||
		strings.Contains(c.target, "typelab")
}
