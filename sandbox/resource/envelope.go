package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// envelope has the members of every document other than a list.
type envelope struct {
	Links links `json:"links"`
	Meta  meta  `json:"meta"`
}

type links struct {
	Self string `json:"self"`
}

// listLinks are the links of a list; Next is null on the last page.
type listLinks struct {
	Self string  `json:"self"`
	Next *string `json:"next"`
}

type meta struct {
	Count    count     `json:"count"`
	Window   *summary  `json:"window,omitempty"`
	Warnings []warning `json:"warnings"`

	Fulfillment *fulfillment `json:"fulfillment,omitempty"`
}

// count is the total number of records. The kind is "none", "estimated" or "exact".
type count struct {
	Kind  string `json:"kind"`
	Value *int64 `json:"value,omitempty"`
}

// warning describes how an answer deviates from its request.
type warning struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitempty"`
	Detail  map[string]any `json:"detail,omitempty"`
}

// list is a page of documents.
type list[T any] struct {
	Object           string    `json:"object"` // "list"
	URL              string    `json:"url,omitempty"`
	Data             []T       `json:"data"`
	HasMore          bool      `json:"has_more"`
	NextCursor       string    `json:"next_cursor,omitempty"`
	NextChangesSince string    `json:"next_changes_since,omitempty"`
	Links            listLinks `json:"links"`
	Meta             meta      `json:"meta"`
}

// noContent is an answer without a body (204).
type noContent struct{}

// writeAnswer writes a document, or bytes when the answer is a blob.
func writeAnswer(w http.ResponseWriter, r *http.Request, answer any) {
	switch answer := answer.(type) {
	case noContent:
		w.WriteHeader(http.StatusNoContent)
	case withStatus:
		writeJSON(w, r, answer.status, answer.document)
	case blobAnswer:
		answer.write(w)
	default:
		writeJSON(w, r, http.StatusOK, answer)
	}
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, document any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // <mark> stays readable; the answer is never HTML
	if err := encoder.Encode(document); err != nil {
		if status != http.StatusInternalServerError {
			writeProblem(w, r, fmt.Errorf("encode answer: %w", err))
		}
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", fmt.Sprint(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only if the client has disconnected
}

// timestamp formats a time in UTC, with milliseconds if it has any.
func timestamp(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond() < int(time.Millisecond) {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// object is a JSON object whose members keep their order.
type object[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

// MarshalJSON writes the members in order.
func (o object[T]) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the size of a record counts its characters as they are
	text.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := encoder.Encode(member.name); err != nil {
			return nil, err
		}
		text.Truncate(text.Len() - len("\n")) // which Encode appends
		text.WriteByte(':')
		if err := encoder.Encode(member.value); err != nil {
			return nil, err
		}
		text.Truncate(text.Len() - len("\n"))
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}
