package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	headerRevision = "Mcp-Protocol-Version"

	// revisionUnnamed is that of a request which names none (MCP 2025-06-18, Protocol Version Header).
	revisionUnnamed = "2025-03-26"
)

// methodKind is what the SDK wants of a message with a known method.
type methodKind struct {
	isNotification bool
	wantsParams    bool
}

// methods are those that the SDK knows, also of features that this server lacks, such as subscriptions. Over HTTP the SDK refuses
// any other, and a known one in the wrong form, without the message's id; a test holds this list to the SDK's. It leaves out
// methodListen: see refuseListening.
var methods = map[string]methodKind{
	methodComplete:              {wantsParams: true},
	methodInitialize:            {wantsParams: true},
	"logging/setLevel":          {wantsParams: true},
	"ping":                      {},
	"prompts/get":               {wantsParams: true},
	"prompts/list":              {},
	methodListResources:         {},
	methodReadResource:          {wantsParams: true},
	"resources/subscribe":       {wantsParams: true},
	"resources/templates/list":  {},
	"resources/unsubscribe":     {wantsParams: true},
	"server/discover":           {},
	methodCall:                  {wantsParams: true},
	"tools/list":                {},
	methodCancelled:             {isNotification: true},
	"notifications/initialized": {isNotification: true},
	methodProgress:              {isNotification: true, wantsParams: true},

	"notifications/roots/list_changed": {isNotification: true},
}

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
	methodProgress   = "notifications/progress"

	// methodCall is the one request that is answered here: see toolCalls.
	methodCall = "tools/call"
)

// revisionOf is the revision of a request as its header names it.
func revisionOf(r *http.Request) string {
	if named := r.Header.Get(headerRevision); named != "" {
		return named
	}
	return revisionUnnamed
}

// hasBatches reports whether a revision has batches: 2025-06-18 took them away.
func hasBatches(revision string) bool {
	return revision <= revisionUnnamed && slices.Contains(Revisions(), revision)
}

// isAnswerable reports whether the SDK takes the headers of a POST, whatever its body.
func isAnswerable(r *http.Request) bool {
	revision := revisionOf(r)
	return (revision >= newestRevision || slices.Contains(Revisions(), revision)) &&
		isJSON(r.Header.Get("Content-Type")) && accepts(r.Header["Accept"]) && len(r.Header.Values("Last-Event-Id")) == 0
}

func isJSON(media string) bool {
	if media == mediaJSON {
		return true
	}
	base, _, err := mime.ParseMediaType(media)
	return err == nil && base == mediaJSON
}

// accepts reports whether a client takes both forms of an answer (MCP 2025-03-26, Sending Messages to the Server).
func accepts(sent []string) bool {
	takes := make(map[string]bool)
	for media := range strings.SplitSeq(strings.Join(sent, ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		takes[strings.ToLower(strings.TrimSpace(media))] = true
	}
	return (takes[mediaJSON] || takes["application/*"] || takes["*/*"]) && (takes["text/event-stream"] || takes["text/*"] || takes["*/*"])
}

// answer answers one message.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, m message) {
	if m.refused != nil {
		h.refuseMessage(w, r, http.StatusBadRequest, m)
		return
	}
	if call, runs := h.calls.read(m, revisionOf(r)); runs && call.isFor(r.Header) {
		h.run(w, r, call)
		return
	}
	kind, isKnown := methods[m.method]
	switch {
	case m.response || isKnown && kind.isNotification != m.isCall() && (m.params != nil || !kind.wantsParams):
		h.serveBySDK(w, r, m.raw)
	case !isKnown && !m.isCall():
		w.WriteHeader(http.StatusAccepted)
	case !isKnown && revisionOf(r) >= newestRevision:
		h.serveBySDK(w, r, m.raw) // with the status that this revision wants
	case !isKnown:
		unknown := refusedAs(m.id, jsonrpc.CodeMethodNotFound, fmt.Sprintf("method not found: %q", m.method))
		h.refuseMessage(w, r, http.StatusOK, unknown)
	case kind.isNotification && m.isCall():
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(m.id, fmt.Sprintf("unexpected id for %q", m.method)))
	case !kind.isNotification && !m.isCall():
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(messageID{}, fmt.Sprintf("missing id for %q", m.method)))
	default:
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(m.id, `missing required "params"`))
	}
}

