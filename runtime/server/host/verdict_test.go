package host_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// rpcAnswer is one JSON-RPC response, in a form that does not depend on how it is spelled.
type rpcAnswer struct {
	id      string
	code    int64 // 0 for a result
	message string
	all     string // its tokens
	isOwn   bool   // refused by the edge over HTTP, which says so in data
}

// verdict is the outcome of a request.
type verdict struct {
	status  int    // over HTTP
	refused string // as a whole, in words
	isBatch bool
	answers []rpcAnswer
	isOver  bool // the session has ended
}

func (v verdict) String() string {
	text := fmt.Sprint(v.status, " ", v.refused)
	for _, each := range v.answers {
		text += fmt.Sprintf("\n      %.700s", each.all)
	}
	if v.isOver {
		text += " (the session is over)"
	}
	return text
}

func (v verdict) same(other verdict) bool {
	texts := func(answers []rpcAnswer) []string {
		all := make([]string, len(answers))
		for i, each := range answers {
			all[i] = each.all
		}
		slices.Sort(all) // the SDK answers a batch in any order
		return all
	}
	return v.status == other.status && v.refused == other.refused && v.isBatch == other.isBatch &&
		v.isOver == other.isOver &&
		slices.Equal(texts(v.answers), texts(other.answers))
}

// only returns the one answer of a verdict, or an empty one.
func (v verdict) only() rpcAnswer {
	if len(v.answers) != 1 || v.isBatch {
		return rpcAnswer{}
	}
	return v.answers[0]
}

// readAnswer reads a response.
func readAnswer(t *testing.T, text []byte) rpcAnswer {
	t.Helper()
	var decoded struct {
		ID    json.RawMessage
		Error *struct {
			Code    int64
			Message string
			Data    struct{ Code string }
		}
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatalf("%.300s is no answer: %v", text, err)
	}
	read := rpcAnswer{id: string(decoded.ID), all: tokensOf(t, text)}
	if decoded.Error != nil {
		read.code, read.message, read.isOwn = decoded.Error.Code, decoded.Error.Message, decoded.Error.Data.Code == "invalid_request"
		if read.code == 0 {
			read.code = 1 // some errors of the SDK
		}
	}
	return read
}

// tokensOf returns a document without differences of spelling.
func tokensOf(t *testing.T, text []byte) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var all strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("%.300s: %v", text, err)
		}
		fmt.Fprintf(&all, "%#v ", token)
	}
}

// readVerdict reads the answer to a POST.
func readVerdict(t *testing.T, recorder *httptest.ResponseRecorder) verdict {
	t.Helper()
	body, found := recorder.Body.Bytes(), verdict{status: recorder.Code}
	switch media := recorder.Header().Get("Content-Type"); {
	case media == "application/json" && bytes.HasPrefix(body, []byte("[")):
		var entries []json.RawMessage
		if err := json.Unmarshal(body, &entries); err != nil {
			t.Fatal(err)
		}
		found.isBatch = true
		for _, entry := range entries {
			found.answers = append(found.answers, readAnswer(t, entry))
		}
	case media == "application/json" && len(body) > 0:
		found.answers = []rpcAnswer{readAnswer(t, body)}
	case strings.HasPrefix(media, "application/json"):
		found.refused = errorOf(t, string(body)).Message
	default:
		text := strings.TrimSpace(string(body[:min(len(body), 300)]))
		found.refused = strings.ToValidUTF8(text, "")
	}
	return found
}
