package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeChecksums writes SHA256SUMS of the published files, in the format of sha256sum --check.
func (r release) writeChecksums() error {
	entries, err := os.ReadDir(r.output) // sorted by name
	if err != nil {
		return fmt.Errorf("list the release: %w", err)
	}
	var sums strings.Builder
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		sum, err := checksum(filepath.Join(r.output, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, entry.Name())
	}
	return writeFile(filepath.Join(r.output, "SHA256SUMS"), []byte(sums.String()))
}

// checksum returns the SHA-256 of a file in lower-case hexadecimal.
func checksum(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read a file to sum: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}
