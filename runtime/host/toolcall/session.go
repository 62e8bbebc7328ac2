package toolcall

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

const (
	// maxRunning limits the requests of a session that run at the same time (R-STDIO-7).
	maxRunning = 64

	// maxUnanswered limits the unanswered requests of a session, in bytes. A request counts as minRequest bytes at least, so that 64
	// requests can wait behind 64 that run. While there is no room, nothing is read, so that neither a client that sends too much nor
	// one that reads no responses fills the memory. Notifications need no room, so that a cancellation can still reach its request.
	maxUnanswered = 16 << 20
	minRequest    = maxUnanswered / (2 * maxRunning)

	inputBuffer = 64 << 10
)

// Streams are the input and output of a local server. Only MCP messages are written to Out (R-STDIO-4).
type Streams struct {
	In  io.ReadCloser
	Out io.Writer
}

// Session serves one client over newline-delimited JSON. It answers tool calls, and passes every other message to the SDK, which it
// serves as an mcp.Connection.
type Session struct {
	lifetime   context.Context //nolint:containedctx // its calls end with it
	runner     *Runner
	server     mcp.Implementation
	streams    Streams
	writing    sync.Mutex
	afterInput time.Duration // how long requests may run after the input has ended
	sdk        *mcp.ServerSession

	running    chan struct{} // holds a value for each running request
	unanswered *semaphore.Weighted
	inFlight   *InFlight
	toSDK      chan jsonrpc.Message

	mu       sync.Mutex
	requests map[jsonrpc.ID]*request

	ended context.Context //nolint:containedctx // done when nothing more will be read; its cause says why
	end   context.CancelCauseFunc

	closed context.Context //nolint:containedctx // done after Close
	close  context.CancelFunc
}

// request is an unanswered request.
type request struct {
	cancel      context.CancelFunc
	reply       reply
	answered    chan struct{} // closed with the response
	isCancelled bool          // the client then wants no response (MCP 2025-11-25, Cancellation)
	isSDKs      bool          // the SDK runs it
	isRunning   bool
	weight      int64
}

// reply takes the response to a message, or nil if it has none. It must not keep the bytes.
type reply func(response []byte)

