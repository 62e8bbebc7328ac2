package host_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// mutationsVariable names the environment variable that says how many requests are compared on each transport. 100,000 take a few
// minutes in all:
//
//	PDPP_MUTATIONS=100000 go test -run Differential -v -timeout 30m ./runtime/host
const mutationsVariable = "PDPP_MUTATIONS"

// mutationsUsual is how many there are without it.
const mutationsUsual = 1_500

// mutationsForAll are so many that each difference is among them.
const mutationsForAll = 50_000

func mutationsWanted(t *testing.T) int {
	t.Helper()
	wanted, err := strconv.Atoi(os.Getenv(mutationsVariable))
	if err != nil {
		return mutationsUsual
	}
	return wanted
}

// rpcAnswer is one JSON-RPC response, in a form that does not depend on how it is spelled.
type rpcAnswer struct {
	id      string
	code    int64 // 0 for a result
	message string
	all     string // its tokens
	isOwn   bool   // refused by the edge over HTTP, which says so in data
}

// verdict is what became of a request.
type verdict struct {
	status  int    // over HTTP
	refused string // as a whole, in words
	isBatch bool
	answers []rpcAnswer
	isOver  bool // the session has ended
}

func (v verdict) String() string {
	text := fmt.Sprint(v.status, " ", v.refused)
	for _, each := range v.answers {
		text += fmt.Sprintf("\n      %.700s", each.all)
	}
	if v.isOver {
		text += " (the session is over)"
	}
	return text
}

func (v verdict) same(other verdict) bool {
	texts := func(answers []rpcAnswer) []string {
		all := make([]string, len(answers))
		for i, each := range answers {
			all[i] = each.all
		}
		slices.Sort(all) // the SDK answers a batch in any order
		return all
	}
	return v.status == other.status && v.refused == other.refused && v.isBatch == other.isBatch && v.isOver == other.isOver &&
		slices.Equal(texts(v.answers), texts(other.answers))
}

// only is the one answer of a verdict, or an empty one.
func (v verdict) only() rpcAnswer {
	if len(v.answers) != 1 || v.isBatch {
		return rpcAnswer{}
	}
	return v.answers[0]
}

// readAnswer reads a response.
func readAnswer(t *testing.T, text []byte) rpcAnswer {
	t.Helper()
	var decoded struct {
		ID    json.RawMessage
		Error *struct {
			Code    int64
			Message string
			Data    struct{ Code string }
		}
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatalf("%.300s is no answer: %v", text, err)
	}
	read := rpcAnswer{id: string(decoded.ID), all: tokensOf(t, text)}
	if decoded.Error != nil {
		read.code, read.message, read.isOwn = decoded.Error.Code, decoded.Error.Message, decoded.Error.Data.Code == "invalid_request"
		if read.code == 0 {
			read.code = 1 // some errors of the SDK
		}
	}
	return read
}

// tokensOf is a document without what its spelling leaves open.
func tokensOf(t *testing.T, text []byte) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var all strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("%.300s: %v", text, err)
		}
		fmt.Fprintf(&all, "%#v ", token)
	}
}

// readVerdict reads the answer to a POST.
func readVerdict(t *testing.T, recorder *httptest.ResponseRecorder) verdict {
	t.Helper()
	body, found := recorder.Body.Bytes(), verdict{status: recorder.Code}
	switch media := recorder.Header().Get("Content-Type"); {
	case media == "application/json" && bytes.HasPrefix(body, []byte("[")):
		var entries []json.RawMessage
		if err := json.Unmarshal(body, &entries); err != nil {
			t.Fatal(err)
		}
		found.isBatch = true
		for _, entry := range entries {
			found.answers = append(found.answers, readAnswer(t, entry))
		}
	case media == "application/json" && len(body) > 0:
		found.answers = []rpcAnswer{readAnswer(t, body)}
	case strings.HasPrefix(media, "application/json"):
		found.refused = errorOf(t, string(body)).Message
	default:
		text := strings.TrimSpace(string(body[:min(len(body), 300)]))
		found.refused = strings.ToValidUTF8(text, "")
	}
	return found
}

// comparison is one request with both verdicts.
type comparison struct {
	mutation
	got, want verdict
}

// refusedFor reports whether the whole request is refused with a text.
func (c comparison) refusedFor(text string) bool {
	only := c.got.only()
	return (only.code == jsonrpc.CodeInvalidRequest || only.code == jsonrpc.CodeParseError) && strings.Contains(only.message, text)
}

