package plan_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func TestGoNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"query_records": {"QueryRecords", "queryRecords"},
		"connection_id": {"ConnectionID", "connectionID"},
		"id":            {"ID", "id"},
		"provider_url":  {"ProviderURL", "providerURL"},
		"rs_timeout":    {"RSTimeout", "rsTimeout"},
		"q":             {"Q", "q"},
	} {
		if got := [2]string{plan.GoName(name), plan.LocalName(name)}; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// The generator refuses what it cannot express, all at once; it never skips or guesses.
func TestBuildRefusesWhatItCannotExpress(t *testing.T) {
	_, err := plan.Build(&toolspec.Surface{Tools: []toolspec.Tool{{
		Name: "list",
		File: "toolspec/tools/list.yaml",
		Arguments: []toolspec.Argument{
			{Name: "colour", Type: "colour"},
			{Name: "filter", Type: "filter", Required: true},
			{Name: "name", Type: "string", Check: "pretty"},
			{Name: "limit", Type: "integer", Check: "not_blank", Send: "comma_list"},
			{Name: "cursor", Type: "string", Send: "pigeon"},
			{Name: "q", Type: "string", Required: true},
		},
		Preconditions: []toolspec.Precondition{
			{Gate: "open_sesame"},
			{Gate: "expand_advertised", When: []string{"q", "absent"}, With: toolspec.Bindings{{Name: "stream", Value: "name"}, {Name: "colour", Value: "q"}}},
		},
		Request: &toolspec.Request{
			Method: "POST", Path: "/v1//{missing}",
			PathBy: &toolspec.PathBy{Argument: "nobody"},
		},
		Result: &toolspec.Result{Render: "document", With: toolspec.Bindings{{Name: "target", Value: "target"}}},
		Output: "nothing",
	}}})
	want := []string{
		"arguments[0].type", "arguments[1].required", "arguments[2].check", "arguments[3].check",
		"arguments[3].send", "arguments[4].send", "output", "preconditions[0]", "preconditions[1].when",
		"preconditions[1].when", "preconditions[1].with", "preconditions[1].with.stream",
		"request.method", "request.path", "request.path", "request.path_by.argument", "result.with.target",
	}
	if diff := cmp.Diff(want, places(t, err)); diff != "" {
		t.Errorf("places (-want +got):\n%s\n%v", diff, err)
	}
}

func places(t *testing.T, err error) []string {
	t.Helper()
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("got %v, want joined problems", err)
	}
	var found []string
	for _, each := range joined.Unwrap() {
		var problem *plan.Error
		if !errors.As(each, &problem) || problem.File != "toolspec/tools/list.yaml" {
			t.Fatalf("%v is a %T, want a *plan.Error of the file", each, each)
		}
		found = append(found, problem.Place)
	}
	slices.Sort(found)
	return found
}
