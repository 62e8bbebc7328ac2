package sandbox_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// tokenNames maps the placeholders of the captures to the sandbox's ready tokens, and to those of capturedGrants, which
// have the names of their placeholders.
var tokenNames = map[string]string{
	"client_gmail_personal": "gmail_personal",
	"client_gmail_both":     "gmail_both",
	"client_revoked":        "revoked",
	"client_expired":        "expired",
	"mcp_package":           "package",
	"mcp_package_all":       "package",
	"mcp_package_all_2":     "package_revoked", // its refresh token was used twice
	"mcp_package_one":       "package_single",
	"mcp_package_single":    "package_single",
	"mcp_package_revoked":   "package_revoked",
	"owner":                 "owner",
}

// continuation says where the opaque parameter of a capture comes from in the sandbox: from a member of
// the answer to another request, which is sent first with the same token.
type continuation struct {
	parameter string
	target    string // of the earlier request
	member    string // of its answer
}

// The cursors of record lists are replayed as they were captured.
var continuations = map[string]continuation{
	"134-search-cursor-client":             {"cursor", "/v1/search?q=overdraft&streams[]=messages&limit=3", "next_cursor"},
	"921b-lexical-page-2":                  {"cursor", "/v1/search?q=overdraft&limit=2", "next_cursor"},
	"921c-lexical-cursor-other-query":      {"cursor", "/v1/search?q=overdraft&limit=2", "next_cursor"},
	"921d-lexical-cursor-other-limit":      {"cursor", "/v1/search?q=overdraft&limit=2", "next_cursor"},
	"921e-lexical-cursor-other-connection": {"cursor", "/v1/search?q=overdraft&limit=2", "next_cursor"},
	"924c-semantic-page-2":                 {"cursor", "/v1/search/semantic?q=overdraft+fee&limit=2", "next_cursor"},
	"925b-recall-truncated-last-page":      {"cursor", "/v1/search?q=windowtest&limit=100", "next_cursor"},
}

// events are changes of the store between the request before a continuation and the continuation.
var events = map[string]func(context.Context, *sandbox.Sandbox) error{
	"627-changes-410-cursor-expired":    forgetAttachments,
	"628-changes-beginning-after-prune": forgetAttachments,
	"620-ingest-owner": func(ctx context.Context, box *sandbox.Sandbox) error {
		return box.Store().Put(ctx, catalog.Record{
			ConnectionID: "cin_gmail_personal", Stream: "threads", Key: "shared-1", EmittedAt: time.Now(),
			Data: json.RawMessage(`{"id":"shared-1","subject":"😀 emoji subject e\u0301 cin_gmail_personal",` +
				`"last_message_date":"2026-01-02T00:00:00Z"}`),
		})
	},
	"811-client-streams": func(ctx context.Context, box *sandbox.Sandbox) error {
		return box.Store().Put(ctx, catalog.Record{
			ConnectionID: "cin_lab_a", Stream: "words", Key: "new",
			Data:      json.RawMessage(`{"word":"new","n":99,"at":"2026-05-03T00:00:00Z"}`),
			EmittedAt: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
		})
	},
	"872b-access-token-after-reuse": func(_ context.Context, box *sandbox.Sandbox) error {
		var errs []error
		for _, name := range []string{"client_refresh", "client_refresh_2", "client_refresh_4"} { // of one family
			credential, _ := box.Authorization().Credential(name)
			errs = append(errs, box.Authorization().Revoke(credential.GrantID))
		}
		return errors.Join(errs...)
	},
	"925-recall-truncated": addWindowtest,
}

func forgetAttachments(ctx context.Context, box *sandbox.Sandbox) error {
	return box.Store().Prune(ctx, "cin_gmail_personal", "attachments", 10)
}

