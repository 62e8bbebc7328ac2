package finding_test

import (
	"context"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-FIND-1, R-PKG-2: over the grants of a package, each source is read six times at most, and the best hits of several
// sources come first.
func TestSeveralSourcesAreRelaxedTogether(t *testing.T) {
	provider := journey.NewProvider(t, resource.ReadsV01)
	var sources []fanout.Source
	for _, member := range provider.Box.Authorization().Members("package") {
		reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret(member.AccessToken)})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources,
			fanout.Source{GrantID: "grt_" + member.ConnectionID, ConnectionID: member.ConnectionID, Reader: reader})
	}
	if len(sources) < 2 {
		t.Fatalf("the package has %d members", len(sources))
	}
	reader := fanout.New(sources, fanout.Options{ProviderURL: provider.URL})
	d := desk{
		provider, reader,
		hosttest.Connect(t, gen.Surface(), hosttest.Options,
			func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }),
	}
	read, text, requests := d.search(t, "overdraft barometer zzzq")
	connections := map[string]bool{}
	for _, hit := range read.Results {
		connections[hit.ConnectionID] = true
	}
	if len(connections) < 2 {
		t.Errorf("hits of %v:\n%s", connections, text)
	}
	reads := map[string]int{}
	searches, _ := parted(requests)
	for _, request := range searches {
		reads[request.Bearer]++
	}
	for bearer, number := range reads {
		if number > 6 {
			t.Errorf("%s was read %d times", bearer, number)
		}
	}
	if len(reads) != len(sources) {
		t.Errorf("read %v, want %d sources", reads, len(sources))
	}
}
