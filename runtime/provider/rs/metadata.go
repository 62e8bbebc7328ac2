package rs

import (
	"context"
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// MetadataOfSource is a read of the public metadata of one provider. It is sent without the bearer.
type MetadataOfSource struct{ Origin string }

func (MetadataOfSource) sources() {}

// IndexBuilt is the state of a search index that has all records.
const IndexBuilt = "built"

// IndexState reads the state of the search index that answers words, or meanings, from the metadata of a provider (RFC
// 9728). It is empty if the metadata do not say, or do not exist. Its errors are those of Get.
func IndexState(ctx context.Context, reader Reader, origin string, byMeaning bool) (string, error) {
	response, err := reader.Get(ctx, Request{Path: JoinPath(".well-known", "oauth-protected-resource"), Sources: MetadataOfSource{origin}})
	switch refused := (*Error)(nil); {
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound: // a provider without metadata
		return "", nil
	case err != nil:
		return "", err
	}
	metadata, _ := rawjson.ParseObject(response.Body())
	capabilities, _ := rawjson.ParseObject(metadata.Get("capabilities"))
	name := "lexical_retrieval"
	if byMeaning {
		name = "semantic_retrieval"
	}
	retrieval, _ := rawjson.ParseObject(capabilities.Get(name))
	return retrieval.Text("index_state"), nil
}
