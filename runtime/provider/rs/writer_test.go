package rs_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func exampleChange() rs.Change {
	address, count, off := "https://a.example/?x=<1>&y", int64(3), false
	var query rs.Query
	query.Set("connection_id", "cin_1")
	var body rs.Body
	body.String("callback_url", &address)
	body.String("absent", nil)
	body.StringList("streams", []string{"a", `b"`})
	body.StringList("none", nil)
	body.StringList("empty", []string{})
	body.Integer("count", &count)
	body.StringList("filters.streams", []string{"a"})
	body.Boolean("filters.all", &off)
	body.Boolean("none", nil)
	return rs.Change{Method: http.MethodPost, Path: rs.JoinPath("v1", "event-subscriptions"), Query: query, Body: &body}
}

func TestSendSendsTheChangeAsItWasBuilt(t *testing.T) {
	var got []byte
	client, requests := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		got, _ = io.ReadAll(request.Body)
		writer.WriteHeader(http.StatusCreated)
		_, _ = writer.Write([]byte(`{"id":"sub_1"}`))
	})
	response, err := client.Send(t.Context(), exampleChange())
	if err != nil {
		t.Fatal(err)
	}
	if response.Status != http.StatusCreated || string(response.Body()) != `{"id":"sub_1"}` {
		t.Errorf("answer is %d %s", response.Status, response.Body())
	}
	const want = `{"callback_url":"https://a.example/?x=<1>&y","streams":["a","b\""],"empty":[],"count":3,` +
		`"filters":{"streams":["a"],"all":false}}`
	if string(got) != want {
		t.Errorf("the RS read %s, want %s", got, want)
	}
	request := requests.all()[0]
	if request.Method != http.MethodPost || request.RequestURI != "/v1/event-subscriptions?connection_id=cin_1" {
		t.Errorf("the RS saw %s %s", request.Method, request.RequestURI)
	}
	if request.Header.Get("Content-Type") != "application/json" ||
		request.Header.Get("Authorization") != "Bearer "+bearer {
		t.Errorf("the RS saw the headers %v", request.Header)
	}
}

// A body without members is sent as {}.
func TestEmptyBody(t *testing.T) {
	var got []byte
	client, _ := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		got, _ = io.ReadAll(request.Body)
		_, _ = writer.Write([]byte(`{}`))
	})
	if _, err := client.Send(t.Context(),
		rs.Change{Method: http.MethodPatch, Path: "/v1/x", Body: &rs.Body{}}); err != nil || string(got) != "{}" {
		t.Errorf("the RS read %q, %v; want {}", got, err)
	}
}

// A change may be answered with 204. A read without a body is a failure (R-ERR-4).
func TestOnlyAChangeMayBeAnsweredWithoutABody(t *testing.T) {
	client, requests := serve(t,
		func(writer http.ResponseWriter, _ *http.Request) { writer.WriteHeader(http.StatusNoContent) })
	response, err := client.Send(t.Context(), rs.Change{Method: http.MethodDelete, Path: "/v1/event-subscriptions/sub_1"})
	if err != nil || response.Status != http.StatusNoContent || response.Body() != nil {
		t.Errorf("got %+v, %v; want 204 without a body", response, err)
	}
	if sent := requests.all()[0]; sent.ContentLength > 0 || sent.Header.Get("Content-Type") != "" {
		t.Errorf("a change without a body announced %d bytes of %q", sent.ContentLength, sent.Header.Get("Content-Type"))
	}
	_, err = client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
		t.Errorf("an empty read returns %v, want %s", err, rs.InvalidResponse)
	}
}

// R-ERR-6: a change is sent once. A failure says that its outcome is unknown, and holds no bearer.
func TestAChangeIsNeverSentAgain(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		reason  rs.Reason
	}{
		"the connection breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, rs.Unreachable},
		"the answer is late": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // a server notices a disconnect only after the body
			<-r.Context().Done()
		}, rs.Timeout},
		"the answer is no JSON": {body("made it, " + bearer), rs.InvalidResponse},
		"the answer is too big": {body(`{"x":"` + strings.Repeat("x", 5000) + `"}`), rs.ResponseTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.handler, timeoutFor(test.reason), func(o *rs.Options) { o.MaxBody = 4000 })
			_, err := client.Send(t.Context(), exampleChange())
			var failure *rs.Failure
			if !errors.As(err, &failure) || failure.Reason != test.reason ||
				!strings.Contains(failure.Text(), "the change may have been made") ||
				strings.Contains(failure.Text(), "try again") {
				t.Errorf("got %v, want %s and an unknown outcome", err, test.reason)
			}
			if sent := len(requests.all()); sent != 1 {
				t.Errorf("the RS saw %d requests, want 1", sent)
			}
			if strings.Contains(err.Error(), bearer) {
				t.Error("the error holds the bearer")
			}
		})
	}
}

// R-ERR-1: a refusal is returned as it is. A change that was not sent was not made.
func TestRefusedAndUnsentChanges(t *testing.T) {
	client, _ := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.WriteHeader(http.StatusBadRequest)
		_, _ = writer.Write([]byte(`{"error":{"code":"invalid_callback","message":"no"}}`))
	})
	var refused *rs.Error
	if _, err := client.Send(t.Context(), exampleChange()); !errors.As(err, &refused) ||
		refused.Code != "invalid_callback" {
		t.Errorf("got %v, want the refusal", err)
	}
	unreachable, err := rs.NewClient(rs.Options{BaseURL: "http://127.0.0.1:1", Bearer: rs.NewSecret(bearer)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unreachable.Send(t.Context(), exampleChange()); err == nil ||
		strings.Contains(err.Error(), "may have been made") {
		t.Errorf("got %v, want a failure with a known outcome", err)
	}
}
