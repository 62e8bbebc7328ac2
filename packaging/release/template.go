package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// unreleased stands for the version in the documents below packaging/, which are well-formed as they are.
const unreleased = `"0.0.0"`

// template reads a document of the repository, with the version of this release in it.
func (r release) template(path string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(path)))
	if err != nil {
		return nil, fmt.Errorf("read a document to publish: %w", err)
	}
	return bytes.ReplaceAll(content, []byte(unreleased), []byte(`"`+r.version+`"`)), nil
}

// fill writes a document of the repository into the output.
func (r release) fill(path, name string) error {
	content, err := r.template(path)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.output, filepath.FromSlash(name)), content)
}

// indented writes JSON for people to read, with a newline at its end.
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