func addWindowtest(ctx context.Context, box *sandbox.Sandbox) error {
	for i := 1; i <= 250; i++ {
		data := fmt.Sprintf(`{"id":"z%03d","title":"windowtest entry %d","kind":"z","at":"2026-03-01T00:00:00Z"}`, i, i)
		if err := box.Store().Put(ctx, catalog.Record{
			ConnectionID: "cin_lab_b", Stream: "samples", Key: fmt.Sprintf("z%03d", i), Data: json.RawMessage(data),
			EmittedAt: time.Now(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// callerPlaceholder replaces the resource server's own credentials.
const callerPlaceholder = "rs caller credentials"

var placeholder = regexp.MustCompile(`<([a-z_0-9 ]+)>`)

// replayer sends captured requests to a sandbox.
type replayer struct {
	url      string
	box      *sandbox.Sandbox
	clientID string // of a registered client
}

// capturedClient is a registered client in a body.
var capturedClient = regexp.MustCompile(`"client_id": "(cli_[0-9a-f]+|longview)"`)

// newReplayer has the data of the captures.
func newReplayer(t *testing.T, all []capture) *replayer {
	t.Helper()
	set := capturedDataset(t, all)
	return newListening(t, sandbox.Options{
		Data:          &set,
		Authorization: []authorization.Option{authorization.WithGrants(capturedGrants())},
	})
}

// newListening returns a sandbox with its own address.
func newListening(t *testing.T, options sandbox.Options) *replayer {
	t.Helper()
	box, url := sandboxtest.Serve(t, options)
	return &replayer{url: url, box: box}
}

// send replays one request and returns the status and the body.
func (p *replayer) send(t *testing.T, c capture) (int, []byte) {
	t.Helper()
	target, err := url.Parse(p.url + c.target)
	if err != nil {
		t.Fatal(err)
	}
	if from, follows := continuations[c.name]; follows {
		target.RawQuery = replaceParameter(target.RawQuery, from.parameter, p.follow(t, c, from))
	}
	if happen := events[c.name]; happen != nil {
		if err := happen(t.Context(), p.box); err != nil {
			t.Fatal(err)
		}
	}
	sent := p.fill(t, c.body, url.QueryEscape)
	if target.Path == "/oauth/par" {
		sent = capturedClient.ReplaceAllString(sent, `"client_id": "`+p.clientID+`"`)
	}
	request, err := http.NewRequestWithContext(t.Context(), c.method, target.String(), strings.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range c.header {
		if key != "Host" {
			request.Header.Set(key, p.fill(t, values[0], func(s string) string { return s }))
		}
	}
	if strings.HasPrefix(request.Header.Get("Authorization"), "Basic <rs") && c.target == authorization.IntrospectionPath {
		caller := p.box.Authorization().Caller()
		if strings.Contains(c.name, "badauth") {
			caller.Secret = "wrong"
		}
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(caller.ID+":"+caller.Secret)))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

// fill puts the sandbox's tokens in place of a capture's placeholders.
func (p *replayer) fill(t *testing.T, text string, escape func(string) string) string {
	t.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, "<>")
		if name == callerPlaceholder {
			return match
		}
		token := p.box.Tokens()[cmp.Or(tokenNames[name], name)]
		if token == "" {
			t.Fatalf("no sandbox token for %s", match)
		}
		return escape(token)
	})
}

// follow sends the earlier request of a continuation and returns what the later one needs.
func (p *replayer) follow(t *testing.T, c capture, from continuation) string {
	t.Helper()
	_, body := p.send(t, capture{name: c.name + " before", method: http.MethodGet, target: from.target, header: c.header})
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	value, isString := answer[from.member].(string)
	if !isString {
		t.Fatalf("%s answered without %s: %s", from.target, from.member, body)
	}
	return value
}

// replaceParameter leaves the rest of a query as it was captured, down to its encoding.
func replaceParameter(query, parameter, value string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if strings.HasPrefix(part, parameter+"=") {
			parts[i] = parameter + "=" + url.QueryEscape(value)
		}
	}
	return strings.Join(parts, "&")
}

// TestReplay holds the sandbox to what real servers answer: the status, the error code and message, every member with
// its type, and where the data is known in full every value. Where the sandbox differs on purpose, differences says so;
// what cannot be sent at all, outside.
func TestReplay(t *testing.T) {
	all := readCaptures(t)
	p := newReplayer(t, all)
	config, err := flowtest.Register(t.Context(), http.DefaultTransport, p.url, "Replayed client")
	if err != nil {
		t.Fatal(err)
	}
	p.clientID = config.ClientID
	replayed, differing, valued := 0, 0, 0
	left := map[string]int{}
	for _, c := range all {
		if reason := outside(c); reason != "" {
			left[reason]++
			continue
		}
		replayed++
		if c.ofLab() {
			valued++
		}
		want, differs := differenceOf(c.name)
		if differs {
			differing++
		}
		t.Run(c.name, func(t *testing.T) {
			status, body := p.send(t, c)
			c.valued = c.ofLab() || c.status >= http.StatusBadRequest
			problems := compare(c, want, status, body)
			for _, problem := range problems {
				t.Error(problem)
			}
			if len(problems) > 0 {
				t.Logf("%s %s answered %s", c.method, c.target, body[:min(len(body), 600)])
			}
		})
	}
	t.Logf("%d captures replayed, %d of them value by value, %d with a declared difference", replayed, valued, differing)
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%d not: %s", left[reason], reason)
	}
}

func TestTablesNameCaptures(t *testing.T) {
	all := readCaptures(t)
	named := func(name string) bool {
		return slices.ContainsFunc(all, func(c capture) bool { return c.name == name })
	}
	for pattern, d := range differences {
		matches := func(c capture) bool { matched, _ := path.Match(pattern, c.name); return matched && outside(c) == "" }
		if !slices.ContainsFunc(all, matches) || d.reason == "" {
			t.Errorf("difference %s: no such capture is replayed, or no reason", pattern)
		}
	}
	for name := range continuations {
		if !named(name) {
			t.Errorf("continuation %s: no such capture", name)
		}
	}
	for name := range events {
		if !named(name) {
			t.Errorf("event %s: no such capture", name)
		}
	}
}

// compare reports what is neither as captured nor a declared difference, and declared differences that
// do not occur.
func compare(c capture, d difference, status int, body []byte) []string {
	wantStatus, wantCode := c.status, errorCode(c.response)
	if d.status != 0 {
		wantStatus, wantCode = d.status, d.code
	}
	var problems []string
	if status != wantStatus {
		problems = append(problems, "status "+http.StatusText(status)+", want "+http.StatusText(wantStatus))
	}
	if code := errorCode(body); code != wantCode {
		problems = append(problems, "error code "+code+", want "+wantCode)
	}
	if d.status != 0 && d.status == c.status && d.code == errorCode(c.response) {
		problems = append(problems, "the declared difference does not occur")
	}
	if len(problems) > 0 || d.status != 0 {
		return problems
	}
	var want, got any
	if json.Unmarshal(c.response, &want) != nil {
		return nil // not JSON, or cut in the middle
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return []string{"not JSON: " + err.Error()}
	}
	found := shapeProblems(want, got, "")
	if c.valued {
		found = append(found, valueProblems(want, got, "")...)
	}
	found = slices.DeleteFunc(found, func(problem string) bool {
		return slices.Contains(differsEverywhere, problem)
	})
	for _, declared := range d.shape {
		kept := slices.DeleteFunc(slices.Clone(found), func(problem string) bool { return isDeclared(problem, declared) })
		if len(kept) == len(found) {
			problems = append(problems, "the declared difference does not occur: "+declared)
		}
		found = kept
	}
	return append(problems, found...)
}

// isDeclared reports whether a difference covers a problem. A difference that ends with a star covers problems with
// that prefix.
func isDeclared(problem, declared string) bool {
	if beginning, open := strings.CutSuffix(declared, "*"); open {
		return strings.HasPrefix(problem, beginning)
	}
	return problem == declared
}
