package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// exchange is a captured request to a real provider and its answer.
type exchange struct {
	name       string
	line, body string // of the request
	status     int
	answer     []byte
}

// readExchange reads a capture by the number at the start of its name.
func readExchange(t *testing.T, number string) exchange {
	t.Helper()
	found, err := filepath.Glob("../../sandbox/testdata/subscriptions/" + number + "-*.txt")
	if err != nil || len(found) != 1 {
		t.Fatalf("capture %s is %v: %v", number, found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	asked, answered, split := strings.Cut(string(text), "\n---\n")
	if !split {
		t.Fatalf("%s has no line --- between request and answer", found[0])
	}
	head, body, _ := strings.Cut(asked, "\n\n")
	line, _, _ := strings.Cut(head, "\n")
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(strings.TrimLeft(answered, "\n"))), nil)
	if err != nil {
		t.Fatalf("%s: %v", found[0], err)
	}
	_ = response.Body.Close()
	// without the headers, whose length does not fit the edited body
	_, answer, _ := strings.Cut(strings.TrimLeft(answered, "\n"), "\n\n")
	// Captures have a placeholder for a secret.
	answer = strings.NewReplacer(`"<whsec`, `"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=`, `>"`,
		`"`).Replace(answer)
	return exchange{
		name: number, line: strings.TrimSuffix(line, " HTTP/1.1"), body: strings.TrimSpace(body),
		status: response.StatusCode, answer: []byte(answer),
	}
}

// replayed is a provider that answers the captured requests, each once and in order, and no others.
type replayed struct {
	t *testing.T

	mu   sync.Mutex
	left []exchange
}

