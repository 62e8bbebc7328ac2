package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-1, R-ERR-2: the error object, in text and in structured output.
func TestFailed(t *testing.T) {
	tests := []struct {
		name     string
		err      error
		object   string
		siblings string // what follows the error object in structured output
	}{
		{
			name: "the RS's envelope is kept, in its order",
			err: &rs.Error{
				Status: 409, Type: "api_error", Code: "ambiguous_connection", Message: "several", RequestID: "req_1",
				URL: "https://rs.example.com/v1/schema",
				Envelope: json.RawMessage(
					`{ "code":"ambiguous_connection", "message":"several <b> é", "type":"api_error", "retry_with":"connection_id",
					"available_connections":[{"connection_id":"cin_1"}], "request_id":"req_1", "n":1.10 }`),
			},
			object: `{"code":"ambiguous_connection","message":"several <b> é","type":"api_error",` +
				`"retry_with":"connection_id","available_connections":[{"connection_id":"cin_1"}],"request_id":"req_1","n":1.10,` +
				`"hint":"Repeat the call with connection_id set to one of available_connections."}`,
			siblings: `,"http_status":409,"request_id":"req_1","provider_url":"https://rs.example.com"`,
		},
		{
			name: "what the envelope lacks is added",
			err: &rs.Error{
				Status: 429, Type: "rate_limit_error", Code: "rate_limit_exceeded", Message: "slow down",
				RequestID: "req_2", RetryAfter: "7",
				Envelope: json.RawMessage(`{"message":"slow down","code":null}`),
			},
			object: `{"message":"slow down","code":"rate_limit_exceeded","type":"rate_limit_error","request_id":"req_2",` +
				`"retry_after":"7","hint":"Wait as long as retry_after says, then repeat the call."}`,
			siblings: `,"http_status":429,"request_id":"req_2"`,
		},
		{
			name: "no envelope",
			err: fmt.Errorf("reading: %w",
				&rs.Error{Status: 502, Type: "api_error", Code: "api_error", Message: "bad gateway"}),
			object: `{"type":"api_error","code":"api_error","message":"bad gateway","hint":"The resource server failed. ` +
				`Repeat the call later; if it fails again, tell its operator."}`,
			siblings: `,"http_status":502`,
		},
		{
			name: "a repeated member counts once, as its last value, and the RS's own advice stands",
			err: &rs.Error{
				Status: 400, Type: "t", Code: "c", Message: "m",
				Envelope: json.RawMessage(`{"code":"a","type":"t","code":"b","message":"m","hint":"h","next":[]}`),
			},
			object:   `{"code":"b","type":"t","message":"m","hint":"h","next":[]}`,
			siblings: `,"http_status":400`,
		},
		{
			name: "no usable answer",
			err: &rs.Failure{
				Reason: rs.Timeout, Message: "too slow", RequestID: "req_3", Status: 200,
				URL: "https://rs.example.com/v1/schema", Cause: errors.New("secret"),
			},
			object:   `{"type":"adapter_error","code":"rs_timeout","message":"too slow","request_id":"req_3"}`,
			siblings: `,"http_status":200,"request_id":"req_3","provider_url":"https://rs.example.com"`,
		},
		{
			name: "a refusal by the adapter",
			err: &tool.Error{
				Code: tool.AmbiguousConnection, Message: "several", Param: "connection_id", Accepted: []string{"a", "b"},
				RetryWith:            "connection_id",
				AvailableConnections: json.RawMessage(`[{"connection_id":"cin_1"}]`), Cause: errors.New("secret"),
			},
			object: `{"type":"adapter_error","code":"ambiguous_connection","message":"several","param":"connection_id",` +
				`"accepted":["a","b"],"retry_with":"connection_id","available_connections":[{"connection_id":"cin_1"}]}`,
		},
		{
			name: "an error that no tool promises",
			err:  errors.New("secret"),
			object: `{"type":"adapter_error","code":"internal","message":"the adapter failed on this call; try again; if it ` +
				`fails again, ask its operator to check the log"}`,
		},
		{
			name: "no error at all",
			object: `{"type":"adapter_error","code":"internal","message":"the adapter failed on this call; try again; if it ` +
				`fails again, ask its operator to check the log"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := tool.Failed(test.err)
			if !result.IsError {
				t.Error("not marked as an error")
			}
			if result.Text != test.object {
				t.Errorf("text\n got %s\nwant %s", result.Text, test.object)
			}
			if want := `{"error":` + test.object + test.siblings + `}`; string(result.Structured) != want {
				t.Errorf("structured\n got %s\nwant %s", result.Structured, want)
			}
			if strings.Contains(result.Text+string(result.Structured), "secret") {
				t.Error("shows the cause")
			}
		})
	}
}

// textBytes is the maximum size of any tool's text (R-BUD-2), which has at least as many bytes as characters.
const textBytes = 8_000

// R-BUD-2, R-ERR-5: an error object of any size fits into a result, and says if something is left out.
func TestFailedIsBounded(t *testing.T) {
	var sources []string
	for i := range 1000 {
		sources = append(sources, fmt.Sprintf(`{"connection_id":"cin_%04d","connector_key":"gmail"}`, i))
	}
	candidates := "[" + strings.Join(sources, ",") + "]"
	long := strings.Repeat("é", 30_000)
	envelope := fmt.Sprintf(`{"code":"ambiguous_connection","stack":%q,"message":%q,"param":%q,`+
		`"retry_with":"connection_id","available_connections":%s}`,
		long, long, long, candidates)
	for name, err := range map[string]error{
		"RS": &rs.Error{
			Status: 409, Type: "api_error", Code: "ambiguous_connection",
			Envelope: json.RawMessage(envelope),
		},
		"adapter": &tool.Error{
			Code: tool.AmbiguousConnection, Message: long, RetryWith: "connection_id",
			AvailableConnections: json.RawMessage(candidates),
		},
	} {
		result := tool.Failed(err)
		if len(result.Text) > textBytes || len(result.Structured) > textBytes+300 || !utf8.ValidString(result.Text) {
			t.Errorf("%s: text of %d bytes, structured of %d", name, len(result.Text), len(result.Structured))
		}
		var object struct {
			Code, Message, Param, Stack, Hint string
			RetryWith                         string            `json:"retry_with"`
			Connections                       []json.RawMessage `json:"available_connections"`
			Total                             int               `json:"available_connections_total"`
			ConnectionsTruncated              bool              `json:"available_connections_truncated"`
			Truncated                         bool
		}
		if err := json.Unmarshal([]byte(result.Text), &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if object.Code != "ambiguous_connection" || object.RetryWith != "connection_id" || object.Stack != "" ||
			object.Param != "" {
			t.Errorf("%s: kept %+v", name, object)
		}
		if !object.Truncated || !strings.HasSuffix(object.Message, " of 60000 bytes shown)") {
			t.Errorf("%s: does not say that it was shortened: %.80s", name, object.Message)
		}
		if got := len(object.Connections); got == 0 || got == len(sources) || object.Total != len(sources) ||
			!object.ConnectionsTruncated || !strings.Contains(object.Hint, "schema") {
			t.Errorf("%s: %d of %d connections, truncated %t, hint %q", name, got, object.Total,
				object.ConnectionsTruncated, object.Hint)
		}
	}
}

// R-ERR-1: the time for an error object grows linearly with its members.
func TestFailedOfVeryManyMembers(t *testing.T) {
	var envelope strings.Builder
	envelope.WriteString(`{"code":"invalid_sort"`)
	for i := range 100_000 {
		fmt.Fprintf(&envelope, `,"m%d":0`, i)
	}
	envelope.WriteString(`}`)
	began := timetest.Spent()
	result := tool.Failed(&rs.Error{
		Status: 400, Code: "invalid_sort", Message: "m",
		Envelope: json.RawMessage(envelope.String()),
	})
	if took := timetest.Spent() - began; took > 10*time.Second || !strings.Contains(result.Text, `"truncated":true`) {
		t.Errorf("%v for %.100s", took, result.Text)
	}
}

// R-BUD-2: an error object of any size is either kept whole or bounded.
func TestFailedIsBoundedAtEverySize(t *testing.T) {
	for size := 0; size < 60_000; size += 500 {
		envelope := fmt.Sprintf(`{"code":"invalid_sort","message":%q,"extra":%q}`, strings.Repeat("m", size/2),
			strings.Repeat("x", size/2))
		result := tool.Failed(&rs.Error{Status: 400, Type: "t", Code: "invalid_sort", Envelope: json.RawMessage(envelope)})
		if len(result.Text) > textBytes || !json.Valid(result.Structured) ||
			!strings.Contains(result.Text, `"hint":"Sort only`) {
			t.Errorf("an envelope of %d bytes became %d: %.100s", len(envelope), len(result.Text), result.Text)
		}
		if whole := strings.Contains(result.Text, `"extra"`); whole == strings.Contains(result.Text, `"truncated":true`) {
			t.Errorf("an envelope of %d bytes is whole %t, and does not say so", len(envelope), whole)
		}
	}
}

