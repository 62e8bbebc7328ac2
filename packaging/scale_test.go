package packaging_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

const scalePage = "../docs/performance/scale.md"

// R-OPS-4: the counts of docs/performance/scale.md: what the authorization server and the resource server see of calls.
func TestCountsOfScale(t *testing.T) {
	page, err := os.ReadFile(scalePage)
	if err != nil {
		t.Fatal(err)
	}
	provider := newProvider(t) // it remembers nothing of a read, and replicas are new for each count
	written := between(t, string(page), "counts", introspectionTable(t, provider)+"\n"+readTable(t, provider))
	golden.File(t, scalePage, between(t, written, "model", modelTable()))
}

// between returns a page with other text between the marks of a name.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := "<!-- "+name+": written by go test ./packaging -run Scale -update -->\n", "<!-- end of "+name+" -->"
	before, rest, began := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !began || !ended {
		t.Fatalf("the page has no place between %q and %q", begin, end)
	}
	return before + begin + "\n" + text + "\n" + end + after
}

// tokensOfScale are grants of the sandbox, and packages of grants.
var tokensOfScale = []string{
	"everything", "gmail_personal", "gmail_both", "spotify", "slack", "narrow", "package",
	"package_single",
}

// callsOfAToken are made one after another within the minute that an introspection is kept.
const callsOfAToken = 12

// introspectionTable counts the introspections for the calls of eight tokens, by replicas and affinity.
func introspectionTable(t *testing.T, provider *provider) string {
	var table strings.Builder
	table.WriteString("| replicas | a token keeps to one | calls | introspections | answered by the caches " +
		"|\n|---|---|---|---|---|\n")
	for _, row := range []struct {
		replicas int
		affinity bool
	}{{1, false}, {2, false}, {2, true}, {3, false}, {3, true}} {
		balancer := newBalancer(t)
		balancer.affinity = row.affinity
		for i := range row.replicas {
			balancer.join(startReplica(t, fmt.Sprint("replica-", i), readPod(t, plainManifests), provider, balancer.url, ""))
		}
		calls, before := int64(0), provider.introspections.Load()
		for _, name := range tokensOfScale {
			for range callsOfAToken {
				calls++
				post(t, balancer.url, provider.Tokens()[name], "search", `{"q":"overdraft","limit":1}`)
			}
		}
		asked, affinity := provider.introspections.Load()-before, "no"
		if row.affinity {
			affinity = "yes"
		}
		fmt.Fprintf(&table, "| %d | %s | %d | %d | %d %% |\n", row.replicas, affinity, calls, asked, 100*(calls-asked)/calls)
	}
	return table.String()
}

// modelTable calculates what docs/performance/scale.md says of more users than were measured: of calls that come at
// random, at a mean rate.
func modelTable() string {
	const (
		rate      = 0.1    // calls of a user in a second
		processor = 0.0004 // seconds of a call
		reads     = 2.0    // of a call
		kept      = 60.0   // seconds that a replica keeps an introspection
		shared    = 10.0   // seconds that a shared cache does
	)
	asked := func(replicas float64) float64 { return rate / (1 + rate*kept/replicas) }
	behind := func(replicas float64) float64 { return asked(replicas) / (1 + asked(replicas)*shared) }
	var table strings.Builder
	table.WriteString("| users | calls/s | cores | reads of the RS/s | introspections/s: no cache | 1 replica, or " +
		"affinity | 3 replicas | 12 replicas | 3 with a shared cache | 12 with one |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, users := range []float64{10, 100, 1000, 10_000} {
		fmt.Fprintf(&table, "| %.0f | %.0f | %.4g | %.0f | %.0f | %.3g | %.3g | %.3g | %.3g | %.3g |\n", users, users*rate,
			users*rate*processor,
			users*rate*reads, users*rate, users*asked(1), users*asked(3), users*asked(12), users*behind(3), users*behind(12))
	}
	return table.String()
}

// readCalls are the rows of the table of reads.
var readCalls = []struct{ what, tool, arguments string }{
	{"`schema`", "schema", `{}`},
	{"`schema` of a stream", "schema", `{"stream":"messages","connection_id":"cin_gmail_personal"}`},
	{"`query_records`", "query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","limit":25}`},
	{
		"`query_records` with a filter, read on", "query_records",
		`{"stream":"messages","connection_id":"cin_gmail_personal","limit":25,"filter":{"from_name":"Tomas Lind"}}`,
	},
	{"`aggregate`", "aggregate", `{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count"}`},
	{
		"`aggregate` in groups, read on", "aggregate",
		`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by":"from_name"}`,
	},
	{"`search`", "search", `{"q":"overdraft","limit":25}`},
	{"`fetch`", "fetch", `{"id":"cin_gmail_personal/message_bodies:p-msg-005"}`},
	{
		"`read_record_field`", "read_record_field",
		`{"id":"cin_gmail_personal/message_bodies:p-msg-005","field_path":"body_text"}`,
	},
}

// readTable counts the reads of the resource server that each call makes, and the same call made again.
func readTable(t *testing.T, provider *provider) string {
	var table strings.Builder
	table.WriteString("| call | reads with one grant | made again | reads with a package of seven | made again " +
		"|\n|---|---|---|---|---|\n")
	counted := make(map[string][]any)
	for _, token := range []string{"everything", "package"} {
		server := startReplica(t, token, readPod(t, plainManifests), provider, "https://mcp.pdpp.example", "")
		for _, each := range readCalls {
			for range 2 {
				before := provider.reads.Load()
				post(t, server.url.String(), provider.Tokens()[token], each.tool, each.arguments)
				counted[each.what] = append(counted[each.what], provider.reads.Load()-before)
			}
		}
	}
	for _, each := range readCalls {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", slices.Insert(counted[each.what], 0, any(each.what))...)
	}
	return table.String()
}

// post makes one call without a handshake, which the hosted server does not ask for.
func post(t *testing.T, origin, bearer, tool, arguments string) {
	t.Helper()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool,
		arguments)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Authorization": {"Bearer " + bearer}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || strings.Contains(string(body), `"isError":true`) {
		t.Fatalf("%s %s: %v %d %s", tool, arguments, err, response.StatusCode, body)
	}
}
