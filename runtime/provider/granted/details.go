package granted

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// timeRange is a range of time of a request or a grant, in RFC 3339.
type timeRange struct{ Field, Since, Until string }

// Read returns what the authorization_details of a grant allow (RFC 9396). It ignores members of another form, since
// the resource server decides what may be read.
func Read(grantID string, details rawjson.Value) (streams []Stream) {
	var sent []struct {
		Streams []struct {
			Name        string    `json:"name"`
			Connections []string  `json:"instance_ids"`
			Fields      []string  `json:"fields"`
			Records     []string  `json:"resources"`
			Range       timeRange `json:"time_range"`
			Constraint  timeRange `json:"time_constraint"`
		} `json:"streams"`
	}
	_ = json.Unmarshal(details, &sent)
	for _, detail := range sent {
		for _, each := range detail.Streams {
			if each.Name == "" {
				continue
			}
			bounds := cmp.Or(each.Constraint, each.Range)
			limit := Limit{Fields: each.Fields, Records: each.Records, TimeField: bounds.Field}
			limit.Since, _ = time.Parse(time.RFC3339, bounds.Since) // the resource server applies a bound of another form
			limit.Until, _ = time.Parse(time.RFC3339, bounds.Until)
			streams = append(streams, Stream{GrantID: grantID, Name: each.Name, Connections: each.Connections, Limit: limit})
		}
	}
	return streams
}
