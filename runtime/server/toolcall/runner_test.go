// Package toolcall_test tests runners and sessions alone. Package host tests them behind stdio and HTTP.
package toolcall_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const secret = "tok_of_a_caller_7Gq2"

// asking returns a tool that does nothing but ask.
func asking(name string, ask tool.Ask) tool.Definition {
	return tool.Definition{Name: name, Ask: ask}
}

// ending returns a tool that ends with a result and an error.
func ending(name string, result *tool.Result, err error) tool.Definition {
	return asking(name, func(context.Context, tool.Env, json.RawMessage) (*tool.Answer, error) {
		if err != nil {
			return nil, err
		}
		return tool.Rendered(result, nil)
	})
}

// reading returns an environment with a reader of a provider, and the error.
func reading(t *testing.T, err error) toolcall.Environment {
	t.Helper()
	reader, errClient := rs.NewClient(rs.Options{
		BaseURL: "https://rs.example", ProviderURL: "https://pdpp.example",
		Bearer: rs.NewSecret(secret),
	})
	if errClient != nil {
		t.Fatal(errClient)
	}
	return func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, err }
}

// calls is a Recorder that keeps the tools and codes of calls.
type calls struct {
	toolcall.SilentRecorder
	seen []string
}

func (c *calls) Call(tool, code string, _ time.Duration) { c.seen = append(c.seen, tool+" "+code) }

// R-ERR-1, R-ERR-2, R-ERR-4, R-ERR-8: every failure of a tool becomes a result with a code, a message and the provider.
// It is recorded, and logged without a value of the caller. A call ends at its deadline, and with its caller.
func TestEveryFailureIsAResult(t *testing.T) {
	const limit = 25 * time.Second
	waiting := func(ctx context.Context, _ tool.Env, _ json.RawMessage) (*tool.Answer, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	refusal := func(status int, code string) error {
		envelope := json.RawMessage(`{"code":"` + code + `","message":"no"}`)
		return &rs.Error{Status: status, Code: code, Message: "no", Envelope: envelope}
	}
	for _, test := range []struct {
		definition       tool.Definition
		environment      error
		cancelled        bool
		code, says, logs string
		recorded         string // if it is not the code
		after            time.Duration
	}{
		{definition: ending("answers", &tool.Result{Text: "done", Rows: 3}, nil), code: "ok", says: "done"},
		{
			definition: ending("refused", nil, &tool.Error{Code: tool.InvalidFilter, Message: "no"}),
			code:       "invalid_filter", says: "no",
		},
		{
			definition: ending("denied", nil, refusal(403, "field_not_granted")), code: "field_not_granted", says: "no",
			recorded: "rs_403",
		},
		{
			definition: ending("unreachable", nil, &rs.Failure{Reason: rs.Unreachable, Message: "no"}),
			code:       "rs_unreachable", says: "no",
		},
		{definition: ending("plain", nil, errors.New("of "+secret)), code: "internal"},
		{definition: ending("nothing", nil, nil), code: "internal"},
		{
			definition: asking("panics",
				func(context.Context, tool.Env, json.RawMessage) (*tool.Answer, error) { panic(secret) }),
			code: "internal", logs: "panic=string",
		},
		{definition: asking("faults", func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
			return nil, errors.New(string(arguments[:9]))
		}), code: "internal", logs: "slice bounds out of range"},
		{definition: asking("slow", waiting), code: "rs_timeout", says: "the call took longer than 25s", after: limit},
		{definition: asking("cancelled", waiting), cancelled: true, code: "internal"},
		{
			definition: ending("unreached", &tool.Result{Text: "done"}, nil), environment: refusal(401, "authentication_error"),
			code: "authentication_error", says: "no", recorded: "rs_401",
		},
	} {
		t.Run(test.definition.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				recorder := &calls{}
				options := toolcall.Options{Timeout: limit, Recorder: recorder, Logger: slog.New(slog.NewTextHandler(&log, nil))}
				runner := toolcall.NewRunner(tool.Surface{Tools: []tool.Definition{test.definition}}, options,
					reading(t, test.environment))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancelled {
					cancel()
				}
				started := time.Now()
				var result *tool.Result
				err := runner.Observe(ctx, "tools/call", func(ctx context.Context) error {
					result = runner.Run(ctx, toolcall.Call{Method: "tools/call", Definition: runner.Tool(test.definition.Name)})
					return nil
				})
				if err != nil || time.Since(started) != test.after {
					t.Errorf("%v after %s", err, time.Since(started))
				}
				if result.IsError != (test.code != "ok") || !strings.Contains(result.Text, test.says) {
					t.Errorf("result is %+v", result)
				}
				named := test.environment != nil ||
					strings.Contains(string(result.Structured), `"provider_url":"https://pdpp.example"`)
				if result.IsError && (!named || !strings.Contains(string(result.Structured), `"code":"`+test.code+`"`)) {
					t.Errorf("structured output is %s", result.Structured)
				}
				if diff := gocmp.Diff([]string{test.definition.Name + " " + cmp.Or(test.recorded, test.code)},
					recorder.seen); diff != "" {
					t.Errorf("recorded (-want +got):\n%s", diff)
				}
				for _, hidden := range []string{secret, "goroutine", ".go:"} {
					if strings.Contains(result.Text+string(result.Structured), hidden) {
						t.Errorf("result %+v shows %q", result, hidden)
					}
				}
				if strings.Contains(log.String(), secret) || !strings.Contains(log.String(), test.logs) {
					t.Errorf("the log is %s", &log)
				}
			})
		})
	}
}

// R-ERR-4: a request that no tool answers has the deadline, the environment and the errors of a call.
func TestReadHasTheDeadlineOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := toolcall.NewRunner(tool.Surface{}, toolcall.Options{Timeout: time.Second}, reading(t, nil))
		err := runner.Read(t.Context(), toolcall.Call{Method: "resources/read"}, func(ctx context.Context, _ tool.Env) error {
			<-ctx.Done()
			return ctx.Err()
		})
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.Timeout {
			t.Errorf("error is %v", err)
		}
	})
}

// R-HOST-5: requests that run at the same time each get the environment of their context.
func TestEnvironmentsStayWithTheirRequests(t *testing.T) {
	type bearer struct{}
	environment := func(ctx context.Context) (tool.Env, error) {
		return tool.Env{}, &rs.Error{Status: 401, Code: ctx.Value(bearer{}).(string), Envelope: json.RawMessage(`{}`)}
	}
	runner := toolcall.NewRunner(tool.Surface{}, toolcall.Options{Timeout: time.Minute}, environment)
	errs := make(chan error, 64)
	for i := range cap(errs) {
		go func() {
			code := strings.Repeat("x", i)
			err := runner.Read(context.WithValue(t.Context(), bearer{}, code), toolcall.Call{}, nil)
			var refused *rs.Error
			if !errors.As(err, &refused) || refused.Code != code {
				errs <- err
				return
			}
			errs <- nil
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// Wait returns when the last request has left, or with its context (R-HOST-9).
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := toolcall.NewInFlight()
		running.Wait(t.Context()) // none is running
		for _, after := range []time.Duration{time.Second, 3 * time.Second} {
			leave := running.Enter()
			time.AfterFunc(after, leave) // on the bubble's clock
		}
		started := time.Now()
		limited, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if running.Wait(limited); time.Since(started) != 2*time.Second {
			t.Errorf("waited %s with a limit of 2 s", time.Since(started))
		}
		if running.Wait(t.Context()); time.Since(started) != 3*time.Second {
			t.Errorf("waited %s for requests of 3 s", time.Since(started))
		}
	})
}
