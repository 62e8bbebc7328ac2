package scan_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// stored is a record of the stand-in: its key, its time, and its other fields.
type stored struct {
	key, at string
	others  rawjson.Object
}

func (s stored) fields() rawjson.Object {
	return append(rawjson.Object{rawjson.String("id", s.key), rawjson.String("at", s.at)}, s.others...)
}

// standIn is a resource server that refuses filters and aggregates, sorts by at alone, and fails on request.
type standIn struct {
	mu      sync.Mutex
	records []stored
	asked   []rs.Request
	fail    func(request int) error // by the number of the request, from 1 on; nil: never
	came    int
}

func (s *standIn) ProviderURL() string { return provider }

func (s *standIn) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &rs.Failure{Reason: rs.Timeout, Message: "cancelled", Cause: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request)
	if s.came++; s.fail != nil {
		if err := s.fail(s.came); err != nil {
			return nil, err
		}
	}
	for _, parameter := range request.Query.Parameters() {
		if strings.HasPrefix(parameter.Name, "filter[") {
			return nil, refused("invalid_request", "filter")
		}
	}
	if strings.HasSuffix(string(request.Path), "/aggregate") {
		return nil, refused("invalid_request", "")
	}
	response, err := s.page(request)
	if err != nil {
		return nil, err
	}
	return sent(ctx, response.Body(), rs.Request{Path: request.Path, Query: request.Query})
}

// sent returns a body as a client reads it.
func sent(ctx context.Context, body []byte, request rs.Request) (*rs.Response, error) {
	client, err := rs.NewClient(rs.Options{
		BaseURL: provider, Bearer: rs.NewSecret("a-token-of-a-test"),
		Transport: carrier(body),
	})
	if err != nil {
		return nil, err
	}
	return client.Get(ctx, request)
}

// carrier answers every request with one body.
type carrier []byte

func (c carrier) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, ContentLength: int64(len(c)), Body: io.NopCloser(bytes.NewReader(c))},
		nil
}

func refused(code, param string) *rs.Error {
	envelope := rawjson.Object{rawjson.String("code", code), rawjson.String("message", "no")}
	if param != "" {
		envelope = append(envelope, rawjson.String("param", param))
	}
	return &rs.Error{
		Status: http.StatusBadRequest, Code: code, Message: "no", Envelope: envelope.Encode(),
		URL: provider + "/v1",
	}
}

// page returns a page of the records as a real server gives it: newest first by the text of at, ties by key, its cursor
// behind a record.
func (s *standIn) page(request rs.Request) (*rs.Response, error) {
	sort, _ := request.Query.Get("sort")
	order, _ := request.Query.Get("order")
	if strings.TrimPrefix(sort, "-") != "at" && sort != "" {
		return nil, refused("invalid_sort", "sort")
	}
	direction := -1
	if sort == "at" {
		order = "asc"
	}
	if order == "asc" {
		direction = 1
	}
	sorted := s.sorted(order)
	after, _ := request.Query.Get("cursor")
	var rows []rawjson.Value
	next, passed := "", after == ""
	for _, record := range sorted {
		place := base64.RawURLEncoding.EncodeToString([]byte(record.at + " " + record.key))
		if !passed {
			at, key, _ := strings.Cut(decoded(after), " ")
			if order := direction * cmp.Compare(record.at, at); order < 0 || order == 0 && record.key <= key {
				continue
			}
			passed = true
		}
		if len(rows) == request.Limit() {
			return answer(rows, next)
		}
		rows, next = append(rows, row(record, request)), place
	}
	return answer(rows, "")
}

func (s *standIn) sorted(order string) []stored {
	direction := -1
	if order == "asc" {
		direction = 1
	}
	return slices.SortedFunc(slices.Values(s.records), func(a, b stored) int {
		return cmp.Or(direction*cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key))
	})
}

func decoded(cursor string) string {
	text, _ := base64.RawURLEncoding.DecodeString(cursor)
	return string(text)
}

func row(record stored, request rs.Request) rawjson.Value {
	fields := record.fields()
	if asked, narrowed := request.Query.Get("fields"); narrowed {
		names := strings.Split(asked, ",")
		fields = slices.DeleteFunc(fields, func(m rawjson.Member) bool { return !slices.Contains(names, m.Name) })
	}
	return rawjson.Object{
		rawjson.String("object", "record"), rawjson.String("id", record.key), rawjson.String("stream", "notes"),
		rawjson.Raw("data", fields.Encode()), rawjson.String("connection_id", "cin_1"),
	}.Encode()
}

func answer(rows []rawjson.Value, next string) (*rs.Response, error) {
	body := rawjson.Object{rawjson.Raw("data", rawjson.Array(rows)), rawjson.Bool("has_more", next != "")}
	if next != "" {
		body = append(body, rawjson.String("next_cursor", next))
	}
	return rs.Response{Status: http.StatusOK, URL: provider + "/v1"}.WithBody(body.Encode())
}

// number returns a record of the stand-in with a kind, a number and a text.
func number(n int, at, kind string, text int) stored {
	return stored{fmt.Sprintf("r%04d", n), at, rawjson.Object{
		rawjson.String("kind", kind), rawjson.Int("n", int64(n)), rawjson.String("text", strings.Repeat("x", text)),
	}}
}

func encode(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
