package rs_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func ExampleJoinPath() {
	fmt.Println(rs.JoinPath("v1", "streams", "chat messages", "records", "C001:17/5"))
	// Output: /v1/streams/chat%20messages/records/C001:17%2F5
}

// A query keeps the order in which it was built. Nil arguments are not sent.
func ExampleQuery() {
	limit := int64(20)
	var query rs.Query
	query.Integer("limit", &limit)
	query.String("cursor", nil)
	query.Repeated("expand", []string{"thread", "attachments"})
	query.BracketFilter("filter", rs.Filter{{Field: "sent_at", Operator: "gte", Value: "2026-01-01"}})
	fmt.Println(query.Encoded())
	// Output: limit=20&expand=thread&expand=attachments&filter%5Bsent_at%5D%5Bgte%5D=2026-01-01
}

// resourceServer returns a provider with one stream.
func resourceServer() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/v1/streams/messages/records" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"type":"not_found_error","code":"stream_not_found","message":"There is no such stream."}}`)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m1","subject":"Hello"}]}`)
	}))
}

// Records stay the bytes that the resource server sent.
func ExampleClient_Get() {
	server := resourceServer()
	defer server.Close()
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-scoped-token-3fKq9")})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := rs.Request{Path: rs.JoinPath("v1", "streams", "messages", "records")}
	request.Query.Set("limit", "1")
	response, err := client.Get(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.Status, string(response.Body()))
	// Output: 200 {"object":"list","data":[{"id":"m1","subject":"Hello"}]}
}

// A refusal by the resource server is an Error. Every other failure is a Failure.
func ExampleError() {
	server := resourceServer()
	defer server.Close()
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-scoped-token-3fKq9")})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Get(context.Background(), rs.Request{Path: rs.JoinPath("v1", "streams", "letters", "records")})
	var refused *rs.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Code, refused.Message)
	}
	// Output: 404 stream_not_found There is no such stream.
}
