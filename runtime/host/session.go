package host

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
	// callsMost is how many requests of a session are worked on at the same time (R-STDIO-7).
	callsMost = 64

	// readAheadMost bounds the requests that were read and are not answered, in bytes. A request counts as one of
	// readAheadRequest bytes at least, so that these are 128 at most: those that are worked on, and as many that wait behind
	// them. While there is no room, nothing is read, so that neither a client that asks too much nor one that reads
	// no answers fills the memory. Notifications need no room: until then a cancellation reaches the request that it is for.
	readAheadMost    = 16 << 20
	readAheadRequest = readAheadMost / (2 * callsMost)
)

// session is one client's connection over newline-delimited JSON. It answers the calls of tools. All other messages go to the
// SDK, which it serves as an mcp.Connection.
type session struct {
	lifetime context.Context // of the session: its calls end with it
	calls    *toolCalls
	identity json.RawMessage
	streams  Streams
	writing  sync.Mutex
	atMost   time.Duration // how long requests may be worked on after the input has ended
	sdk      *mcp.ServerSession

	working   chan struct{} // holds a value for each request that is worked on
	readAhead *semaphore.Weighted
	inFlight  *inFlight
	toSDK     chan jsonrpc.Message

	mu       sync.Mutex
	underWay map[jsonrpc.ID]*pending

	ended context.Context // done when nothing more will be read; its cause says why
	end   context.CancelCauseFunc

	closed context.Context
	close  context.CancelFunc
}

// pending is a request that has no answer yet.
type pending struct {
	cancel      context.CancelFunc
	reply       reply
	settled     chan struct{} // closed when it has been answered
	isCancelled bool          // by the client, which then wants no answer (MCP 2025-11-25, Cancellation)
	isSDKs      bool          // the SDK works on it
	isWorkedOn  bool
	weight      int64
}

// reply takes the answer to a message, or nil when it gets none. It does not keep the bytes.
type reply func(answer []byte)

