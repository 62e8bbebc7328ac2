package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-CLAIM-2: the index and the schema of a stream show the limits of the grants and their end in both channels, as far
// as they are known. R-AGG-5: they name the orders that the adapter offers.
func TestSchemaShowsLimits(t *testing.T) {
	until := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	env := tool.Env{
		RS: serving(unadvertisedBody), Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 1}),
		Granted: []granted.Stream{
			{
				Name: "s", Expires: until,
				Limit: granted.Limit{TimeField: "at", Since: until.AddDate(0, -1, 0), Until: until, Records: []string{"1", "2"}},
			},
			{Name: "other", Expires: until.AddDate(0, 0, -1)},
		},
	}
	for name, test := range map[string]struct {
		input operation.SchemaInput
		end   string
	}{
		"index":  {operation.SchemaInput{}, "2026-05-31T00:00:00Z"},
		"stream": {operation.SchemaInput{Stream: pointer("s")}, "2026-06-01T00:00:00Z"},
	} {
		found, err := operation.Schema(t.Context(), env, test.input)
		if err != nil {
			t.Fatal(err)
		}
		result, err := found.Render()
		if err != nil {
			t.Fatal(err)
		}
		want := "Granted only: s, 2 records from 2026-05-01 to before 2026-06-01. What is outside is unknown, not absent. " +
			"The access ends at " + test.end + "."
		for _, channel := range []string{result.Text, string(result.Structured)} {
			if strings.Count(channel, want) != 1 {
				t.Errorf("%s: %q is not in:\n%s", name, want, channel)
			}
		}
		if name == "stream" && !strings.Contains(result.Text, " sort: any field, - for descending") {
			t.Errorf("no order by any field:\n%s", result.Text)
		}
	}
}
