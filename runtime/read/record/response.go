package record

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func originOf(response *rs.Response) answer.Origin {
	return answer.Origin{
		ProviderURL: response.ProviderURL, URL: response.URL, RequestID: response.RequestID, Status: response.Status,
	}
}

// warningsOf returns the warnings in the meta of a body.
func warningsOf(body rawjson.Object) []rawjson.Value {
	meta, _ := rawjson.ParseObject(body.Get("meta"))
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	return warnings
}

func rangeOf(w *answer.Window) rawjson.Object {
	if w == nil {
		return nil
	}
	return w.Range
}

func originOfFile(content *blob.Content) answer.Origin {
	return answer.Origin{URL: content.URL, RequestID: content.RequestID, Status: http.StatusOK}
}
