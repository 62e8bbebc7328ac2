package resource_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// What later versions say is said when it is asked for, and only then.
func TestComingAnswers(t *testing.T) {
	f := newFixture(t)
	f.get(personalToken, "/v1/streams/messages/records?limit=1").want("meta.fulfillment", "null")
	var coming resource.Coming
	for _, setting := range []string{
		"origin=cache", "ranking_scope=sampled", "freshness=stale", "unavailable=" + work,
		"retry_after=30s",
	} {
		if err := coming.Set(setting); err != nil {
			t.Fatal(err)
		}
	}
	f = newFixtureOf(t, resource.Options{Coming: coming})
	f.get(personalToken, "/v1/streams/messages/records?limit=1").want("meta.fulfillment", `{"origin":"cache"}`)
	hits := f.get(personalToken, "/v1/search?q=overdraft&limit=1")
	hits.want("meta.fulfillment.origin", `"cache"`)
	hits.want("meta.recall.ranking_scope", `"sampled"`)
	f.get(personalToken, "/v1/streams").want("data.0.freshness.status", `"stale"`)
	for _, target := range []string{
		"streams/messages/records", "streams/messages/aggregate?metric=count", "search?q=x",
		"streams/messages/records/w-001",
	} {
		a := f.send("GET", bothToken, "/v1/"+target, "")
		if a.Code != 503 || a.text("error.code") != "source_unavailable" || a.text("error.type") != "api_error" ||
			a.Header().Get("Retry-After") != "30" {
			t.Errorf("%s: answered %d %v %s", target, a.Code, a.Header(), a.Body)
		}
	}
	f.get(bothToken, "/v1/streams/messages/records?connection_id="+personal).want("has_more", "true")
	if err := coming.Set("tomorrow=1"); err == nil {
		t.Error("a setting that there is not was taken")
	}
}
