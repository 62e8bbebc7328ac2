package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// hostedMessages answers the messages that come over HTTP: calls of tools itself, everything else by the SDK.
type hostedMessages struct {
	calls *toolCalls
	self  mcp.Implementation
	log   outcomeLog
	sdk   http.Handler
}

const (
	headerRevision = "Mcp-Protocol-Version"
	headerMethod   = "Mcp-Method"
	headerName     = "Mcp-Name"

	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"

	// revisionUnnamed is that of a request which names none (MCP 2025-06-18, Protocol Version Header).
	revisionUnnamed = "2025-03-26"
	// revisionWithoutBatches is the first that has no batches any more.
	revisionWithoutBatches = "2025-06-18"
)

// serve answers what was read from the body of a POST whose headers are in order.
func (h *hostedMessages) serve(w http.ResponseWriter, r *http.Request, texts []json.RawMessage, isBatch bool) {
	switch {
	case !isBatch:
		h.answer(w, r, readMessage(texts[0]))
	case revisionOf(r) >= revisionWithoutBatches:
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(messageID{}, "batches ended with revision 2025-03-26; send one message"))
	default:
		h.answerBatch(w, r, texts)
	}
}

// revisionOf is the revision of a request as its header names it.
func revisionOf(r *http.Request) string {
	if named := r.Header.Get(headerRevision); named != "" {
		return named
	}
	return revisionUnnamed
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
	takesJSON, takesEvents := false, false
	for _, line := range sent {
		for media := range strings.SplitSeq(line, ",") {
			media, _, _ = strings.Cut(media, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case mediaJSON, "application/*":
				takesJSON = true
			case mediaEvents, "text/*":
				takesEvents = true
			case "*/*":
				takesJSON, takesEvents = true, true
			}
		}
	}
	return takesJSON && takesEvents
}

// answer answers one message.
func (h *hostedMessages) answer(w http.ResponseWriter, r *http.Request, m message) {
	if m.refused != nil {
		h.refuse(w, r, http.StatusBadRequest, m)
		return
	}
	if call, runs := h.calls.read(m, revisionOf(r)); runs && isForHeader(call, r.Header) {
		h.run(w, r, call)
		return
	}
	kind, isKnown := methods[m.method]
	switch {
	case m.response || isKnown && kind.isNotification != m.isCall() && (m.params != nil || !kind.wantsParams):
		h.bySDK(w, r, m.raw)
	case !isKnown && !m.isCall():
		w.WriteHeader(http.StatusAccepted)
	case !isKnown && revisionOf(r) >= newestRevision:
		h.bySDK(w, r, m.raw) // with the status that this revision wants
	case !isKnown:
		unknown := refusedAs(m.id, jsonrpc.CodeMethodNotFound, fmt.Sprintf("method not found: %q", m.method))
		h.refuse(w, r, http.StatusOK, unknown)
	case kind.isNotification && m.isCall():
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(m.id, fmt.Sprintf("unexpected id for %q", m.method)))
	case !kind.isNotification && !m.isCall():
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(messageID{}, fmt.Sprintf("missing id for %q", m.method)))
	default:
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(m.id, `missing required "params"`))
	}
}

// isForHeader reports whether a call is the one that the headers of its request announce. The SDK refuses one that is not.
func isForHeader(call toolCall, header http.Header) bool {
	if header.Get(headerRevision) < newestRevision {
		return call.revision == "" || call.revision == header.Get(headerRevision)
	}
	return call.revision == header.Get(headerRevision) && header.Get(headerMethod) == methodCall && header.Get(headerName) == call.definition.Name
}

// run runs a call and writes its result.
func (h *hostedMessages) run(w http.ResponseWriter, r *http.Request, call toolCall) {
	hosted := requestOf(r.Context())
	var result *tool.Result
	_ = h.log.observe(r.Context(), hosted, methodCall, func(ctx context.Context) error {
		result = h.calls.call(ctx, call.definition, hosted.asExtra(), call.arguments)
		return nil
	})
	var identity json.RawMessage
	if call.isNewest {
		identity = identityOf(shownAt(hosted.origin, h.self))
	}
	buffer := answerBuffers.Get().(*[]byte)
	defer answerBuffers.Put(buffer)
	*buffer = call.appendAnswer((*buffer)[:0], result, identity)
	writeAnswer(w, *buffer)
}

// answerBuffers are as large as answers were.
var answerBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeAnswer writes a JSON-RPC response with the headers that the SDK sends.
func writeAnswer(w http.ResponseWriter, answer []byte) {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache, no-transform") // what was read is nobody else's
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	// A client that hung up gets nothing.
	_, _ = w.Write(answer)
}

// bySDK lets the SDK answer.
func (h *hostedMessages) bySDK(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	h.sdk.ServeHTTP(&refusalWriter{ResponseWriter: w, requestID: requestOf(r.Context()).id}, r)
}

// answerBatch answers each message of a batch as if it had come alone, all at the same time, and gives the answers in
// the order of the messages. One without any answer is accepted (MCP 2025-03-26).
func (h *hostedMessages) answerBatch(w http.ResponseWriter, r *http.Request, texts []json.RawMessage) {
	batch, refused := readBatch(texts)
	if refused != nil {
		h.refuse(w, r, http.StatusBadRequest, *refused)
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
func (h *hostedMessages) entry(r *http.Request, m message) json.RawMessage {
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

// repeatedHeader gives a header of MCP that a request has twice. Another server on the way could go by the other one.
func repeatedHeader(header http.Header) (name string, twice bool) {
	for name, values := range header {
		if len(values) > 1 && strings.HasPrefix(name, "Mcp-") {
			return name, true
		}
	}
	return "", false
}

func (h *hostedMessages) refuse(w http.ResponseWriter, r *http.Request, status int, m message) {
	refuseMessage(h.log.logger, w, r, status, m)
}

// refuseMessage answers a message that is refused. What every refusal over HTTP says stands in data.
func refuseMessage(logger *slog.Logger, w http.ResponseWriter, r *http.Request, status int, m message) {
	known := requestOf(r.Context())
	logRefusal(r.Context(), logger, known, status, "jsonrpc_"+strconv.FormatInt(m.refused.Code, 10))
	refused := *m.refused
	refused.Data = rawjson.Object{
		rawjson.String("type", "invalid_request_error"), rawjson.String("code", CodeInvalidRequest), rawjson.String("request_id", known.id),
	}.Encode()
	answer := errorAnswer(m.id, &refused)
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.WriteHeader(status)
	// A client that hung up gets nothing.
	_, _ = w.Write(answer)
}
