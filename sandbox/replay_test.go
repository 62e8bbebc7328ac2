package sandbox_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// tokenNames maps the placeholders of the captures to the sandbox's ready tokens.
var tokenNames = map[string]string{
	"client_gmail_personal": "gmail_personal",
	"client_gmail_both":     "gmail_both",
	"client_gmail_narrow":   "narrow",
	"client_reddit":         "slack", // a grant over something else than mail
	"client_revoked":        "revoked",
	"mcp_package":           "package",
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

var continuations = map[string]continuation{
	"032-records-cursor-page2":          {parameter: "cursor", target: "/v1/streams/messages/records?limit=2", member: "next_cursor"},
	"033-records-cursor-order-mismatch": {parameter: "cursor", target: "/v1/streams/messages/records?limit=2", member: "next_cursor"},
	"051-records-changes-paged-2": {
		parameter: "cursor", target: "/v1/streams/messages/records?limit=3&changes_since=beginning&fields=id", member: "next_cursor",
	},
	"051b-records-changes-cursor-only": {
		parameter: "cursor", target: "/v1/streams/messages/records?limit=3&changes_since=beginning&fields=id", member: "next_cursor",
	},
	"134-search-cursor-client": {parameter: "cursor", target: "/v1/search?q=overdraft&streams[]=messages&limit=3", member: "next_cursor"},
	"601-changes-with-tombstone": {
		parameter: "changes_since", target: "/v1/streams/threads/records?changes_since=beginning&limit=100", member: "next_changes_since",
	},
}

// events are what had happened to the data when a request was captured, after the earlier request of its
// continuation.
var events = map[string]func(context.Context, *store.Store) error{
	"601-changes-with-tombstone": func(ctx context.Context, records *store.Store) error {
		return records.Delete(ctx, sample.PersonalMail, "threads", "p-thr-19")
	},
	"627-changes-410-cursor-expired":    forgetAttachments,
	"628-changes-beginning-after-prune": forgetAttachments,
}

func forgetAttachments(ctx context.Context, records *store.Store) error {
	return records.Prune(ctx, sample.PersonalMail, "attachments", 10)
}

// attachmentBlobs maps the blobs of the captures to the attachments of the sample data that have one.
var attachmentBlobs = map[string]struct{ connectionID, attachmentID string }{
	"blob_sha256_1045ba14583c4648168a8d5feda9fa6b1593b7b9b17a338057329b1c025198d5": {sample.PersonalMail, "p-msg-010:2"},
	"blob_sha256_ac02405b4d7add0d4737e5f837d7ba7ae41db27db8c1fb33464e978a72713349": {sample.WorkMail, "w-msg-010:2"},
}

// elsewhere says by what the story answers a request whose captured record or word it has in another place.
var elsewhere = map[string]struct{ captured, here string }{
	"096-fw-not-granted-field": {"p-msg-010", "p-msg-051"}, // within the time of the narrow grant
	"149-search-reddit":        {"q=protocol", "q=noodles"},
}

var placeholder = regexp.MustCompile(`<([a-z_]+)>`)

// replayer sends captured requests to a sandbox.
type replayer struct {
	server *httptest.Server
	box    *sandbox.Sandbox
	blobs  map[string]string // captured id to the sandbox's
}

func newReplayer(t *testing.T) *replayer {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	box, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: "http://" + server.Listener.Addr().String(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = box.Handler()
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return &replayer{server: server, box: box, blobs: sampleBlobs(t)}
}

func sampleBlobs(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, record := range sample.Dataset(1).Records {
		for captured, place := range attachmentBlobs {
			if record.Stream != "attachments" || record.ConnectionID != place.connectionID || record.Key != place.attachmentID {
				continue
			}
			var data struct {
				Blob struct {
					ID string `json:"blob_id"`
				} `json:"blob_ref"`
			}
			if err := json.Unmarshal(record.Data, &data); err != nil || data.Blob.ID == "" {
				t.Fatalf("%s has no blob: %v", record.Key, err)
			}
			ids[captured] = data.Blob.ID
		}
	}
	return ids
}

// send replays one request and returns the status and the body.
func (p *replayer) send(t *testing.T, c capture) (int, []byte) {
	t.Helper()
	moved := elsewhere[c.name]
	target, err := url.Parse(p.server.URL + strings.Replace(c.target, moved.captured, moved.here, 1))
	if err != nil {
		t.Fatal(err)
	}
	for captured, id := range p.blobs {
		target.Path = strings.Replace(target.Path, captured, id, 1)
	}
	if from, follows := continuations[c.name]; follows {
		target.RawQuery = replaceParameter(target.RawQuery, from.parameter, p.follow(t, c, from))
	}
	if happen := events[c.name]; happen != nil {
		if err := happen(t.Context(), p.box.Store()); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), c.method, target.String(), strings.NewReader(p.fill(t, c.body, url.QueryEscape)))
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range c.header {
		if key != "Host" {
			request.Header.Set(key, p.fill(t, values[0], func(s string) string { return s }))
		}
	}
	if request.Header.Get("Authorization") == "Basic <rs caller credentials>" {
		caller := p.box.Authorization().Caller()
		if strings.Contains(c.name, "badauth") {
			caller.Secret = "wrong"
		}
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(caller.ID+":"+caller.Secret)))
	}
	response, err := p.server.Client().Do(request)
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
		name, known := tokenNames[strings.Trim(match, "<>")]
		if !known {
			t.Fatalf("no sandbox token for %s", match)
		}
		return escape(p.box.Tokens()[name])
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

// TestReplay holds the sandbox to what real servers answer: the status, the error code, and every member
// with its type. Where the sandbox differs on purpose, differences says so.
func TestReplay(t *testing.T) {
	p := newReplayer(t)
	for _, c := range readCaptures(t) {
		t.Run(c.name, func(t *testing.T) {
			want := differences[c.name]
			status, body := p.send(t, c)
			problems := compare(c, want, status, body)
			for _, problem := range problems {
				t.Error(problem)
			}
			if len(problems) > 0 {
				t.Logf("%s %s answered %s", c.method, c.target, body[:min(len(body), 600)])
			}
		})
	}
}

func TestTablesNameCaptures(t *testing.T) {
	all := readCaptures(t)
	named := func(name string) bool {
		return slices.ContainsFunc(all, func(c capture) bool { return c.name == name })
	}
	for name, d := range differences {
		if !named(name) || d.reason == "" {
			t.Errorf("difference %s: no such capture, or no reason", name)
		}
	}
	for name := range continuations {
		if !named(name) {
			t.Errorf("continuation %s: no such capture", name)
		}
	}
	for name := range elsewhere {
		if !named(name) {
			t.Errorf("elsewhere %s: no such capture", name)
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
		problems = append(problems, "the declared difference is none")
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
	found := slices.DeleteFunc(shapeProblems(want, got, ""), func(problem string) bool {
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

// isDeclared tells whether a difference covers a problem: it is the same, or its beginning before a star.
func isDeclared(problem, declared string) bool {
	if beginning, open := strings.CutSuffix(declared, "*"); open {
		return strings.HasPrefix(problem, beginning)
	}
	return problem == declared
}
