package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// R-EVAL-1: a run resumes from its transcripts, also after it was killed while it wrote one.
func TestPartialLineIsDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, "", attempt("a", "none"), attempt("b", "right"))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"question":"c","ve`); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	write(t, path, "", attempt("a", "right"))
	read, err := transcript.Read(path)
	if err != nil || len(read) != 2 || read[0].Question != "a" || read[0].Verdict != "right" || read[1].Question != "b" {
		t.Errorf("read %+v: %v", read, err)
	}
}

// R-EVAL-1: a key that a candidate prints is not written.
func TestSecretsAreReplaced(t *testing.T) {
	const key = "sk-test-0123456789"
	path := filepath.Join(t.TempDir(), "t.jsonl")
	leaky := attempt("a", "wrong")
	leaky.Raw, leaky.Failure = "401 for "+key, `the key "`+key+`" is invalid`
	leaky.Calls = []transcript.Call{{Tool: "search", Arguments: []byte(`{"q":"` + key + `"}`), Result: key}}
	write(t, path, key, leaky)
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), key) || strings.Count(string(content), "[key]") != 4 {
		t.Errorf("%v: %s", err, content)
	}
}

func attempt(question, verdict string) transcript.Attempt {
	return transcript.Attempt{Key: transcript.Key{Question: question, Number: 1}, Verdict: verdict}
}

func write(t *testing.T, path, secret string, attempts ...transcript.Attempt) {
	t.Helper()
	writer, err := transcript.Append(path, secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range attempts {
		if err := writer.Write(each); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}