// isFor reports whether a call is the one that the headers of its request announce. The SDK refuses one that is not.
func (c toolCall) isFor(header http.Header) bool {
	if header.Get(headerRevision) < newestRevision {
		return c.revision == "" || c.revision == header.Get(headerRevision)
	}
	return c.revision == header.Get(headerRevision) && header.Get("Mcp-Method") == methodCall && header.Get("Mcp-Name") == c.definition.Name
}

// run runs a call and writes its result.
func (h *Handler) run(w http.ResponseWriter, r *http.Request, call toolCall) {
	if _, isBatched := w.(*entryWriter); isBatched {
		call.progressToken = nil // the answers of a batch are one JSON document
	}
	stream := &eventStream{w: w}
	var result *tool.Result
	_ = h.observe(r.Context(), methodCall, func(ctx context.Context) error {
		reporting, endProgress := call.reporting(traced(ctx, call.trace), stream.send)
		defer endProgress()
		result = h.calls.run(reporting, call)
		return nil
	})
	var identity json.RawMessage
	if call.isNewest {
		identity = identityOf(shownAt(requestOf(r.Context()).origin, h.options.identity()))
	}
	stream.answer(call.answer(result, identity))
}

// cachingOfAnswers is what the SDK sends with its answers.
const cachingOfAnswers = "no-cache, no-transform"

// writeAnswer writes a JSON-RPC response with the headers that the SDK sends.
func writeAnswer(w http.ResponseWriter, answer []byte) {
	writeJSON(w, http.StatusOK, mediaJSON, cachingOfAnswers, answer)
}

// answerBatch answers the messages of a batch concurrently, each as if it had come alone, in the order of the messages. A batch
// without any answer gets 202 (MCP 2025-03-26).
func (h *Handler) answerBatch(w http.ResponseWriter, r *http.Request, texts []json.RawMessage) {
	batch, bad := readBatch(texts)
	if bad.refused != nil {
		h.refuseMessage(w, r, http.StatusBadRequest, bad)
		return
	}
	entries := make([]json.RawMessage, len(batch))
	var all sync.WaitGroup
	for i, m := range batch {
		all.Go(func() { entries[i] = h.entry(r, m) })
	}
	all.Wait()
	if joined := joinAnswers(entries); joined != nil {
		writeAnswer(w, joined)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// entry is the answer to a message of a batch, or nil for none.
func (h *Handler) entry(r *http.Request, m message) json.RawMessage {
	if m.refused != nil {
		return m.refusal()
	}
	answer := &entryWriter{header: make(http.Header)}
	h.answer(answer, r.WithContext(r.Context()), m)
	switch {
	case !m.isCall():
		return nil
	case answer.header.Get("Content-Type") != mediaJSON: // cannot happen: the headers and the message are in order
		return errorAnswer(m.id, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the message could not be answered in a batch"})
	}
	return answer.body.Bytes()
}

// entryWriter keeps the answer to one message of a batch.
type entryWriter struct {
	header http.Header
	body   bytes.Buffer
}

// Header is that of the entry, which is not sent.
func (w *entryWriter) Header() http.Header { return w.header }

// WriteHeader does nothing: an entry has no status.
func (w *entryWriter) WriteHeader(int) {}

// Write keeps the answer.
func (w *entryWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

// repeatedHeader gives a header of MCP that a request has twice. A proxy could have judged the request by the other one.
func repeatedHeader(header http.Header) (name string, twice bool) {
	for name, values := range header {
		if len(values) > 1 && strings.HasPrefix(name, "Mcp-") {
			return name, true
		}
	}
	return "", false
}

// refuseMessage answers a message that is refused. What every refusal over HTTP says stands in data.
func (h *Handler) refuseMessage(w http.ResponseWriter, r *http.Request, status int, m message) {
	h.logRefusal(r, status, jsonrpcCode(m.refused))
	refused := *m.refused
	refused.Data = rawjson.Object{
		rawjson.String("type", "invalid_request_error"), rawjson.String("code", CodeInvalidRequest),
		rawjson.String("request_id", requestOf(r.Context()).id),
	}.Encode()
	writeJSON(w, status, mediaJSON, "no-store", errorAnswer(m.id, &refused))
}
