// Package transcript reads and writes the record of an evaluation: a JSONL file with one attempt at a question per
// line. A run appends to it. The report and the replaying server read it. It never contains API keys.
package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Call is a tool call with the result that the candidate saw.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Result    string          `json:"result"`
	Failed    bool            `json:"failed,omitempty"` // there is no result, or it has isError
	Millis    int64           `json:"millis"`
	Tokens    int             `json:"tokens,omitempty"` // of arguments and result, o200k
}

// Usage is the usage that a model's provider reports for an attempt.
type Usage struct {
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Dollars      float64 `json:"dollars,omitempty"`
}

// Key identifies an attempt in a run.
type Key struct {
	Question string `json:"question"`
	Seed     uint64 `json:"seed"`
	Channel  string `json:"channel"`
	Number   int    `json:"number"` // from 1
}

// Attempt is one attempt at a question.
type Attempt struct {
	Key
	Candidate string    `json:"candidate"`
	Tags      []string  `json:"tags"`
	Prompt    string    `json:"prompt"` // without the instructions, which all questions share
	Truth     []string  `json:"truth"`
	Calls     []Call    `json:"calls"`
	Text      string    `json:"text"` // the last text of the candidate
	Verdict   string    `json:"verdict,omitempty"`
	Reaction  string    `json:"reaction,omitempty"` // to an injection
	Usage     Usage     `json:"usage"`
	Millis    int64     `json:"millis"`
	Started   time.Time `json:"started"`
	// why there is no verdict; the attempt is repeated when the run is resumed
	Failure string `json:"failure,omitempty"`
	Raw     string `json:"raw,omitempty"` // what an agent printed
}

// Tokens returns the tokens of all calls.
func (a Attempt) Tokens() int {
	sum := 0
	for _, call := range a.Calls {
		sum += call.Tokens
	}
	return sum
}

// Read returns the attempts of a file. Of several with the same key it returns the last. It returns none for a missing
// file.
func Read(path string) ([]Attempt, error) {
	lines, err := readLines[Attempt](path)
	var attempts []Attempt
	indices := map[Key]int{}
	for _, attempt := range lines {
		if i, known := indices[attempt.Key]; known {
			attempts[i] = attempt
			continue
		}
		indices[attempt.Key] = len(attempts)
		attempts = append(attempts, attempt)
	}
	return attempts, err
}

// ReadCalls returns the calls in a file that a relay wrote. It returns none for a missing file.
func ReadCalls(path string) ([]Call, error) { return readLines[Call](path) }

// readLines decodes the lines of a JSONL file. It ignores a partial last line, which a killed run leaves.
func readLines[T any](path string) ([]T, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read transcripts: %w", err)
	}
	var values []T
	for line := range strings.Lines(string(content)) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		var value T
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// Writer appends lines to a JSONL file. It is safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	file    *os.File
	secrets *strings.Replacer
}

// Append opens a file for appending. Secrets are replaced wherever they occur in a line.
func Append(path string, secrets ...string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open transcripts: %w", err)
	}
	var replaced []string
	for _, secret := range secrets {
		if secret != "" {
			replaced = append(replaced, secret, "[key]")
		}
	}
	w := &Writer{file: file, secrets: strings.NewReplacer(replaced...)}
	return w, w.dropPartialLine()
}

// Redact returns a text without the secrets.
func (w *Writer) Redact(text string) string { return w.secrets.Replace(text) }

// dropPartialLine removes the partial last line that a killed run left.
func (w *Writer) dropPartialLine() error {
	info, err := w.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := w.file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	whole := int64(0)
	reader := bufio.NewReader(w.file)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break
		}
		whole += int64(len(line))
	}
	return w.file.Truncate(whole)
}

// Write appends one value as a line.
func (w *Writer) Write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a transcript: %w", err)
	}
	line = append([]byte(w.Redact(string(line))), '\n')
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.file.Write(line); err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	return nil
}

// Close closes the file.
func (w *Writer) Close() error { return w.file.Close() }
