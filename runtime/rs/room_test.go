package rs_test

import (
	"net/http"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// A body is read into the memory of one that was recycled, and into no other: not of an answer that was given another body, and
// not without a room.
func TestRoomOfBodies(t *testing.T) {
	bodies := []string{`{"data":["first"]}`, `{"data":["second page"]}`, `{"data":[3]}`, `{"data":[4]}`}
	client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(bodies[0]))
		bodies = bodies[1:]
	})
	var room rs.Room
	read := func(room *rs.Room, want string) *rs.Response {
		t.Helper()
		response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema", Room: room})
		if err != nil || string(response.Body()) != want || string(response.Compact()) != want {
			t.Fatalf("%v, body %s, want %s", err, response.Body(), want)
		}
		return response
	}
	first := read(&room, bodies[0])
	kept := first.Body()
	other, err := first.WithBody([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	other.Recycle()
	second := read(&room, bodies[0])
	if first.Recycle(); first.Body() != nil || string(kept) != `{"data":["first"]}` || string(other.Body()) != `{}` {
		t.Errorf("bodies %s, %s, %s", first.Body(), kept, other.Body())
	}
	first.Recycle() // once more gives nothing
	none := read(nil, bodies[0])
	none.Recycle()
	if string(none.Body()) != `{"data":[3]}` || string(kept) != `{"data":["first"]}` {
		t.Errorf("bodies %s, %s", none.Body(), kept)
	}
	fourth := read(&room, bodies[0])
	if &fourth.Body()[0] != &kept[0] || string(second.Body()) != `{"data":["second page"]}` {
		t.Errorf("bodies %s, %s, in other memory", fourth.Body(), second.Body())
	}
}
