package toolcall

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HTTP answers the messages of one POST.
type HTTP struct {
	Runner *Runner
	Logger *slog.Logger

	// SDK answers every message that is not a valid tool call.
	SDK func(w http.ResponseWriter, r *http.Request, body []byte)

	// AdmitMore admits the messages of a batch after the first, or refuses the request.
	AdmitMore func(w http.ResponseWriter, r *http.Request, messages int) (release func(), ok bool)

	// Server returns the server's identity. Origin is the server's origin as the client sees it.
	Server func(origin string) mcp.Implementation
}

// ServeBody answers the messages in the body of a request.
func (h *HTTP) ServeBody(w http.ResponseWriter, r *http.Request, body []byte) {
	if !isAcceptable(r) {
		h.SDK(w, r, body) // refuses the request for its headers
		return
	}
	texts, isBatch, bad := splitMessages(body)
	if bad.refused != nil {
		h.refuse(w, r, http.StatusBadRequest, bad)
		return
	}
	release, ok := h.AdmitMore(w, r, len(texts)-1)
	if !ok {
		return
	}
	defer release()
	name, isDuplicate := duplicateHeader(r.Header)
	switch {
	case isDuplicate:
		var id messageID
		if !isBatch {
			id = readMessage(texts[0]).id
		}
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(id, "the header %s is sent twice", name))
	case !isBatch:
		h.answer(w, r, readMessage(texts[0]))
	case !hasBatches(revisionOf(r)):
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(messageID{}, "batches need revision 2025-03-26 or older; send one message"))
	default:
		h.answerBatch(w, r, texts)
	}
}

func (h *HTTP) answer(w http.ResponseWriter, r *http.Request, m message) {
	if m.refused != nil {
		h.refuse(w, r, http.StatusBadRequest, m)
		return
	}
	if call, isCall := h.Runner.read(m, revisionOf(r)); isCall && call.matches(r.Header) {
		h.run(w, r, call)
		return
	}
	kind, isKnown := methods[m.method]
	switch {
	case m.isResponse || isKnown && kind.isNotification != m.isRequest() && (m.params != nil || !kind.needsParams):
		h.SDK(w, r, m.raw)
	case !isKnown && !m.isRequest():
		w.WriteHeader(http.StatusAccepted)
	case !isKnown && revisionOf(r) >= NewestRevision:
		h.SDK(w, r, m.raw) // with the status of that revision
	case !isKnown:
		h.refuse(w, r, http.StatusOK, refusedAs(m.id, jsonrpc.CodeMethodNotFound, "method not found: "+strconv.Quote(m.method)))
	case kind.isNotification && m.isRequest():
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(m.id, "unexpected id for %q", m.method))
	case !kind.isNotification && !m.isRequest():
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(messageID{}, "missing id for %q", m.method))
	default:
		h.refuse(w, r, http.StatusBadRequest, invalidRequest(m.id, `missing required "params"`))
	}
}

// matches reports whether the headers of a request name the same call. The SDK refuses any other.
func (c Call) matches(header http.Header) bool {
	if header.Get(headerRevision) < NewestRevision {
		return c.revision == "" || c.revision == header.Get(headerRevision)
	}
	return c.revision == header.Get(headerRevision) && header.Get("Mcp-Method") == methodCall && header.Get("Mcp-Name") == c.Definition.Name
}

func (h *HTTP) run(w http.ResponseWriter, r *http.Request, call Call) {
	if _, isBatched := w.(*entryWriter); isBatched {
		call.progressToken = nil // the responses of a batch are one JSON document
	}
	stream := &eventStream{w: w}
	var result *tool.Result
	_ = h.Runner.Observe(r.Context(), methodCall, func(ctx context.Context) error {
		reporting, endProgress := call.withProgress(Traced(ctx, call.trace), stream.send)
		defer endProgress()
		result, _ = h.Runner.run(reporting, call)
		return nil
	})
	response := rawjson.Borrow()
	defer rawjson.Return(response)
	defer result.Release()
	*response = call.response(*response, result, h.Server(RequestOf(r.Context()).Origin))
	stream.respond(*response)
}

// answerBatch answers the messages of a batch concurrently. The responses are in the order of the messages. Without any
// response it sends 202 (MCP 2025-03-26).
func (h *HTTP) answerBatch(w http.ResponseWriter, r *http.Request, texts []json.RawMessage) {
	batch, bad := readBatch(texts)
	if bad.refused != nil {
		h.refuse(w, r, http.StatusBadRequest, bad)
		return
	}
	entries := make([]json.RawMessage, len(batch))
	var all sync.WaitGroup
	for i, m := range batch {
		all.Go(func() { entries[i] = h.entry(r, m) })
	}
	all.Wait()
	if joined := joinResponses(entries); joined != nil {
		WriteJSON(w, http.StatusOK, MediaJSON, responseCaching, joined)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// entry returns the response to a message of a batch, or nil if it has none.
func (h *HTTP) entry(r *http.Request, m message) json.RawMessage {
	if m.refused != nil {
		return m.refusal()
	}
	entry := &entryWriter{header: make(http.Header)}
	h.answer(entry, r.WithContext(r.Context()), m)
	switch {
	case !m.isRequest():
		return nil
	case entry.header.Get("Content-Type") != MediaJSON: // cannot happen: headers and message are valid
		return errorResponse(m.id, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the message cannot be answered in a batch; send it alone"})
	}
	return entry.body.Bytes()
}

type entryWriter struct {
	header http.Header
	body   bytes.Buffer
}

func (w *entryWriter) Header() http.Header { return w.header }

func (w *entryWriter) WriteHeader(int) {}

func (w *entryWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

// duplicateHeader returns a header of MCP that a request has twice. A proxy may have checked only one of them.
func duplicateHeader(header http.Header) (name string, isDuplicate bool) {
	for name, values := range header {
		if len(values) > 1 && strings.HasPrefix(name, "Mcp-") {
			return name, true
		}
	}
	return "", false
}

func (h *HTTP) refuse(w http.ResponseWriter, r *http.Request, status int, m message) {
	LogRefusal(r.Context(), h.Logger, status, errorCode(m.refused))
	refused := *m.refused
	refused.Data = rawjson.Object{
		rawjson.String("type", "invalid_request_error"), rawjson.String("code", CodeInvalidRequest),
		rawjson.String("request_id", RequestOf(r.Context()).ID),
	}.Encode()
	WriteJSON(w, status, MediaJSON, "no-store", errorResponse(m.id, &refused))
}

// MediaJSON is the media type of responses.
const MediaJSON = "application/json"

const responseCaching = "no-cache, no-transform" // as the SDK sends

// WriteJSON writes a whole response. It ignores a client that has disconnected.
func WriteJSON(w http.ResponseWriter, status int, media, caching string, body []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", caching)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
