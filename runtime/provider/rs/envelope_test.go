package rs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func listOf(response rs.Response, body string) (rs.List, error) {
	answer, err := response.WithBody([]byte(body))
	if err != nil {
		return rs.List{}, err
	}
	return answer.List()
}

// Rows are found under every known name, with and without a wrapper. Members of the envelope take precedence over those
// of the body.
func TestListFindsTheRows(t *testing.T) {
	for body, want := range map[string]struct{ rowsName, cursor string }{
		`{"data":[1, 2],"next_cursor":"c"}`:                               {"data", "c"},
		`{"records":[1,2]}`:                                               {"records", ""},
		`{"data":null,"results":[1,2],"next_cursor":"c"}`:                 {"results", "c"},
		`{"next_cursor":"outer","data":{"hits":[1,2]}}`:                   {"hits", "outer"},
		`{"next_cursor":"o","data":{"data":[1,2],"next_cursor":"inner"}}`: {"data", "inner"},
		`{"data":{"next_cursor":null,"data":[1,2]},"next_cursor":"o"}`:    {"data", "o"},
	} {
		list, err := listOf(rs.Response{}, body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if len(list.Rows) != 2 || string(list.Rows[1]) != "2" || list.RowsName != want.rowsName ||
			list.Text("next_cursor") != want.cursor {
			t.Errorf("%s: rows %s under %q, cursor %q", body, list.Rows, list.RowsName, list.Text("next_cursor"))
		}
	}
}

// R-QRY-6: the first page of a feed has its current position (050). Its rows are not shown.
func TestThisMomentHasNoRows(t *testing.T) {
	var now rs.Query
	now.Set("changes_since", "now")
	for _, body := range []string{
		`{"data":[1],"has_more":true,"next_cursor":"c","next_changes_since":"place"}`,
		`{"data":{"data":[1],"has_more":true,"next_cursor":"c","next_changes_since":"place"}}`,
	} {
		list, err := listOf(rs.Response{Request: rs.Request{Query: now}}, body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if len(list.Rows) != 0 || list.Text("next_cursor") != "" || string(list.Get("has_more")) != "false" ||
			list.Text("next_changes_since") != "place" {
			t.Errorf("%s: rows %s, cursor %q, more %s", body, list.Rows, list.Text("next_cursor"), list.Get("has_more"))
		}
	}
}

// R-ERR-4: the failure of a body without a list has its URL.
func TestListOfAnUnusableAnswer(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `{"data":`, "{\"a\":\"\xff\"}", `{}`, `{"data":{"data":{"data":[]}}}`,
		`{"data":"rows"}`,
	} {
		_, err := listOf(rs.Response{Status: 200, RequestID: "req_1", URL: "https://rs.example/v1"}, body)
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse || failure.RequestID != "req_1" ||
			failure.URL != "https://rs.example/v1" || failure.Status != 200 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// List follows WithBody and Seen after it was called before.
func TestListIsReadAgain(t *testing.T) {
	first, err := rs.Response{}.WithBody([]byte(`{"data":[{"id":"m1"},{"id":"m2"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ids := func(response *rs.Response) string {
		list, err := response.List()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, row := range list.Rows {
			rows = append(rows, string(row))
		}
		return strings.Join(rows, " ")
	}
	all := ids(first)
	other, err := first.WithBody([]byte(`{"data":[{"id":"m3"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{all, ids(other), ids(first)}
	want := []string{`{"id":"m1"} {"id":"m2"}`, `{"id":"m3"}`, `{"id":"m1"} {"id":"m2"}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
