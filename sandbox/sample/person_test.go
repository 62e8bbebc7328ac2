package sample_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// R-EVAL-2: person 0 is the one of all other tests; every other one is the same each time, and has no trace of Nora.
func TestPersons(t *testing.T) {
	if !reflect.DeepEqual(sample.Person(0), sample.Shared()) {
		t.Error("person 0 is not Nora Weiss")
	}
	one, again := sample.Person(1), sample.Person(1)
	if !reflect.DeepEqual(one, again) {
		t.Error("person 1 differs from itself")
	}
	for _, record := range one.Records {
		for _, trace := range []string{"Nora", "Kartenwerk", "Yamabiko", "nora@", "<<"} {
			if strings.Contains(string(record.Data), trace) {
				t.Fatalf("%s/%s:%s says %q: %.200s", record.ConnectionID, record.Stream, record.Key, trace, record.Data)
			}
		}
	}
	if len(one.Records) == len(sample.Person(2).Records) {
		t.Error("persons 1 and 2 have the same number of records")
	}
}
