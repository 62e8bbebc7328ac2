package claims_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

var (
	limitsForm = regexp.MustCompile(`Granted only: (.*?)\. What is outside is unknown, not absent\.`)
	limitForm  = regexp.MustCompile(`^(.*?)(?: \((?:fields )?([^()]+?)(?: fields)?\))?(?:, (\d+) records)?(?: from (\S+) on| from (\S+) to before (\S+)| before (\S+))?$`)
)

// limit is the grant of a stream as a result shows it.
type limit struct{ fields, records, since, until string }

// limitsOf returns the limits that a result names, by stream.
func (c claims) limitsOf() map[string]limit {
	named := map[string]limit{}
	found := limitsForm.FindStringSubmatch(c.note)
	if found == nil {
		return named
	}
	for part := range strings.SplitSeq(found[1], "; ") {
		read := limitForm.FindStringSubmatch(part)
		for stream := range strings.SplitSeq(read[1], ", ") {
			named[stream] = limit{fields: sorted(strings.Split(read[2], ", ")), records: read[3], since: read[4] + read[5], until: read[6] + read[7]}
		}
	}
	return named
}

// limits checks that a result names exactly the limits that the question reaches past (R-CLAIM-1).
func (k *checking) limits(streams []catalog.StreamGrant) {
	named := k.limitsOf()
	isOfOne := len(named) == 1 && k.tool != "schema" // the fields are named then; a schema lists them
	for _, granted := range streams {
		if k.connection != "" && !slices.Contains(granted.ConnectionIDs, k.connection) {
			continue
		}
		since, until := k.bounds(granted)
		want := limit{}
		if since.Before(granted.Since) || !granted.Until.IsZero() && (until.IsZero() || until.After(granted.Until)) {
			if !granted.Since.IsZero() {
				want.since = granted.Since.Format(time.DateOnly)
			}
			if !granted.Until.IsZero() {
				want.until = granted.Until.Format(time.DateOnly)
			}
		}
		if granted.Resources != nil {
			want.records = strconv.Itoa(len(granted.Resources))
		}
		if want != (limit{}) && isOfOne {
			want.fields = k.fieldsOf(granted)
		}
		if named[granted.Name] != want {
			k.report(wrongLimit, "of %s it names %q, not %q", granted.Name, named[granted.Name], want)
		}
		delete(named, granted.Name)
	}
	for stream := range named {
		k.report(wrongLimit, "it names a limit of %s", stream)
	}
}

// fieldsOf returns how a result names the granted fields of a stream.
func (k *checking) fieldsOf(granted catalog.StreamGrant) string {
	names := granted.Fields
	if names == nil { // the authorization server lists all fields
		for _, field := range k.stream(granted.Name).Fields {
			names = append(names, field.Name)
		}
	}
	if len(names) > 12 {
		return strconv.Itoa(len(names))
	}
	return sorted(names)
}

func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), ", ") }

// bounds returns the range of time that the call selects.
func (k *checking) bounds(granted catalog.StreamGrant) (since, until time.Time) {
	for _, each := range k.conditions {
		if at, isTime := each.value.(time.Time); isTime && each.field.Name == k.stream(granted.Name).ConsentTimeField {
			if each.operator == "gte" {
				since = at
			} else {
				until = at
			}
		}
	}
	if filter, isRange := k.arguments["filter"].(map[string]any); isRange && k.arguments["stream"] == "*" {
		bounds := filter["time"].(map[string]string)
		since, _ = time.Parse(time.RFC3339, bounds["gte"]) // as it was drawn
		until, _ = time.Parse(time.RFC3339, bounds["lt"])
	}
	return since, until
}

// checkRefusal checks that the refusal of a field that is not granted says so, and lists granted fields (R-CLAIM-2).
func (c *caller) checkRefusal(q question, refusal string) (found []finding) {
	if q.ungranted == "" {
		return nil
	}
	var read struct{ Accepted []string }
	_ = json.Unmarshal([]byte(refusal), &read) // without the list, it names no field
	isUngranted := func(name string) bool { return !slices.Contains(q.granted.Fields, strings.TrimPrefix(name, "-")) }
	isNamed := strings.Contains(refusal, "is not granted") || strings.Contains(refusal, "no granted field")
	if !isNamed || read.Accepted == nil || slices.ContainsFunc(read.Accepted, isUngranted) {
		found = append(found, finding{notGranted, q.String() + ": " + refusal})
	}
	return found
}
