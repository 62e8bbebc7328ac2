package operation_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func respond(t *testing.T, body string) *rs.Response {
	t.Helper()
	response, err := rs.Response{Status: 200}.WithBody([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func commandAnswer(t *testing.T, body string) *tool.Result {
	t.Helper()
	response := &rs.Response{Status: 200}
	if body != "" {
		response = respond(t, body)
	}
	result, err := operation.Answer(t.Context(), tool.Env{}, response, operation.AnswerInput{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A command's structured output is the RS's answer, byte for byte; its text has a line for each row or member.
func TestAnswer(t *testing.T) {
	for body, text := range map[string]string{
		`{"object":"list", "data":[{"name":"a","n":1.10},{"name":"b\n<","x":null}],"has_more":false}`: `name="a" n=1.10` +
			"\n" + `name="b\n<" x=null`,
		`{"data":{"data":[{"name":"a"}]}}`:     `data={"data":[{"name":"a"}]}`,
		`{"data":[]}`:                          "no rows",
		`{"id":"sub_1", "streams":["a", "b"]}`: `id="sub_1"` + "\n" + `streams=["a","b"]`,
		`{}`:                                   "",
	} {
		result := commandAnswer(t, body)
		if result.Text != text || string(result.Structured) != body || result.IsError {
			t.Errorf("%s gives\n%q and %s, want\n%q", body, result.Text, result.Structured, text)
		}
	}
	if done := commandAnswer(t, ""); done.Text != "done" || string(done.Structured) != "{}" {
		t.Errorf("no body gives %q and %s", done.Text, done.Structured)
	}
}

// A listing for people says which long value it leaves out.
func TestAnswerWithALongValue(t *testing.T) {
	long := commandAnswer(t, `{"a":"`+strings.Repeat("x", 3000)+`"}`)
	if long.Text != "a=(3002 bytes; --format json shows them)" {
		t.Errorf("a long value gives %.200q", long.Text)
	}
}

// capabilities.client_event_subscriptions of capture 004, and providers without it.
func TestEventCapabilities(t *testing.T) {
	for body, want := range map[string]string{
		`{"capabilities":{"x":{},"client_event_subscriptions":{"supported":true,` +
			`"signing":{"profile":"standard-webhooks"}}}}`: `{"supported":true,"signing":{"profile":"standard-webhooks"}}`,
		`{"capabilities":{}}`: `{"supported":false}`,
		`{"capabilities":7}`:  `{"supported":false}`,
		`{}`:                  `{"supported":false}`,
	} {
		response := respond(t, body)
		result, err := operation.EventCapabilities(t.Context(), tool.Env{}, response, operation.EventCapabilitiesInput{})
		if err != nil || string(result.Structured) != want || result.Text == "" {
			t.Errorf("%s gives %+v, %v; want %s", body, result, err, want)
		}
	}
}
