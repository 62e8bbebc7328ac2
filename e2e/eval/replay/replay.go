// Package replay plays a model behind the APIs of real ones: Anthropic's Messages, and OpenAI's Chat Completions and
// Responses, all as streams. It repeats recorded attempts, and fails as real providers do where a recording says so.
// The evaluation is tested with it, since no key is needed.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// The faults that a turn can begin with.
const (
	RateLimit  = "rate limit"  // 429
	Overloaded = "overloaded"  // 503
	Truncated  = "truncated"   // the stream ends in the middle of an answer
	Refused    = "refused"     // 400, which clients do not repeat
	InvalidKey = "invalid key" // 401
)

// Turn is one answer of the model: a tool call, or a text if Tool is empty.
type Turn struct {
	Tool      string
	Arguments string // JSON
	Text      string
	Faults    []string // what the first requests for the turn are answered with
}

// Conversation is the turns that answer a prompt.
type Conversation struct {
	Prompt string // a part of the first message
	Turns  []Turn
}

// Recorded returns the conversations of recorded attempts.
func Recorded(attempts []transcript.Attempt) []Conversation {
	var all []Conversation
	for _, attempt := range attempts {
		c := Conversation{Prompt: attempt.Prompt}
		for _, call := range attempt.Calls {
			c.Turns = append(c.Turns, Turn{Tool: call.Tool, Arguments: string(call.Arguments)})
		}
		all = append(all, Conversation{c.Prompt, append(c.Turns, Turn{Text: attempt.Text})})
	}
	return all
}

// Server is the model. It is safe for concurrent use.
type Server struct {
	conversations []Conversation

	mu     sync.Mutex
	begun  map[string]int // conversations with a prompt
	faulty map[string]int // requests for a turn that were answered with a fault
	keys   map[string]bool
}

// New returns a model that knows some conversations. Those with the same prompt take turns, in their order.
func New(conversations ...Conversation) *Server {
	return &Server{
		conversations: conversations, begun: map[string]int{}, faulty: map[string]int{},
		keys: map[string]bool{},
	}
}

// Handler serves the APIs: POST /v1/messages, /v1/chat/completions and /v1/responses.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.serve(writeMessage))
	mux.HandleFunc("POST /v1/chat/completions", s.serve(writeCompletion))
	mux.HandleFunc("POST /v1/responses", s.serve(writeResponse))
	return mux
}

// Keys returns the keys that requests had, with their schemes.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.keys {
		keys = append(keys, key)
	}
	return keys
}

// Reply is a turn on its way to a client.
type Reply struct {
	Turn

	ID        string // of the call
	Namespace string // of the tool, in the Responses API
}

// serve answers with one API. It finds the turn in the request alone: the id of a call names its conversation and turn.
func (s *Server) serve(write func(io.Writer, Reply)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.keys[r.Header.Get("X-Api-Key")+r.Header.Get("Authorization")] = true
		s.mu.Unlock()
		reply, fault, err := s.next(body)
		if err != nil {
			writeError(w, http.StatusBadRequest, err.Error())
			return
		}
		w.Header().Set("Retry-After-Ms", "1")
		switch fault {
		case RateLimit:
			writeError(w, http.StatusTooManyRequests, "the rate limit is reached")
			return
		case Overloaded:
			writeError(w, http.StatusServiceUnavailable, "the model is overloaded")
			return
		case Refused:
			writeError(w, http.StatusBadRequest, "the request is refused")
			return
		case InvalidKey:
			writeError(w, http.StatusUnauthorized, "the key is invalid")
			return
		}
		var stream strings.Builder
		write(&stream, reply)
		text := stream.String()
		if fault == Truncated {
			text = text[:len(text)/2]
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text) // the client may have gone
	}
}

// errUnknown reports a prompt that no conversation has.
var errUnknown = errors.New("no conversation has this prompt")

// madeCall is the id of a call: its conversation and its turn.
var madeCall = regexp.MustCompile(`call_(\d+)_(\d+)`)

// next returns the reply to a request, or the fault that comes before it.
func (s *Server) next(body []byte) (Reply, string, error) {
	offered, err := toolsOf(body)
	if err != nil {
		return Reply{}, "", err
	}
	if len(offered) == 0 {
		return Reply{Turn: Turn{Text: "ok"}}, "", nil // agents also ask for titles and the like
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	conversation, turn := 0, 0
	made := madeCall.FindAllSubmatch(body, -1)
	if len(made) > 0 {
		last := made[len(made)-1]
		conversation, _ = strconv.Atoi(string(last[1])) // digits
		turn, _ = strconv.Atoi(string(last[2]))
		turn++
	} else if conversation, err = s.find(body); err != nil {
		return Reply{}, "", err
	}
	if conversation >= len(s.conversations) || turn >= len(s.conversations[conversation].Turns) {
		return Reply{}, "", fmt.Errorf("%w: conversation %d, turn %d", errUnknown, conversation, turn)
	}
	chosen := s.conversations[conversation]
	reply := Reply{Turn: chosen.Turns[turn], ID: fmt.Sprintf("call_%d_%d", conversation, turn)}
	if n := s.faulty[reply.ID]; n < len(reply.Faults) {
		s.faulty[reply.ID]++
		return Reply{Turn: reply.Turn, ID: reply.ID}, reply.Faults[n], nil
	}
	if turn == 0 {
		s.begun[chosen.Prompt]++
	}
	if reply.Tool != "" {
		reply.Tool, reply.Namespace = offered.named(reply.Tool)
	}
	return reply, "", nil
}

// find returns the conversation that a first request begins: the longest prompt in it, and of equal prompts the next
// one.
func (s *Server) find(body []byte) (int, error) {
	text := strings.Join(textsOf(body), "\n")
	prompt := ""
	var same []int
	for i, c := range s.conversations {
		if len(c.Prompt) < len(prompt) || !strings.Contains(text, c.Prompt) {
			continue
		}
		if c.Prompt != prompt {
			prompt, same = c.Prompt, nil
		}
		same = append(same, i)
	}
	if len(same) == 0 {
		return 0, errUnknown
	}
	return same[s.begun[prompt]%len(same)], nil
}

// textsOf returns the texts in a JSON text.
func textsOf(body []byte) []string {
	var texts []string
	decoder := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			return texts
		}
		if text, isText := token.(string); isText {
			texts = append(texts, text)
		}
	}
}
