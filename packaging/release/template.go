package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// unreleased is the version in the documents below packaging/, which a release replaces.
const unreleased = `"0.0.0"`

// template reads a document of the repository and sets this release's version in it.
func (r release) template(path string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(path)))
	if err != nil {
		return nil, fmt.Errorf("read a document to publish: %w", err)
	}
	return bytes.ReplaceAll(content, []byte(unreleased), []byte(`"`+r.version+`"`)), nil
}

// fill writes a template into the output directory.
func (r release) fill(path, name string) error {
	content, err := r.template(path)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.output, filepath.FromSlash(name)), content)
}

// indented returns indented JSON with a newline at its end.
func indented(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write a document to publish: %w", err)
	}
	return text.Bytes(), nil
}
