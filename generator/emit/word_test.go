package emit_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/generator/emit"
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
		if got := [2]string{emit.GoName(name), emit.LocalName(name)}; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
