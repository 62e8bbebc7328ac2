package rs_test

import (
	"net/http"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// The memory of a body is left to others only when its request said so and it was recycled, and nothing of it can be seen any more. An
// answer that was given another body does not leave that of the first.
func TestMemoryOfBodies(t *testing.T) {
	const body = `{"data":["first"]}`
	client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
	read := func(isRecycled bool) *rs.Response {
		t.Helper()
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema", IsRecycled: isRecycled})
		if err != nil || string(response.Body()) != body || string(response.Compact()) != body {
			t.Fatalf("%v, body %s", err, response.Body())
		}
		return response
	}
	first, own := read(true), read(false)
	kept := first.Body()
	other, err := first.WithBody([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if other.Recycle(); string(kept) != body || string(other.Body()) != `{}` {
		t.Errorf("bodies %s and %s", kept, other.Body())
	}
	if first.Recycle(); first.Body() != nil || string(kept) != string(make([]byte, len(kept))) {
		t.Errorf("bodies %s and %q", first.Body(), kept)
	}
	first.Recycle() // once more leaves nothing
	if own.Recycle(); string(own.Body()) != body {
		t.Errorf("the body of an answer that stays is %s", own.Body())
	}
	indented, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data": ["spaced"]}`)) })
	spaced, err := indented.Get(t.Context(), rs.Request{Path: "/v1/schema", IsRecycled: true})
	if err != nil {
		t.Fatal(err)
	}
	without := spaced.Compact()
	if spaced.Recycle(); string(without) != string(make([]byte, len(without))) {
		t.Errorf("without its whitespace the body is still %q", without)
	}
	for range 10 {
		second, third := read(true), read(true)
		if &second.Body()[0] == &third.Body()[0] {
			t.Fatal("two answers share their memory")
		}
		second.Recycle()
		third.Recycle()
	}
}
