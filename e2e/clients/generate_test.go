//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

type generateRequest struct {
	Tools []struct {
		Functions []generateFunction `json:"functionDeclarations"`
	} `json:"tools"`
	Contents []struct {
		Parts []struct {
			Text     string          `json:"text"`
			Response json.RawMessage `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
}

type generateFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

func (r generateRequest) counts() bool { return len(r.Tools) > 0 }

// newGenerateModel serves a scripted model with the Gemini API, which has many paths.
func newGenerateModel(t *testing.T, calls ...call) *playedModel[generateRequest, call] {
	t.Helper()
	return playModel[generateRequest](t, "POST /", calls, writeCandidate)
}

// writeCandidate streams an answer: a call, or a word if none is left.
func writeCandidate(w http.ResponseWriter, _ int, made *call) {
	part := `{"text":"done"}`
	if made != nil {
		part = fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, made.Tool, made.Arguments)
	}
	fmt.Fprintf(w, `data: {"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[%s]}}],`+
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`+"\n\n", part)
}