// NewSession returns a session. Serve starts it. After the input has ended, requests may still run for the given time.
func NewSession(lifetime context.Context, runner *Runner, server mcp.Implementation, afterInput time.Duration, streams Streams) *Session {
	s := &Session{
		lifetime: lifetime, runner: runner, server: server, afterInput: afterInput, streams: streams,
		running: make(chan struct{}, maxRunning), unanswered: semaphore.NewWeighted(maxUnanswered), inFlight: NewInFlight(),
		toSDK: make(chan jsonrpc.Message), requests: make(map[jsonrpc.ID]*request),
	}
	s.ended, s.end = context.WithCancelCause(context.Background())
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// Serve starts to read the input for a session of the SDK, which the caller waits for.
func (s *Session) Serve(sdk *mcp.ServerSession) {
	s.sdk = sdk
	go s.read(bufio.NewReaderSize(s.streams.In, inputBuffer))
}

// read reads the input in its own goroutine, so that the SDK need not wait for it once the session is closed. The goroutine that has
// read a request also handles it, and a new one takes over reading. This saves a scheduler wake-up per call.
func (s *Session) read(source *bufio.Reader) {
	for {
		line, err := nextLine(source)
		if errors.Is(err, errLineTooLong) {
			s.write(invalidRequest(messageID{}, "the message is longer than %d bytes; send less at once", LongestLine).refusal())
			continue
		}
		var work func()
		if len(bytes.Trim(line, " \t\r\n")) > 0 {
			work = s.handleLine(line)
		}
		switch {
		case err != nil:
			if work != nil {
				go work()
			}
			// A script that pipes its requests in and closes gets its responses before the SDK learns of the end.
			s.Wait(s.lifetime, s.afterInput)
			s.end(err)
			return
		case work != nil:
			go s.read(source)
			work()
			return
		}
	}
}

// handleLine handles a message or a batch. It returns the work for a request, or nil.
func (s *Session) handleLine(line []byte) (work func()) {
	texts, isBatch, bad := splitMessages(line)
	switch {
	case bad.refused != nil:
	case !isBatch:
		return s.handle(readMessage(texts[0]), s.write)
	case !hasBatches(s.revision()):
		bad = invalidRequest(messageID{}, "batches are of revisions up to 2025-03-26, once one is agreed on; send one message on each line")
	case len(texts) > maxRunning:
		bad = invalidRequest(messageID{}, "the batch has %d messages; send at most %d at once", len(texts), maxRunning)
	default:
		var batch []message
		if batch, bad = readBatch(texts); bad.refused == nil {
			s.handleBatch(batch)
			return nil
		}
	}
	s.write(bad.refusal())
	return nil
}

// revision returns the revision that the client named at initialization, or nothing before.
func (s *Session) revision() string {
	if initialized := s.sdk.InitializeParams(); initialized != nil {
		return initialized.ProtocolVersion
	}
	return ""
}

// client returns the name that the client gave at initialization, or nothing.
func (s *Session) client() string {
	if initialized := s.sdk.InitializeParams(); initialized != nil && initialized.ClientInfo != nil {
		return initialized.ClientInfo.Name
	}
	return ""
}

// handleBatch responds to a batch when all of its messages are answered, in their order.
func (s *Session) handleBatch(batch []message) {
	var mu sync.Mutex
	responses, left := make([]json.RawMessage, len(batch)), len(batch)
	for i, m := range batch {
		work := s.handle(m, func(response []byte) {
			mu.Lock()
			defer mu.Unlock()
			responses[i] = bytes.Clone(response)
			if left--; left == 0 {
				s.write(joinResponses(responses))
			}
		})
		if work != nil {
			go work()
		}
	}
}

// handle handles a message. Only a request has work that is left to do.
func (s *Session) handle(m message, reply reply) (work func()) {
	switch {
	case m.refused != nil:
		reply(m.refusal())
	case m.isRequest():
		return s.begin(m, reply)
	default:
		if m.method != "notifications/cancelled" || s.cancel(m) {
			s.passToSDK(m)
		}
		reply(nil)
	}
	return nil
}

// begin registers a request and returns its work. It waits for room, and for the response to an initialize, on which the messages
// after it depend.
func (s *Session) begin(m message, reply reply) (work func()) {
	ctx, cancel := context.WithCancel(s.lifetime)
	begun := &request{cancel: cancel, reply: reply, answered: make(chan struct{})}
	begun.weight = min(max(int64(len(m.raw)), minRequest), maxUnanswered)
	if s.unanswered.Acquire(s.lifetime, begun.weight) != nil {
		cancel()
		reply(nil) // the session is over
		return nil
	}
	s.mu.Lock()
	isKnown := s.requests[m.id.ID] != nil
	if !isKnown {
		s.requests[m.id.ID] = begun
	}
	s.mu.Unlock()
	if isKnown {
		s.unanswered.Release(begun.weight)
		cancel()
		reply(invalidRequest(messageID{}, "request ID %s already in use", m.id.written).refusal())
		return nil
	}
	s.inFlight.Enter()
	revision := s.revision()
	work = func() { s.run(ctx, m, begun, revision) }
	if m.method != methodInitialize {
		return work
	}
	go work()
	select {
	case <-begun.answered:
	case <-s.closed.Done():
	}
	return nil
}

// run answers a request, or passes it to the SDK.
func (s *Session) run(ctx context.Context, m message, running *request, revision string) {
	select {
	case s.running <- struct{}{}:
		running.isRunning = true
	case <-ctx.Done():
		s.respond(m.id.ID, nil)
		return
	}
	call, isCall := s.runner.read(m, revision)
	if !isCall {
		if s.markSDKs(running) {
			s.passToSDK(m)
		} else {
			s.respond(m.id.ID, nil)
		}
		return
	}
	call.Client = s.client()
	reporting, endProgress := call.withProgress(Traced(ctx, call.trace), s.write)
	result := s.runner.Run(reporting, call)
	endProgress()
	s.respond(m.id.ID, call.response(result, s.server))
}

// markSDKs marks a request as the SDK's, unless it is cancelled already.
func (s *Session) markSDKs(marked *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	marked.isSDKs = !marked.isCancelled
	return marked.isSDKs
}

// passToSDK passes a message to the SDK. If it cannot have a request, that is refused.
func (s *Session) passToSDK(m message) {
	decoded, err := jsonrpc.DecodeMessage(m.raw)
	if err == nil {
		select {
		case s.toSDK <- decoded:
			return
		case <-s.closed.Done():
		}
	}
	if m.isRequest() {
		s.respond(m.id.ID, invalidRequest(m.id, "the message is not one of JSON-RPC 2.0").refusal())
	}
}

// respond answers a request, unless the client has cancelled it. Only then is its room free: while a client reads no responses, its
// requests are not read either.
func (s *Session) respond(id jsonrpc.ID, response []byte) {
	s.mu.Lock()
	answered := s.requests[id]
	delete(s.requests, id)
	if answered != nil && answered.isCancelled {
		response = nil
	}
	s.mu.Unlock()
	if answered == nil {
		return
	}
	answered.reply(response)
	answered.cancel()
	if answered.isRunning {
		<-s.running
	}
	s.unanswered.Release(answered.weight)
	close(answered.answered)
	s.inFlight.leave()
}

// cancel cancels the request that a notification names, and reports whether the SDK runs it. The SDK gets no other cancellations: it
// rounds ids, and cancels late.
func (s *Session) cancel(m message) bool {
	id, err := readID(member(m.members, "requestId"))
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cancelled := s.requests[id.ID]
	if cancelled == nil {
		return false
	}
	cancelled.isCancelled = true
	cancelled.cancel()
	return cancelled.isSDKs
}

// Wait returns when no request is unanswered, after a time, or when the context or the session ends.
func (s *Session) Wait(ctx context.Context, limit time.Duration) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	defer context.AfterFunc(s.closed, stop)()
	s.inFlight.Wait(ctx)
}

// write writes a message, or nothing for nil. The session ends if that fails.
func (s *Session) write(message []byte) {
	if message == nil {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.streams.Out.Write(append(message, '\n')); err != nil {
		s.end(err)
	}
}

// Connect implements mcp.Transport.
func (s *Session) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// Read returns the SDK's next message.
func (s *Session) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-s.toSDK:
		return message, nil
	case <-s.ended.Done():
		return nil, context.Cause(s.ended)
	case <-s.closed.Done():
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message of the SDK.
func (s *Session) Write(_ context.Context, message jsonrpc.Message) error {
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if response, isResponse := message.(*jsonrpc.Response); isResponse {
		s.respond(response.ID, encoded)
		return nil
	}
	s.write(encoded)
	return nil
}

// Close ends the session, and a pending read of the input where the system allows that. Standard output stays open.
func (s *Session) Close() error {
	s.close()
	return s.streams.In.Close()
}

// SessionID is empty: there is one session.
func (s *Session) SessionID() string { return "" }
