package render

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// The source's own address of a record.
var urlNames = []string{"url", "html_url", "permalink", "web_url", "link", "canonical_url", "source_url", "href"}

const urlCharacters = 2_000 // a longer address is not one that a client opens

// recordURL returns an absolute address of the record: the source's own if the record has one, otherwise the record under the public origin
// of its provider (R-FETCH-5). A hit among several providers names its provider.
func recordURL(members, fields rawjson.Object, id identity, provider string) string {
	provider = cmp.Or(provider, members.Text("provider_url"))
	for _, from := range []rawjson.Object{fields, members} {
		for _, name := range urlNames {
			if own := from.Text(name); openable(own) {
				return own
			}
		}
	}
	if id.stream == "" || id.recordID == "" {
		if openable(id.handle) {
			return id.handle
		}
		if path := members.Text("record_url"); strings.HasPrefix(path, "/") && openable(provider+path) {
			return provider + path
		}
		return ""
	}
	address := provider + string(rs.JoinPath("v1", "streams", id.stream, "records", id.recordID))
	if id.connectionID != "" {
		address += "?connection_id=" + url.QueryEscape(id.connectionID)
	}
	return address
}

func openable(address string) bool {
	if len(address) > urlCharacters || !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return false
	}
	parsed, err := url.Parse(address)
	return err == nil && parsed.Host != ""
}