// R-BUD-2: a message that is mostly escapes is bounded by its size as JSON.
func TestFailedBoundsEscapes(t *testing.T) {
	message := strings.Repeat("\x01", 30_000)
	result := tool.Failed(&tool.Error{Code: tool.InvalidArguments, Message: message})
	if len(result.Text) > textBytes || !json.Valid(result.Structured) {
		t.Errorf("text of %d bytes", len(result.Text))
	}
}

// R-BUD-2: the members next to the error object are bounded too.
func TestFailedBoundsSiblings(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for name, err := range map[string]error{
		"refused": &rs.Error{
			Status: 400, Code: long, Type: long, Message: "m", RequestID: long,
			URL: "https://rs.example.com/v1/search?q=" + long,
		},
		"unusable": &rs.Failure{
			Reason: rs.InvalidResponse, Message: long, RequestID: long,
			URL: "https://rs.example.com/" + long,
		},
	} {
		result := tool.Failed(err)
		if len(result.Text) > textBytes || len(result.Structured) > textBytes+300 || !json.Valid(result.Structured) {
			t.Errorf("%s: text of %d bytes, structured of %d", name, len(result.Text), len(result.Structured))
		}
		if name == "refused" && !strings.Contains(string(result.Structured), `"provider_url":"https://rs.example.com"`) {
			t.Errorf("%s does not say what was read: %.300s", name, result.Structured)
		}
	}
}