// hasSome tells whether one of the answers of a batch, or the only one, is such a refusal.
func (c comparison) hasSome(texts ...string) bool {
	for _, each := range c.got.answers {
		for _, text := range texts {
			if each.code != 0 && strings.Contains(each.message, text) {
				return true
			}
		}
	}
	return false
}

// difference is one way in which the answers may differ.
type difference struct {
	reason string
	is     func(comparison) bool
}

// differences are all that there are between the answers given here and those of a bare SDK.
var differences = []difference{
	{"R-STDIO-7: a message is not nested deeper than 512; the SDK reads 1,000 levels, and over stdio ends the session behind them", func(c comparison) bool {
		return c.refusedFor("nests deeper than 512") && depthOf(c.body) > 512
	}},
	{"R-STDIO-7: an id is a string or an integer within ±2^53; the SDK rounds numbers and takes null for a notification", func(c comparison) bool {
		return c.refusedFor("an id is a string or an integer") && c.got.only().id == "null" && !hasExactID(c.body)
	}},
	{"R-STDIO-7: no member twice in message, params and _meta; the SDK takes the last one", func(c comparison) bool {
		return c.refusedFor("twice") && hasRepeatedMember(c.body)
	}},
	{"RFC 8259: a message is UTF-8; the SDK replaces what is not", func(c comparison) bool {
		return c.refusedFor("not UTF-8") && !utf8.ValidString(c.body)
	}},
	{"RFC 8259: a body is one JSON value; the SDK reads no further than its end, and takes control characters in strings", func(c comparison) bool {
		return c.refusedFor("not JSON") && !json.Valid([]byte(c.body))
	}},
	{"JSON-RPC 2.0, section 4: a request has no result and no error; the SDK overlooks them", func(c comparison) bool {
		return c.refusedFor("neither result nor error") && (strings.Contains(c.body, `"result"`) || strings.Contains(c.body, `"error"`))
	}},
	{`JSON-RPC 2.0, section 4: "Method" is no method; the SDK takes a message without one for a response`, func(c comparison) bool {
		return c.refusedFor(`has no member "method"`) && len(c.want.answers) == 0 && !strings.Contains(c.body, `"method":"`)
	}},
	{"JSON-RPC 2.0, section 4: a method is a string; the SDK takes null for an empty one", func(c comparison) bool {
		return c.refusedFor(`"method" is not a string`) && strings.Contains(c.body, "null")
	}},
	{"a header of MCP comes once; the SDK takes the first", func(c comparison) bool {
		return c.refusedFor("came twice") && (len(c.header["Mcp-Method"]) > 1 || len(c.header["Mcp-Name"]) > 1 || len(c.header["Mcp-Protocol-Version"]) > 1)
	}},
	{"a message that both refuse is refused with its id where it has one; over HTTP the SDK says it in plain text", func(c comparison) bool {
		return c.refusedFor("") && c.got.status == http.StatusBadRequest && c.want.status == http.StatusBadRequest && c.got.only().isOwn && c.want.refused != ""
	}},
	{"a message that both refuse is answered; over stdio the SDK ends the session", func(c comparison) bool {
		return c.refusedFor("") && c.want.isOver && !c.got.isOver && len(c.want.answers) == 0
	}},
	{"R-HOST-1: an unknown method over HTTP is -32601 with the id of its request; the SDK says 400 in plain text before 2026-07-28", func(c comparison) bool {
		return c.got.status == http.StatusOK && c.got.only().code == jsonrpc.CodeMethodNotFound && c.want.status == http.StatusBadRequest && strings.HasSuffix(c.want.refused, "unsupported")
	}},
	{"R-HOST-1: an unknown notification over HTTP is taken, as over stdio", func(c comparison) bool {
		return c.got.status == http.StatusAccepted && c.want.status == http.StatusBadRequest && strings.HasSuffix(c.want.refused, "unsupported")
	}},
	{"JSON-RPC 2.0, section 6: each message of a batch is answered by itself; the SDK refuses all of them for one", func(c comparison) bool {
		return (c.got.isBatch || c.got.status == http.StatusAccepted) && isBatch(c.body) && c.want.status == http.StatusBadRequest && !c.want.isBatch
	}},
	{"a number that no float64 holds is the tool's to judge in every revision; in 2026-07-28 the SDK stumbles over it when it compares the header with the name", func(c comparison) bool {
		return c.got.only().code == 0 && c.want.only().code == mcp.CodeHeaderMismatch && strings.HasPrefix(c.want.only().message, "failed to extract name") && strings.Contains(c.body, "1e999")
	}},
	{"MCP 2026-07-28: a result says that it is complete; the SDK leaves that out in a session that began with an older revision", func(c comparison) bool {
		const complete = `"resultType" "complete" `
		return c.begun < newestRevision && strings.Contains(c.got.only().all, complete) && strings.Replace(c.got.only().all, complete, "", 1) == c.want.only().all
	}},
	{"R-STDIO-7: the faults above in one message of a batch", func(c comparison) bool {
		return c.got.isBatch && isBatch(c.body) && c.hasSome("twice", "an id is a string or an integer", "neither result nor error", `has no member "method"`, `"method" is not a string`)
	}},
	{"R-STDIO-7: one id twice in a batch is refused; the SDK gives one of both answers", func(c comparison) bool {
		return c.refusedFor("have the same id") && isBatch(c.body)
	}},
}