func newSession(lifetime context.Context, calls *toolCalls, self mcp.Implementation, atMost time.Duration, streams Streams) *session {
	s := &session{
		lifetime: lifetime, calls: calls, identity: identityOf(self), atMost: atMost,
		streams: streams,
		working: make(chan struct{}, callsMost), readAhead: semaphore.NewWeighted(readAheadMost), inFlight: newInFlight(),
		toSDK: make(chan jsonrpc.Message), underWay: make(map[jsonrpc.ID]*pending),
	}
	s.ended, s.end = context.WithCancelCause(context.Background())
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// read reads the input in a separate goroutine: a read of the SDK does not wait for it once the session is closed. The goroutine
// that has read a request works on it, and another one reads on: to wake one for the request would keep the client waiting.
func (s *session) read(source *bufio.Reader) {
	for {
		line, err := nextLine(source)
		if errors.Is(err, errLineTooLong) {
			s.write(invalidRequest(messageID{}, fmt.Sprintf("the message is longer than %d bytes; send less at once", LongestLine)).refusal())
			continue
		}
		var work func()
		if len(bytes.Trim(line, " \t\r\n")) > 0 {
			work = s.takeLine(line)
		}
		switch {
		case err != nil:
			if work != nil {
				go work()
			}
			// A script that pipes its requests in and closes gets its answers before the SDK learns of the end.
			s.wait(s.lifetime, s.atMost)
			s.end(err)
			return
		case work != nil:
			go s.read(source)
			work()
			return
		}
	}
}

// takeLine takes a message or a batch. What is left to be done for a request is work, or nil.
func (s *session) takeLine(line []byte) (work func()) {
	texts, isBatch, bad := splitMessages(line)
	switch {
	case bad.refused != nil:
	case !isBatch:
		return s.take(readMessage(texts[0]), s.write)
	case !hasBatches(s.asked()):
		bad = invalidRequest(messageID{}, "batches are of revisions up to 2025-03-26, once one is agreed on; send one message on each line")
	case len(texts) > callsMost:
		bad = invalidRequest(messageID{}, fmt.Sprintf("the batch has %d messages; send at most %d at once", len(texts), callsMost))
	default:
		var batch []message
		if batch, bad = readBatch(texts); bad.refused == nil {
			s.takeBatch(batch)
			return nil
		}
	}
	s.write(bad.refusal())
	return nil
}

// asked is the revision that the client asked for when the session began, or empty when it has not begun.
func (s *session) asked() string {
	if begun := s.sdk.InitializeParams(); begun != nil {
		return begun.ProtocolVersion
	}
	return ""
}

// client is the name that the client gave when the session began, or empty.
func (s *session) client() string {
	if begun := s.sdk.InitializeParams(); begun != nil && begun.ClientInfo != nil {
		return begun.ClientInfo.Name
	}
	return ""
}

// takeBatch answers a batch when each of its messages is answered, in their order. A batch without any answer gets none.
func (s *session) takeBatch(batch []message) {
	var mu sync.Mutex
	answers, left := make([]json.RawMessage, len(batch)), len(batch)
	for i, m := range batch {
		work := s.take(m, func(answer []byte) {
			mu.Lock()
			defer mu.Unlock()
			answers[i] = bytes.Clone(answer)
			if left--; left > 0 {
				return
			}
			if joined := joinAnswers(answers); joined != nil {
				s.write(joined)
			}
		})
		if work != nil {
			go work()
		}
	}
}

// take begins to answer a message. Only a request is answered later, by its work.
func (s *session) take(m message, reply reply) (work func()) {
	switch {
	case m.refused != nil:
		reply(m.refusal())
	case m.isCall():
		return s.begin(m, reply)
	default:
		if m.method != methodCancelled || s.cancel(m) {
			s.giveToSDK(m)
		}
		reply(nil)
	}
	return nil
}

// begin registers a request, whose work waits until there is room. The message after an initialize is not looked at before
// that is answered, since it depends on it.
func (s *session) begin(m message, reply reply) (work func()) {
	ctx, cancel := context.WithCancel(s.lifetime)
	request := &pending{cancel: cancel, reply: reply, settled: make(chan struct{})}
	request.weight = min(max(int64(len(m.raw)), readAheadRequest), readAheadMost)
	if s.readAhead.Acquire(s.lifetime, request.weight) != nil {
		cancel()
		reply(nil) // the session is over
		return nil
	}
	s.mu.Lock()
	isKnown := s.underWay[m.id.ID] != nil
	if !isKnown {
		s.underWay[m.id.ID] = request
	}
	s.mu.Unlock()
	if isKnown {
		s.readAhead.Release(request.weight)
		cancel()
		reply(invalidRequest(messageID{}, fmt.Sprintf("request ID %s already in use", m.id.written)).refusal())
		return nil
	}
	s.inFlight.enter()
	asked := s.asked()
	work = func() { s.work(ctx, m, request, asked) }
	if m.method != methodInitialize {
		return work
	}
	go work()
	select {
	case <-request.settled:
	case <-s.closed.Done():
	}
	return nil
}

// work answers a request, or lets the SDK answer it.
func (s *session) work(ctx context.Context, m message, request *pending, asked string) {
	select {
	case s.working <- struct{}{}:
		request.isWorkedOn = true
	case <-ctx.Done():
		s.settle(m.id.ID, nil)
		return
	}
	call, runs := s.calls.read(m, asked)
	if !runs {
		if s.letSDKWork(request) {
			s.giveToSDK(m)
		} else {
			s.settle(m.id.ID, nil)
		}
		return
	}
	call.client = s.client()
	reporting, endProgress := call.reporting(traced(ctx, call.trace), s.write)
	result := s.calls.run(reporting, call)
	endProgress()
	s.settle(m.id.ID, call.answer(result, s.identity))
}

// letSDKWork marks a request as the SDK's, unless it is cancelled already.
func (s *session) letSDKWork(request *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	request.isSDKs = !request.isCancelled
	return request.isSDKs
}

// giveToSDK gives a message to the SDK. A request that it cannot have is settled without an answer.
func (s *session) giveToSDK(m message) {
	decoded, err := jsonrpc.DecodeMessage(m.raw)
	if err == nil {
		select {
		case s.toSDK <- decoded:
			return
		case <-s.closed.Done():
		}
	}
	if !m.isCall() {
		return
	}
	s.settle(m.id.ID, invalidRequest(m.id, "the message is not one of JSON-RPC 2.0").refusal())
}

// settle answers a request, unless the client has cancelled it. Only then is its room free: while a client reads no answers,
// its requests are not read either.
func (s *session) settle(id jsonrpc.ID, answer []byte) {
	s.mu.Lock()
	request := s.underWay[id]
	delete(s.underWay, id)
	if request != nil && request.isCancelled {
		answer = nil
	}
	s.mu.Unlock()
	if request == nil {
		return
	}
	request.reply(answer)
	request.cancel()
	if request.isWorkedOn {
		<-s.working
	}
	s.readAhead.Release(request.weight)
	close(request.settled)
	s.inFlight.leave()
}

// cancel ends the request that a notification names, and reports whether the SDK works on it. The SDK gets no other
// cancellation: it rounds ids, and acts on it late.
func (s *session) cancel(m message) bool {
	id, err := readID(member(m.named, "requestId"))
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	request := s.underWay[id.ID]
	if request == nil {
		return false
	}
	request.isCancelled = true
	request.cancel()
	return request.isSDKs
}

// wait returns when no request is under way any more, when the time is over, or with the context or the session.
func (s *session) wait(ctx context.Context, atMost time.Duration) {
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	defer context.AfterFunc(s.closed, stop)()
	s.inFlight.wait(ctx)
}

// write writes one message. When that fails, the session ends.
func (s *session) write(message []byte) {
	if message == nil {
		return // there is no answer
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.streams.Out.Write(append(message, '\n')); err != nil {
		s.end(err)
	}
}

// Connect gives the SDK the session as its connection.
func (s *session) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// Read gives the SDK its next message.
func (s *session) Read(ctx context.Context) (jsonrpc.Message, error) {
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
func (s *session) Write(_ context.Context, message jsonrpc.Message) error {
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if response, isResponse := message.(*jsonrpc.Response); isResponse {
		s.settle(response.ID, encoded)
		return nil
	}
	s.write(encoded)
	return nil
}

// Close ends the session, and a read that waits for input where the system allows that. Standard output stays open until
// the process ends.
func (s *session) Close() error {
	s.close()
	return s.streams.In.Close()
}

// SessionID is empty: there is one session.
func (s *session) SessionID() string { return "" }
