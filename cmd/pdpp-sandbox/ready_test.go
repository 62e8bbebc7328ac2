package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// startReady starts a sandbox that ends with the test and returns the content of its ready file.
func startReady(t *testing.T) readiness {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready.json")
	r := start(t, "--cache-root", t.TempDir(), "--ready-file", file)
	t.Cleanup(func() { r.rest(t) })
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ready readiness
	if err := json.Unmarshal(raw, &ready); err != nil {
		t.Fatal(err)
	}
	return ready
}
