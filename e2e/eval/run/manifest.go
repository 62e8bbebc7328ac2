package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Manifest says what a folder of transcripts is a run of.
type Manifest struct {
	Candidate string `json:"candidate"`
	Server    string `json:"server"`
	Build     string `json:"build"`
}

// Build identifies the programs of a run: the server's, and this one with its questions. Their results are not mixed.
func Build(server string) string {
	digest := sha256.New()
	self, _ := os.Executable() // without a path, only the server counts
	for _, path := range []string{self, strings.Fields(server + " -")[0]} {
		found, err := exec.LookPath(path)
		if err != nil {
			continue // the run reports that the server cannot be started
		}
		if file, err := os.Open(found); err == nil {
			_, _ = io.Copy(digest, file)
			_ = file.Close()
		}
	}
	return hex.EncodeToString(digest.Sum(nil))[:8]
}

// manifestFile is the name of the manifest in the folder of a run.
const manifestFile = "run.json"

// ErrOtherRun reports a folder with the transcripts of another candidate, server or build.
var ErrOtherRun = errors.New("the folder has a run of another candidate, server or build: choose a new one with --out")

// keep writes the manifest, or checks that the folder has the same one.
func (s Settings) keep() error {
	content, err := json.MarshalIndent(Manifest{s.Candidate.Name(), s.Server, Build(s.Server)}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	for _, secret := range s.Secrets {
		if secret != "" && strings.Contains(string(content), secret) {
			return fmt.Errorf("%w, and would be written to %s", ErrKeyInCommand, s.Folder)
		}
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the run: %w", err)
	}
	path := filepath.Join(s.Folder, manifestFile)
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("write the manifest: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("read the manifest: %w", err)
	case !bytes.Equal(before, content):
		return fmt.Errorf("%s: %w\n%s", s.Folder, ErrOtherRun, before)
	}
	return nil
}

// ErrKeyInCommand reports a key in a flag.
var ErrKeyInCommand = errors.New(
	"a key is in the command of the server or in the name of the model: keys are read from the environment only")

// ReadManifest returns the manifest of a folder.
func ReadManifest(folder string) (Manifest, error) {
	var manifest Manifest
	content, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read the run: %w", err)
	}
	return manifest, nil
}