func isBatch(body string) bool { return strings.HasPrefix(strings.TrimLeft(body, " \t\r"), "[") }

// depthOf is how deep a text of JSON nests, as far as it is JSON.
func depthOf(body string) int {
	decoder, depth, most := json.NewDecoder(strings.NewReader(body)), 0, 0
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return most
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			most = max(most, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// hasExactID tells whether the id of a message is one, by the arithmetic of package strconv.
func hasExactID(body string) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		return false
	}
	id := members["id"]
	var text string
	if string(id) != "null" && json.Unmarshal(id, &text) == nil {
		return true
	}
	number, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && number >= -1<<53 && number <= 1<<53
}

// hasRepeatedMember tells whether one of the three outermost levels names a member twice.
func hasRepeatedMember(body string) bool {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	repeated := false
	var value func(depth int) error
	value = func(depth int) error {
		token, err := decoder.Token()
		if err != nil || token != json.Delim('{') && token != json.Delim('[') {
			return err
		}
		seen := map[string]bool{}
		for decoder.More() {
			if token == json.Delim('{') {
				name, err := decoder.Token()
				if err != nil {
					return err
				}
				text, _ := name.(string)
				repeated = repeated || seen[text] && depth < 3
				seen[text] = true
			}
			if err := value(depth + 1); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
		return err
	}
	return value(0) == nil && repeated
}

// tally counts the differences of a run and reports those that no row allows.
type tally struct {
	t     *testing.T
	seen  map[string]int
	wrong int
}

const theSame = "the same"

func (c *tally) compare(m mutation, got, want verdict) {
	c.t.Helper()
	if got.same(want) {
		c.seen[theSame]++
		return
	}
	for _, each := range differences {
		if each.is(comparison{m, got, want}) {
			c.seen[each.reason]++
			return
		}
	}
	if c.wrong++; c.wrong > 20 {
		c.t.Fatal("and more")
	}
	c.t.Errorf("%.1500s\n  %v\n  got %s\n  bare SDK %s", m.body, m.header, got, want)
}

func (c *tally) report(t *testing.T, started time.Time) {
	t.Helper()
	for reason, count := range c.seen {
		t.Logf("%6d %s", count, reason)
	}
	t.Logf("in %.1f s", time.Since(started).Seconds())
}

// Covers R-HOST-1 and R-STDIO-7: whatever comes is answered as a bare SDK answers it, over HTTP and stdio, save for the
// differences that are listed with their reasons. No reason is listed that is not met.
func TestDifferential(t *testing.T) {
	met, compared := map[string]bool{}, 0
	for name, compare := range map[string]func(*testing.T, *tally){"HTTP": compareOverHTTP, "stdio": compareOverStdio} {
		t.Run(name, func(t *testing.T) {
			counts := &tally{t: t, seen: map[string]int{}}
			compare(t, counts)
			compared++
			for reason := range counts.seen {
				met[reason] = true
			}
		})
	}
	for _, each := range differences {
		if !met[each.reason] && compared == 2 && mutationsWanted(t) >= mutationsForAll {
			t.Errorf("no request met: %s", each.reason)
		}
	}
}

// differentialSurface is tools that answer at once and always in the same way.
func differentialSurface() tool.Surface {
	surface := callSurface()
	surface.Tools = slices.DeleteFunc(surface.Tools, func(definition tool.Definition) bool { return definition.Name == "whole" })
	return surface
}

// compareOverHTTP sends each request to both.
func compareOverHTTP(t *testing.T, counts *tally) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = differentialSurface()
		with.options.Limits.PerSecond, with.options.Limits.Burst = 1e9, 1e9
		with.options.Logger = nil
	})
	options := host.Options{Name: "pdpp-mcp", Version: "test"}
	bare := host.NewBareSDK(differentialSurface(), options, h.url, reading(reporting(`{}`)))
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, host.TransportOptions())
	serve := func(handler http.Handler, m mutation) verdict {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", strings.NewReader(m.body))
		request.Header = m.header.Clone()
		request.Header.Set("Authorization", "Bearer "+bearer)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return readVerdict(t, recorder)
	}
	r, started := mutations{rand.New(rand.NewPCG(1, 2))}, time.Now()
	for range mutationsWanted(t) {
		m := r.next()
		counts.compare(m, serve(h.Handler, m), serve(sdk, m))
	}
	counts.report(t, started)
	if strings.Contains(h.log.String(), "a call came to the SDK") {
		t.Error("the SDK was to run a call")
	}
}

