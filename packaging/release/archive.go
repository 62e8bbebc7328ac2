package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// packed is one file of an archive.
type packed struct {
	name    string // with slashes
	mode    fs.FileMode
	content []byte
}

// packedAt is the time of every file in an archive, so that archives are reproducible. It is the earliest that zip can
// store.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// archive writes an archive with a program and the licences: a zip for Windows, which needs no other program to open
// it, and a tar.gz elsewhere.
func (r release) archive(program string, target target) error {
	files, err := r.packed(program, target, target.executable(program))
	if err != nil {
		return err
	}
	write, extension := tarball, ".tar.gz"
	if target.system == "windows" {
		write, extension = zipped, ".zip"
	}
	content, err := write(files)
	if err != nil {
		return err
	}
	return writeFile(r.published(program, target, extension), content)
}

// packed returns a program under its name, with the files that every published copy has.
func (r release) packed(program string, target target, name string) ([]packed, error) {
	executable, err := os.ReadFile(r.binary(program, target))
	if err != nil {
		return nil, fmt.Errorf("read a binary to pack: %w", err)
	}
	licences, err := r.licences(program, target)
	return append(licences, packed{name, 0o755, executable}), err
}

// licences returns this project's licence, and those of what is linked into a program.
func (r release) licences(program string, target target) ([]packed, error) {
	own, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("read the licence: %w", err)
	}
	others, err := os.ReadFile(r.noticesPath(program, target))
	if err != nil {
		return nil, fmt.Errorf("read the licences of what is linked: %w", err)
	}
	return []packed{{"LICENSE", 0o644, own}, {noticesFile, 0o644, others}}, nil
}

// tarball returns a gzip-compressed POSIX archive. Its files have no owner.
func tarball(files []packed) ([]byte, error) {
	var buffer bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Mode: int64(file.mode), Size: int64(len(file.content)), ModTime: packedAt, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("pack %s: %w", file.name, err)
		}
		if _, err := archive.Write(file.content); err != nil {
			return nil, fmt.Errorf("pack %s: %w", file.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("end the archive: %w", err)
	}
	if err := compressed.Close(); err != nil {
		return nil, fmt.Errorf("end the archive: %w", err)
	}
	return buffer.Bytes(), nil
}

// zipped returns a zip archive that keeps the permissions of its files.
func zipped(files []packed) ([]byte, error) {
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	for _, file := range files {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: packedAt}
		header.SetMode(file.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", file.name, err)
		}
		if _, err := entry.Write(file.content); err != nil {
			return nil, fmt.Errorf("pack %s: %w", file.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("end the archive: %w", err)
	}
	return buffer.Bytes(), nil
}

// writeFile writes a file that everybody may read, and makes the directories above it.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make a directory of the release: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write a file of the release: %w", err)
	}
	return nil
}
