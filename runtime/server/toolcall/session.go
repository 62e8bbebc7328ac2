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

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

const (
	// maxRunning limits the requests of a session that run at the same time (R-STDIO-7).
	maxRunning = 64

	// maxUnanswered limits the unanswered requests of a session, in bytes. A request counts as at least minRequest bytes,
	// so that 64 requests can wait while 64 run. A session over the limit reads no further requests: a client that sends
	// too much, or reads no responses, cannot fill the memory. Notifications do not count, so that a cancellation still
	// reaches its request.
	maxUnanswered = 16 << 20
	minRequest    = maxUnanswered / (2 * maxRunning)

	inputBuffer = 64 << 10
)

// Streams are the input and output of a local server. Only MCP messages are written to Out (R-STDIO-4).
type Streams struct {
	In  io.ReadCloser
	Out io.Writer
}

// Session serves one client over newline-delimited JSON. It is an mcp.Connection for the SDK, which gets every message
// except tool calls.
type Session struct {
	lifetime   context.Context //nolint:containedctx // its calls end with it
	runner     *Runner
	server     mcp.Implementation
	streams    Streams
	writing    sync.Mutex
	afterInput time.Duration // how long requests may run after the input has ended
	sdk        *mcp.ServerSession

	running    chan struct{} // holds a value for each running request
	idle       chan func()   // received by the idle workers
	unanswered *semaphore.Weighted
	inFlight   *InFlight
	toSDK      chan jsonrpc.Message

	mu       sync.Mutex
	requests map[jsonrpc.ID]*request

	ended context.Context //nolint:containedctx // done after the last message; its cause says why
	end   context.CancelCauseFunc

	closed context.Context //nolint:containedctx // done after Close
	close  context.CancelFunc
}

type request struct {
	cancel      context.CancelFunc
	reply       reply
	answered    chan struct{} // closed with the response
	isCancelled bool          // a cancelled request gets no response (MCP 2025-11-25, Cancellation)
	isPassed    bool          // to the SDK, which answers it
	isRunning   bool
	weight      int64
}

// reply takes the response to a message, or nil if it has none. It must not keep the response.
type reply func(response []byte)