// spokenLines is a session whose lines are compared.
type spokenLines struct {
	in      io.WriteCloser
	out     *bufio.Reader
	counted int
}

// ask sends a line and gives what is answered to it. A request gets one answer; whatever else a line gets comes before the
// answer to the ping behind it.
func (s *spokenLines) ask(t *testing.T, line string, isRequest bool) verdict {
	t.Helper()
	s.counted++
	last := fmt.Sprintf(`"the-last-%d"`, s.counted)
	go func() {
		_, _ = io.WriteString(s.in, line+"\n"+`{"jsonrpc":"2.0","id":`+last+`,"method":"ping"}`+"\n")
	}()
	var found verdict
	for sawLast := false; !sawLast || isRequest && len(found.answers) == 0; {
		text, err := s.out.ReadBytes('\n')
		if err != nil {
			found.isOver = true
			return found
		}
		if answer := readAnswer(t, text); answer.id == last {
			sawLast = true
		} else {
			found.answers = append(found.answers, answer)
		}
	}
	return found
}

func speak(t *testing.T, revision string, serve func(in io.ReadCloser, out io.WriteCloser)) *spokenLines {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	go serve(input, output)
	spoken := &spokenLines{in: toServer, out: bufio.NewReader(fromServer)}
	go func() { _, _ = io.WriteString(toServer, initializeOf(revision)) }()
	if _, err := spoken.out.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close() })
	return spoken
}

// compareOverStdio sends each line to sessions of both, which go on. Batches are left to TestBatchesOverStdio: the SDK never
// answers one that holds a notification.
func compareOverStdio(t *testing.T, counts *tally) {
	options := host.Options{Name: "pdpp-mcp", Version: "test"}
	ours := func(in io.ReadCloser, out io.WriteCloser) {
		_ = host.ServeStdio(t.Context(), differentialSurface(), options, reporting(clientSchema), host.Streams{In: in, Out: out})
		_ = out.Close()
	}
	server := host.NewBareSDK(differentialSurface(), options, "", reading(reporting(clientSchema)))
	bare := func(in io.ReadCloser, out io.WriteCloser) {
		_ = server.Run(context.WithoutCancel(t.Context()), &mcp.IOTransport{Reader: in, Writer: out})
		_ = out.Close()
	}
	own, sdk := map[string]*spokenLines{}, map[string]*spokenLines{}
	for _, revision := range differentialRevisions {
		own[revision], sdk[revision] = speak(t, revision, ours), speak(t, revision, bare)
	}
	r, started := mutations{rand.New(rand.NewPCG(3, 4))}, time.Now()
	for range mutationsWanted(t) {
		m := r.next()
		m.body, m.header = strings.ReplaceAll(m.body, "\n", " "), nil
		if isBatch(m.body) || strings.TrimSpace(m.body) == "" {
			continue
		}
		decoded, err := jsonrpc.DecodeMessage([]byte(m.body))
		request, isRequest := decoded.(*jsonrpc.Request)
		isRequest = err == nil && isRequest && request.IsCall()
		want := verdict{isOver: true} // what is no JSON ends its session, or is taken for the beginning of a longer text
		if json.Valid([]byte(m.body)) {
			// The SDK takes a blank behind a message for the end of the session.
			if want = sdk[m.begun].ask(t, strings.TrimSpace(m.body), isRequest); want.isOver {
				sdk[m.begun] = speak(t, m.begun, bare)
			}
		}
		counts.compare(m, own[m.begun].ask(t, m.body, isRequest), want)
	}
	counts.report(t, started)
}
