package journey

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// R-BLOB-1, R-BLOB-2: every text that is attached to a mail is read to its end by the call that its row shows, in the
// sample's own bytes. The resource server is asked for the file once for each window, with the bearer of the call, and
// for nothing of a file that cannot be shown.
func files(t *testing.T, v *traveller) {
	const field = "blob_ref"
	stored := map[string]string{} // by the id of the record
	set := sample.Shared()
	for _, record := range set.Records {
		var attachment struct {
			Blob struct {
				ID string `json:"blob_id"`
			} `json:"blob_ref"`
		}
		if record.Stream != "attachments" || json.Unmarshal(record.Data, &attachment) != nil {
			continue
		}
		for _, blob := range set.Blobs {
			if blob.ID == attachment.Blob.ID {
				stored[record.ConnectionID+"/"+record.Stream+":"+record.Key] = string(blob.Bytes)
			}
		}
	}
	rows, err := v.Rows(t.Context(),
		blind.Arguments{"stream": "attachments", "connection_id": sample.PersonalMail, "limit": 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]int{}
	for _, row := range rows {
		named := strings.Trim(string(row.Values[field]), `"`)
		kind, isText := strings.CutPrefix(named, "blob(text/")
		if !isText {
			continue
		}
		v.provider.Take()
		text, err := v.ReadOn(t.Context(), row, field)
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ = strings.Cut(kind, " ")
		read[strings.TrimSuffix(kind, ";")]++
		if diff := cmp.Diff(stored[row.ID], text); diff != "" && !strings.HasPrefix(kind, "html") {
			t.Errorf("%s (-stored +read):\n%s", row.ID, diff)
		}
		v.sawFile(t)
	}
	if read["csv"] == 0 || read["calendar"] == 0 || read["vcard"] == 0 {
		t.Errorf("the texts that were read are %v, want tables, calendars and contacts", read)
	}
}

// sawFile checks the requests for a file of one window: the field, which is not text, its record, and the bytes.
func (v *traveller) sawFile(t *testing.T) {
	t.Helper()
	var seen []int
	requests := v.provider.Take()
	for _, request := range requests {
		if strings.HasPrefix(request.URI, "/v1/") {
			seen = append(seen, request.Status)
		}
	}
	want := []int{http.StatusUnprocessableEntity, http.StatusOK, http.StatusOK}
	last := requests[len(requests)-1]
	if !slices.Equal(seen, want) || !strings.HasPrefix(last.URI, "/v1/blobs/") ||
		last.Bearer != requests[len(requests)-2].Bearer {
		t.Errorf("the resource server saw %v", requests)
	}
}
