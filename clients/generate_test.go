//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// generateModel plays a model behind the Gemini API. It makes its calls one after the other, and keeps what it is
// told.
type generateModel struct {
	URL string

	mu    sync.Mutex
	calls []call
	asked []generateRequest // those that offer tools
}

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

// newGenerateModel serves the model on loopback until the test ends.
func newGenerateModel(t *testing.T, calls ...call) *generateModel {
	t.Helper()
	model := &generateModel{calls: calls}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		var request generateRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the client sent no JSON: %v", err)
		}
		part := `{"text":"done"}`
		if made := model.next(request); made != nil {
			part = fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, made.Tool, made.Arguments)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[%s]}}],`+
			`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`+"\n\n", part)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	model.URL = server.URL
	return model
}

// next gives the call to make, or nil when all are made. Requests without tools are for titles and the like.
func (m *generateModel) next(request generateRequest) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(request.Tools) == 0 {
		return nil
	}
	m.asked = append(m.asked, request)
	if number := len(m.asked); number <= len(m.calls) {
		return &m.calls[number-1]
	}
	return nil
}

// requests are those that offered tools, in their order.
func (m *generateModel) requests() []generateRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}