// NewSession returns a session. Serve starts it. After the input has ended, requests may still run for the given time.
func NewSession(lifetime context.Context, runner *Runner, server mcp.Implementation, afterInput time.Duration, streams Streams) *Session {
	s := &Session{
		lifetime: lifetime, runner: runner, server: server, afterInput: afterInput, streams: streams,
		running: make(chan struct{}, maxRunning), idle: make(chan func()),
		unanswered: semaphore.NewWeighted(maxUnanswered), inFlight: NewInFlight(),
		toSDK: make(chan jsonrpc.Message), requests: make(map[jsonrpc.ID]*request),
	}
	s.ended, s.end = context.WithCancelCause(context.Background())
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// Serve starts to read the input for a session of the SDK, which the caller waits for.
func (s *Session) Serve(sdk *mcp.ServerSession) {
	s.sdk = sdk
	go s.read()
}

// read reads the input in its own goroutine, so that a closed session need not wait for it.
func (s *Session) read() {
	source := bufio.NewReaderSize(s.streams.In, inputBuffer)
	for {
		line, err := nextLine(source)
		switch {
		case errors.Is(err, errLineTooLong):
			s.write(invalidRequest(messageID{}, "the message is longer than %d bytes; send less at once", LongestLine).refusal())
			continue
		case len(bytes.Trim(line, " \t\r\n")) > 0:
			s.handleLine(line)
		}
		if err != nil {
			// A script that pipes its requests and closes the input gets its responses before the session ends.
			s.Wait(s.lifetime, s.afterInput)
			s.end(err)
			return
		}
	}
}

func (s *Session) handleLine(line []byte) {
	texts, isBatch, bad := splitMessages(line)
	switch {
	case bad.refused != nil:
	case !isBatch:
		s.handle(readMessage(texts[0]), s.write)
		return
	case !hasBatches(s.revision()):
		bad = invalidRequest(messageID{}, "batches need revision 2025-03-26 or older, agreed on by initialize; send one message on each line")
	case len(texts) > maxRunning:
		bad = invalidRequest(messageID{}, "the batch has %d messages; send at most %d at once", len(texts), maxRunning)
	default:
		var batch []message
		if batch, bad = readBatch(texts); bad.refused == nil {
			s.handleBatch(batch)
			return
		}
	}
	s.write(bad.refusal())
}

func (s *Session) revision() string {
	if initialized := s.sdk.InitializeParams(); initialized != nil {
		return initialized.ProtocolVersion
	}
	return ""
}

// handleBatch responds to a batch when all of its messages are answered. The responses are in the order of the
// messages.
func (s *Session) handleBatch(batch []message) {
	var mu sync.Mutex
	responses, left := make([]json.RawMessage, len(batch)), len(batch)
	for i, m := range batch {
		s.handle(m, func(response []byte) {
			mu.Lock()
			defer mu.Unlock()
			responses[i] = bytes.Clone(response)
			if left--; left == 0 {
				s.write(joinResponses(responses))
			}
		})
	}
}

func (s *Session) handle(m message, reply reply) {
	switch {
	case m.refused != nil:
		reply(m.refusal())
	case m.isRequest():
		s.begin(m, reply)
	default:
		if m.method != "notifications/cancelled" || s.cancel(m) {
			s.passToSDK(m)
		}
		reply(nil)
	}
}

// begin registers a request and starts to answer it. It first waits until the session is within maxUnanswered. It also
// waits for the response to an initialize, because later messages depend on it.
func (s *Session) begin(m message, reply reply) {
	ctx, cancel := context.WithCancel(s.lifetime)
	begun := &request{cancel: cancel, reply: reply, answered: make(chan struct{})}
	begun.weight = min(max(int64(len(m.raw)), minRequest), maxUnanswered)
	if s.unanswered.Acquire(s.lifetime, begun.weight) != nil {
		cancel()
		reply(nil) // the session is over
		return
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
		return
	}
	s.inFlight.Enter()
	revision := s.revision()
	s.start(func() { s.run(ctx, m, begun, revision) })
	if m.method == methodInitialize {
		select {
		case <-begun.answered:
		case <-s.closed.Done():
		}
	}
}

// start does work in an idle worker, or in a new one. The stack of a worker has grown already: a new goroutine copies
// its own several times, which takes 6 % of a small call.
func (s *Session) start(work func()) {
	select {
	case s.idle <- work:
	default:
		go s.worker(work)
	}
}

func (s *Session) worker(work func()) {
	for {
		work()
		select {
		case work = <-s.idle:
		case <-s.closed.Done():
			return
		}
	}
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
	if call, isCall := s.runner.read(m, revision); isCall {
		if initialized := s.sdk.InitializeParams(); initialized != nil && initialized.ClientInfo != nil {
			call.Client = initialized.ClientInfo.Name
		}
		reporting, endProgress := call.withProgress(Traced(ctx, call.trace), s.write)
		response := rawjson.Borrow()
		defer rawjson.Return(response)
		*response = s.answer(reporting, call, *response)
		endProgress()
		s.respond(m.id.ID, *response)
		return
	}
	s.mu.Lock()
	isCancelled := running.isCancelled
	running.isPassed = !isCancelled
	s.mu.Unlock()
	if isCancelled {
		s.respond(m.id.ID, nil)
		return
	}
	s.passToSDK(m)
}

// passToSDK passes a message to the SDK, or refuses a request that the SDK cannot read.
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
		s.respond(m.id.ID, invalidRequest(m.id, "the message is not valid JSON-RPC 2.0").refusal())
	}
}

// respond answers a request, unless the client has cancelled it. The request counts as unanswered until the response is
// written.
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

// cancel cancels a request, and reports whether the SDK answers it. The SDK rounds ids, so it must not get any other
// cancellation.
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
	return cancelled.isPassed
}

// Wait returns when no request is unanswered, after the limit, or when the context or the session ends.
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
