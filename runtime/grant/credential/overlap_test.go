package credential_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// R-LOCAL-1: grants of one connection overlap in the streams that both have.
func TestOverlaps(t *testing.T) {
	const whole = `[{"streams":[{"name":"messages","instance_ids":["cin_a","cin_b"]},{"name":"labels",` +
		`"instance_ids":["cin_a"]}]}]`
	const narrow = `[{"streams":[{"name":"messages","instance_ids":["cin_a"]},{"name":"labels",` +
		`"instance_ids":["cin_b"]}]}]`
	const every = `[{"streams":[{"name":"*","instance_ids":["cin_b"]}]}]`
	var grants []*credential.Entry
	for name, details := range map[string]string{"whole": whole, "narrow": narrow, "every": every, "unknown": ""} {
		entry := entryOf(t, name, name)
		entry.Credential.Details = []byte(details)
		grants = append(grants, entry)
	}
	got := map[string]string{}
	for _, each := range credential.Overlaps(grants) {
		names := [2]string{each.Grants[0].Credential.GrantID, each.Grants[1].Credential.GrantID}
		got[min(names[0], names[1])+" "+max(names[0], names[1])] = each.String()[len(names[0])+len(" and ")+len(names[1]):]
	}
	want := map[string]string{
		"narrow whole": " both have messages of cin_a; each read uses the grant that covers it",
		"every whole":  " both have messages of cin_b; each read uses the grant that covers it",
		"every narrow": " both have labels of cin_b; each read uses the grant that covers it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("overlaps (-want +got):\n%s", diff)
	}
}
