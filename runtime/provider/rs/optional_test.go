package rs_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// rejecting refuses with an envelope of these members.
func rejecting(status int, members string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error":{` + members + `}}`))
	}
}

// schemaRequest has two optional parameters and a required one.
func schemaRequest() rs.Request {
	request := rs.Request{Path: "/v1/schema", Optional: []string{"view", "stream", "connection_id"}}
	request.Query.Set("view", "compact")
	request.Query.Set("stream", "threads")
	request.Query.Set("connection_id", "cin_1")
	request.Query.Set("order", "asc")
	return request
}

// R-SCH-1: the requests that a server sees when it refuses parameters. A named parameter is removed alone. Otherwise
// the newest optional parameter is removed first, and then all. Other refusals are final.
func TestRefusedParametersAreLeftOut(t *testing.T) {
	const (
		all     = "view=compact&stream=threads&connection_id=cin_1&order=asc"
		unnamed = `"code":"invalid_request","message":"unknown parameter"`
	)
	good := body(`{}`)
	tests := map[string]struct {
		answer http.HandlerFunc
		saw    []string
		status int // of the returned refusal; 0 for an answer
	}{
		"none": {good, []string{all}, 0},
		"the view": {
			inTurn(rejecting(400, unnamed+`,"param":"view"`), good),
			[]string{all, "stream=threads&connection_id=cin_1&order=asc"},
			0,
		},
		"the stream": {
			inTurn(rejecting(400, unnamed+`,"param":"stream"`), good),
			[]string{all, "view=compact&connection_id=cin_1&order=asc"},
			0,
		},
		"the connection": {
			inTurn(rejecting(400, unnamed+`,"param":"connection_id"`), good),
			[]string{all, "view=compact&stream=threads&order=asc"},
			0,
		},
		"one that is not optional": {rejecting(400, unnamed+`,"param":"order"`), []string{all}, 400},
		"one that was not sent":    {rejecting(400, unnamed+`,"param":"limit"`), []string{all}, 400},
		"without a name, once": {
			inTurn(rejecting(400, unnamed), good),
			[]string{all, "stream=threads&connection_id=cin_1&order=asc"},
			0,
		},
		"without a name, twice": {
			inTurn(rejecting(400, unnamed), rejecting(400, unnamed), good),
			[]string{all, "stream=threads&connection_id=cin_1&order=asc", "order=asc"},
			0,
		},
		"without a name, for good": {
			rejecting(400, unnamed),
			[]string{all, "stream=threads&connection_id=cin_1&order=asc", "order=asc"},
			400,
		},
		"the view, then forbidden": {
			inTurn(rejecting(400, unnamed), rejecting(403, `"code":"grant_revoked"`)),
			[]string{all, "stream=threads&connection_id=cin_1&order=asc"},
			400,
		},
		"another code":   {rejecting(400, `"code":"unsupported_version"`), []string{all}, 400},
		"another status": {rejecting(403, unnamed), []string{all}, 403},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			response, err := client.Get(t.Context(), schemaRequest())
			var saw []string
			for _, request := range requests.all() {
				saw = append(saw, request.URL.RawQuery)
			}
			if diff := cmp.Diff(test.saw, saw); diff != "" {
				t.Errorf("the RS saw (-want +got):\n%s", diff)
			}
			var refused *rs.Error
			switch {
			case test.status != 0 && (!errors.As(err, &refused) || refused.Status != test.status):
				t.Errorf("got %v, want status %d", err, test.status)
			case test.status == 0 && (err != nil || response.Request.Query.Encoded() != test.saw[len(test.saw)-1]):
				t.Errorf("got %v, %v; the answer must have the last request", response, err)
			}
		})
	}
}

// R-SCH-1, R-ERR-4: a timeout after a refused parameter is returned as a timeout.
func TestSilenceAfterARefusedParameterIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		answers := inTurn(rejecting(400, `"code":"invalid_request"`),
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		client := offline(t, func(w http.ResponseWriter, r *http.Request) { requests++; answers(w, r) })
		response, err := client.Get(t.Context(), schemaRequest())
		if failure := asFailure(t, response, err); failure.Reason != rs.Timeout || requests != 2 {
			t.Errorf("got %v after %d requests", err, requests)
		}
	})
}

// The caller's request is not modified.
func TestRequestsAreNotChanged(t *testing.T) {
	asked := schemaRequest()
	before := slices.Clone(asked.Query.Parameters())
	client, _ := serve(t, inTurn(rejecting(400, `"code":"invalid_request"`), body(`{}`)))
	if _, err := client.Get(t.Context(), asked); err != nil || !slices.Equal(before, asked.Query.Parameters()) {
		t.Errorf("%v; the request is %v, was %v", err, asked.Query.Parameters(), before)
	}
}
