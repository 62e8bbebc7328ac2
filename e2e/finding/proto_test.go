package finding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

func TestProto(t *testing.T) {
	p := journey.NewProvider(t, resource.ReadsV01)
	reader, _ := rs.NewClient(rs.Options{BaseURL: p.URL, Bearer: rs.NewSecret(p.Box.Tokens()["everything"])})
	session := hosttest.Connect(t, gen.Surface(), hosttest.Options, func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil })
	call := func(q string) (*mcp.CallToolResult, []string, time.Duration) {
		start := time.Now()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"q": q}})
		took := time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Results []struct{ Id, Connection_id, Record_id string }
		}
		json.Unmarshal([]byte(journey.Structured(t, result)), &body)
		var keys []string
		for _, r := range body.Results {
			keys = append(keys, r.Connection_id+"/"+r.Record_id)
		}
		return result, keys, took
	}
	for _, q := range []string{"barometer grandfather parcel", "zzqqx blorf", "zzqqx", "barometer", "who had the clok in Großbeeren", "half a map"} {
		result, _, took := call(q)
		fmt.Println("=====", q, took)
		fmt.Println(journey.Text(t, result))
		fmt.Println(journey.Structured(t, result)[:600])
		for _, r := range p.Take() {
			fmt.Println("   ", r.URI)
		}
	}
	var hitTimes, missTimes []time.Duration
	total := 0
	for seed := uint64(1); seed <= 8; seed++ {
		found := 0
		for _, q := range questionsOf(seed, 40) {
			_, keys, took := call(q.q)
			missTimes = append(missTimes, took)
			if at := slices.Index(keys, q.record); at >= 0 && at < 5 {
				found++
			} else if os.Getenv("MISS") != "" {
				fmt.Println("MISS", at, q.kind, q.hasTypo, "|", q.q, "|", q.record)
				r, _, _ := call(q.q)
				fmt.Println(strings.Join(strings.Split(journey.Text(t, r), "\n")[:1], "\n"))
			}
			_, _, took = call(strings.Fields(q.q)[0])
		}
		for _, q := range []string{"barometer", "map", "hut", "rent", "overdraft", "Nebel", "archive", "tiles", "noodles"} {
			_, _, took := call(q)
			hitTimes = append(hitTimes, took)
		}
		fmt.Println(seed, found)
		total += found
	}
	slices.Sort(hitTimes)
	slices.Sort(missTimes)
	fmt.Println(total, "hit p50 p95", hitTimes[len(hitTimes)/2], hitTimes[len(hitTimes)*95/100], "miss", missTimes[len(missTimes)/2], missTimes[len(missTimes)*95/100])
}
