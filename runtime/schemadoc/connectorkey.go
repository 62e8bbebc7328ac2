package schemadoc

import (
	"net/url"
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// ConnectorKey is the short name of the connector: gmail, also where the RS sends a URL that ends
// in it. Empty when unknown.
func ConnectorKey(members rawjson.Object) string {
	sent := members.FirstText("connector_key", "connector_id")
	if !strings.Contains(sent, "/") {
		return sent
	}
	if short := members.Text("connector_id"); short != "" && !strings.Contains(short, "/") {
		return short
	}
	address, err := url.Parse(sent)
	if err != nil || strings.Trim(address.Path, "/") == "" {
		return sent
	}
	return path.Base(address.Path)
}