func (p *replayed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/schema" { // every command first reads the kind of its token
		_, _ = io.WriteString(w, clientSchema)
		return
	}
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	line := r.Method + " " + r.URL.RequestURI()
	if len(p.left) == 0 {
		p.t.Errorf("the provider was asked %s %s, and nothing was expected any more", line, body)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	expected := p.left[0]
	p.left = p.left[1:]
	if line != expected.line || !sameJSON(body, []byte(expected.body)) ||
		r.Header.Get("Authorization") != "Bearer "+someToken {
		p.t.Errorf("the provider was asked %s %s, want %s %s as in capture %s", line, body, expected.line,
			expected.body, expected.name)
	}
	if asJSON := r.Header.Get("Content-Type") == "application/json"; asJSON != (expected.body != "") {
		p.t.Errorf("capture %s: the content type is %q", expected.name, r.Header.Get("Content-Type"))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(expected.status)
	_, _ = w.Write(expected.answer)
}

// sameJSON reports whether two JSON texts have the same value. Two empty bodies are equal.
func sameJSON(got, want []byte) bool {
	if len(got) == 0 || len(want) == 0 {
		return len(got) == len(want)
	}
	var one, other any
	return json.Unmarshal(got, &one) == nil && json.Unmarshal(want, &other) == nil && reflect.DeepEqual(one, other)
}

// The subscriptions of the captures, by their state in most of them.
const (
	activeSub   = "sub_579870c558d6ae47c73cf180"
	pendingSub  = "sub_9a7e25ca320827ef9efa3753"
	disabledSub = "sub_1ed8a5a86ff8ad658018892e"
)

// subscriptionCase is a command and the exchanges with a real provider.
type subscriptionCase struct {
	command   string
	exchanges []any // numbers of captures, or edited ones
	code      int
	out, err  []string // parts
	hides     string   // must not be in any output
}

// edited is a capture whose answer differs in one place.
type edited struct{ number, from, to string }

var subscriptionCases = map[string]subscriptionCase{
	"list none": {"list --format table", []any{"702"}, 0, nil, nil, ""},
	"list": {
		"list --format table",
		[]any{"707"},
		0,
		[]string{"subscription_id", activeSub + "  active", pendingSub + "  pending_verification", "words"},
		nil, "",
	},
	"list after a delete": {
		"list --format text",
		[]any{"714e"},
		0,
		[]string{`subscription_id="` + disabledSub + `"`, `disabled_reason="client_disabled"`},
		nil, "",
	},
	"list, revoked": {"list", []any{"875h"}, invocation.ExitConfiguration, nil, []string{"revoked"}, ""},

	"show":         {"show " + activeSub + " --format text", []any{"705"}, 0, []string{`status="active"`}, nil, ""},
	"show pending": {"show " + pendingSub, []any{"705b"}, 0, []string{`"pending_verification"`, `"words"`}, nil, ""},
	"show failed":  {"show " + activeSub, []any{"715d"}, 0, []string{`"disabled_failure"`, `"delivery_failed"`}, nil, ""},
	"show unknown": {"show sub_nope", []any{"709"}, invocation.ExitToolError, nil, []string{"subscription not found"}, ""},

	"create": {
		"create http://127.0.0.1:9998/a --format text",
		[]any{"703", "705"},
		0,
		[]string{`subscription_id="` + activeSub + `"`, `status="active"`, `secret="whsec_`},
		nil, "",
	},
	"create, secret in a file": {
		"create http://127.0.0.1:9998/a --secret-file SECRET",
		[]any{"703", "705"},
		0,
		[]string{`"[in the secret file]"`, `"subscription_id": "` + activeSub, `"status": "active"`},
		nil, "whsec_",
	},
	"create for a stream": {
		"create http://127.0.0.1:9998/b --streams words",
		[]any{"703b", "705b"},
		0,
		[]string{pendingSub, `"pending_verification"`, `"filters"`, `"secret": "whsec_`},
		nil, "",
	},
	"create for a stream, which is ignored": {
		"create http://127.0.0.1:9998/b --streams words",
		[]any{"703b", edited{"705b", `"filters"`, `"remarks"`}},
		invocation.ExitToolError,
		[]string{pendingSub, `"secret": "whsec_`},
		[]string{"every stream"},
		"",
	},
	"create, and no answer about its state": {
		"create http://127.0.0.1:9998/rev",
		[]any{"875b", "875g"},
		invocation.ExitToolError,
		[]string{"sub_fc606b25a4991863cd8f43a3", `"secret": "whsec_`},
		[]string{"was created", "revoked"},
		"",
	},
	"create for a stream that is not granted": {
		"create http://127.0.0.1:9998/x --streams notes",
		[]any{"706g"},
		invocation.ExitToolError, nil,
		[]string{"filter streams not in grant"},
		"",
	},
	"create with what providers ignore": {
		"create http://127.0.0.1:9998/t --event-types pdpp.records.changed", nil,
		invocation.ExitUsage, nil,
		[]string{"event-types"},
		"",
	},
	"create with a note": {
		"create http://127.0.0.1:9998/n --note mine", nil, invocation.ExitUsage, nil,
		[]string{"note"},
		"",
	},

	"disable": {
		"update " + activeSub + " --enabled=false --format text",
		[]any{"708"},
		0,
		[]string{`status="disabled"`},
		nil, "",
	},
	"disable again": {"update " + activeSub + " --enabled=false", []any{"708q"}, 0, []string{`"disabled"`}, nil, ""},
	"enable":        {"update " + activeSub + " --enabled", []any{"708b"}, 0, []string{`"active"`}, nil, ""},
	"enable, pending": {
		"update " + pendingSub + " --enabled",
		[]any{"708c"},
		invocation.ExitToolError,
		[]string{`"pending_verification"`},
		[]string{"pending_verification"},
		"",
	},
	"disable, ignored": {
		"update " + activeSub + " --enabled=false",
		[]any{edited{"708", `"disabled"`, `"active"`}},
		invocation.ExitToolError,
		[]string{`"active"`},
		[]string{"active", "not switched off"},
		"",
	},
	"rotate": {
		"update " + activeSub + " --rotate-secret --format text",
		[]any{"708f"},
		0,
		[]string{`status="active"`, `secret="whsec_`},
		nil, "",
	},
	"rotate into a file": {
		"update " + activeSub + " --rotate-secret --secret-file SECRET",
		[]any{"708f"},
		0,
		[]string{`"[in the secret file]"`},
		nil, "whsec_",
	},
	"rotate, ignored": {
		"update " + activeSub + " --rotate-secret",
		[]any{edited{"708f", `"secret"`, `"remark"`}},
		invocation.ExitToolError,
		[]string{activeSub},
		[]string{"secret"},
		"",
	},
	"disable and rotate": {
		"update " + activeSub + " --enabled=false --rotate-secret",
		[]any{"708p"},
		0,
		[]string{`"disabled"`, `"whsec_`},
		nil, "",
	},
	"update unknown": {
		"update sub_000000000000000000000000 --enabled=false",
		[]any{"708l"},
		invocation.ExitToolError,
		nil,
		[]string{"not found"},
		"",
	},
	"update nothing": {
		"update " + activeSub, nil, invocation.ExitUsage, nil,
		[]string{"enabled", "rotate_secret"},
		"",
	},
	"update the address": {
		"update " + activeSub + " --callback-url http://127.0.0.1:9998/z", nil, invocation.ExitUsage,
		nil,
		[]string{"callback-url"},
		"",
	},
	"update the status": {
		"update " + activeSub + " --status disabled", nil, invocation.ExitUsage, nil,
		[]string{"status"},
		"",
	},

	"test":         {"test " + activeSub, []any{"710"}, 0, []string{"evt_a12b67f8dc9e71d685647ec1"}, nil, ""},
	"test pending": {"test " + pendingSub, []any{"710f"}, 0, []string{"event_id"}, nil, ""},
	"test disabled": {
		"test " + disabledSub,
		[]any{"710c"},
		invocation.ExitToolError, nil,
		[]string{"invalid_state", "status disabled"},
		"",
	},
	"test unknown": {"test sub_nope", []any{"710d"}, invocation.ExitToolError, nil, []string{"not found"}, ""},

	"delete": {"delete sub_97f2f56d41f3ba41df77082c --format text", []any{"714"}, 0, []string{"done"}, nil, ""},
	"delete again": {
		"delete sub_97f2f56d41f3ba41df77082c",
		[]any{"714b"},
		invocation.ExitToolError, nil,
		[]string{"not found"},
		"",
	},

	"capabilities": {
		"capabilities --format text",
		[]any{"701"},
		0,
		[]string{`endpoint="/v1/event-subscriptions"`, "dead_letter_state"},
		nil, "",
	},
}

// recorded returns the exchanges of the case.
func (c subscriptionCase) recorded(t *testing.T) []exchange {
	t.Helper()
	var read []exchange
	for _, each := range c.exchanges {
		change, isEdited := each.(edited)
		if !isEdited {
			read = append(read, readExchange(t, each.(string)))
			continue
		}
		made := readExchange(t, change.number)
		if !bytes.Contains(made.answer, []byte(change.from)) {
			t.Fatalf("nothing of capture %s was replaced", change.number)
		}
		made.answer = bytes.ReplaceAll(made.answer, []byte(change.from), []byte(change.to))
		read = append(read, made)
	}
	return read
}

// Commands send the requests that a real provider understands, and show the state in its answer. A command fails if
// that state is not the requested one.
func TestSubscriptionsOfARealProvider(t *testing.T) {
	for name, test := range subscriptionCases {
		t.Run(name, func(t *testing.T) {
			provider := &replayed{t: t, left: test.recorded(t)}
			server := httptest.NewServer(provider)
			t.Cleanup(server.Close)
			secretFile := filepath.Join(t.TempDir(), "secret")
			arguments := strings.Fields("subscriptions " + strings.ReplaceAll(test.command, "SECRET", secretFile))
			out, problems, code := runProgram(t, reading(server.URL, someToken), arguments...)
			if code != test.code {
				t.Errorf("ended with %d, want %d: %s", code, test.code, problems)
			}
			test.check(t, out, problems)
			if strings.Contains(test.command, "SECRET") {
				if kept, err := os.ReadFile(secretFile); err != nil || !strings.HasPrefix(string(kept), "whsec_") {
					t.Errorf("the secret file holds %q: %v", kept, err)
				}
			}
			if len(provider.left) > 0 {
				t.Errorf("the provider was not asked %s %s", provider.left[0].line, provider.left[0].body)
			}
		})
	}
}

// check checks that the output has its parts and no secret.
func (c subscriptionCase) check(t *testing.T, out, problems string) {
	t.Helper()
	for _, part := range c.out {
		if !strings.Contains(out, part) {
			t.Errorf("printed without %s:\n%s", part, out)
		}
	}
	for _, part := range c.err {
		if !strings.Contains(problems, part) {
			t.Errorf("stderr is without %s:\n%s", part, problems)
		}
	}
	if c.hides != "" && strings.Contains(out+problems, c.hides) {
		t.Errorf("%s is in the output:\n%s%s", c.hides, out, problems)
	}
}
