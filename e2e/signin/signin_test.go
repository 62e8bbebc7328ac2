// Package signin_test runs sign-ins while a local server runs, with the SDK's client as a scripted host and the sandbox
// as the provider.
package signin_test

import (
	"context"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// TestMain runs more tests at a time than there are cores, because they mostly wait for the polls of sign-ins.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const (
	mail = "cin_gmail_personal"
	chat = "cin_slack_team"
)

// person has a sandbox, grants of it in a cache, and a browser.
type person struct {
	*testing.T
	box      *sandbox.Sandbox
	provider string
	cache    *credential.Cache
	owner    *flowtest.Owner
	elapsed  atomic.Int64  // what the adapter's clock is ahead
	others   []string      // further providers
	signedIn chan struct{} // gets a value for each notification that a sign-in has ended (MCP 2025-11-25)

	transport http.RoundTripper // of the adapter; may be nil
}

func newPerson(t *testing.T) *person {
	t.Helper()
	box, provider := sandboxtest.Serve(t, sandbox.Options{})
	return &person{
		T: t, box: box, provider: provider, cache: &credential.Cache{Root: t.TempDir()},
		owner: flowtest.New(nil), signedIn: make(chan struct{}, 8),
	}
}

// connect stores a grant that the owner approved.
func (p *person) connect(connector, connection string, streams ...credential.Stream) *credential.Entry {
	p.Helper()
	if streams == nil {
		streams = []credential.Stream{{Name: credential.EveryStream, Connections: []string{connection}}}
	}
	approved := make(chan error, 1)
	entry, err := connect.Connect(p.Context(), connect.Options{
		ProviderURL: p.provider, Label: connector, ClientName: "A host",
		Access: connect.AccessRequest{
			Source: p.provider + "/connectors/" + connector, Streams: streams,
			Purpose: "Trying it",
		},
		Announce: func(page connect.Approval) {
			_, err := p.owner.Approve(p.Context(), page.URL, connection)
			approved <- err
		},
	})
	if err != nil {
		p.Fatal(err)
	}
	if err := <-approved; err != nil {
		p.Fatal(err)
	}
	if err := p.cache.Add(entry); err != nil {
		p.Fatal(err)
	}
	return entry
}

// serve serves the grants to a host, which shows pages if it is given how.
func (p *person) serve(revision string, show func(*mcp.ElicitParams) string) *mcp.ClientSession {
	p.Helper()
	lifetime := context.WithoutCancel(p.Context()) // the server ends with its input, and then stores what is left
	members, err := membership.New(lifetime, membership.Options{
		Cache: p.cache, Providers: append(p.others, p.provider), ApprovalTimeout: patience(p.T), Transport: p.transport,
		Now: func() time.Time { return time.Now().Add(time.Duration(p.elapsed.Load())) },
	})
	if err != nil {
		p.Fatal(err)
	}
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- host.ServeLocal(lifetime, gen.Surface(), host.Options{Name: "pdpp-mcp", Version: "test"}, members,
			host.Streams{In: input, Out: output})
		_ = output.Close()
	}()
	options := &mcp.ClientOptions{
		ElicitationCompleteHandler: func(context.Context, *mcp.ElicitationCompleteNotificationRequest) {
			p.signedIn <- struct{}{}
		},
	}
	if show != nil {
		options.Capabilities = &mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}},
		}
		options.ElicitationHandler = func(_ context.Context, asked *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: show(asked.Params)}, nil
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "scripted", Version: "1"}, options)
	session, err := client.Connect(p.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		_ = session.Close()
		if err := <-ended; err != nil {
			p.Error(err)
		}
	})
	return session
}

// patience is short in a test of it.
func patience(t *testing.T) time.Duration {
	if strings.HasSuffix(t.Name(), "timed_out") {
		return 5 * time.Second // a busy machine takes some of it until the page is known
	}
	return time.Minute
}

// query asks for a message of a connection, and returns the text of the result. It checks the origin of a result
// (R-TRUST-2).
func (p *person) query(session *mcp.ClientSession, connection, stream string) (text string, isError bool) {
	p.Helper()
	result, err := session.CallTool(p.Context(), &mcp.CallToolParams{
		Name: "query_records", Arguments: map[string]any{"stream": stream, "connection_id": connection, "limit": 1},
	})
	if err != nil {
		p.Fatal(err)
	}
	origin, hasOrigin := result.Meta["dev.pdpp/origin"]
	want := map[string]any{"provider": p.provider, "connections": []any{connection}, "streams": []any{stream}}
	if diff := cmp.Diff(want, origin); hasOrigin == result.IsError || hasOrigin && diff != "" {
		p.Errorf("the origin of a result (error: %t) (-want +got):\n%s", result.IsError, diff)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// approve approves a page of the provider without a browser.
func (p *person) approve(page string) {
	p.Helper()
	if _, err := p.owner.Approve(p.Context(), page, mail); err != nil {
		p.Error(err)
	}
}

// browsing serializes approvals in a browser, which draws its front tab only.
var browsing sync.Mutex

// decider returns a user who approves or declines each page, and counts the pages.
func (p *person) decider(approves bool, pages *int) func(*mcp.ElicitParams) string {
	return func(asked *mcp.ElicitParams) string {
		*pages++
		if !approves {
			return "decline"
		}
		p.approve(asked.URL)
		return "accept"
	}
}

// approveIn approves a page of the provider in a browser. The page proposes the connection of the ended grant.
func (p *person) approveIn(browser browsertest.Browser, page string) {
	p.Helper()
	browsing.Lock()
	defer browsing.Unlock()
	tab := browser.Tab(p.T)
	tab.Do(chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS("form")))
	if ticked := browsertest.Evaluate[[]string](tab,
		`[...document.querySelectorAll("input:checked")].map(box => box.value)`); !slices.Equal(ticked, []string{mail}) {
		p.Errorf("ticked are %q", ticked)
	}
	tab.Do(chromedp.Click(chromedp.CSS(`button[value="approve"]`)),
		chromedp.WaitVisible(chromedp.CSS("main:not(:has(form))")))
	tab.Becomes(`document.querySelector("h1").textContent`, "Access approved")
}

func (p *person) wantCommand(text string, isError bool) {
	p.Helper()
	if !isError || !strings.Contains(text, "pdpp-mcp connect "+p.provider) {
		p.Errorf("the result (error: %t) does not name the command: %s", isError, text)
	}
}

// stored returns the grants in the cache by their label, and checks that a label has one.
func (p *person) stored() map[string]*credential.Entry {
	p.Helper()
	all, err := p.cache.Grants(p.provider)
	if err != nil {
		p.Fatal(err)
	}
	labelled := map[string]*credential.Entry{}
	for _, each := range all {
		if labelled[each.Credential.Label] != nil {
			p.Errorf("there are two grants %q", each.Credential.Label)
		}
		labelled[each.Credential.Label] = each
	}
	return labelled
}

var revisions = []string{"2025-11-25", "2026-07-28"}

// R-TRUST-3: the grant of a call is revoked while the server runs. The host shows the provider's page, other calls are
// answered meanwhile, and after the approval, in a real browser if the grant is the only one, the same call is answered
// with a new grant of the same access, which replaces the old one.
func TestApproved(t *testing.T) {
	t.Parallel()
	browser, isReal := browsertest.Open(t)
	for _, revision := range revisions {
		for _, others := range []bool{true, false} {
			t.Run(revision+map[bool]string{true: " of two", false: " alone"}[others], func(t *testing.T) {
				t.Parallel()
				p := newPerson(t)
				since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
				before := p.connect("gmail", mail, credential.Stream{
					Name: "messages", Connections: []string{mail}, Fields: []string{"id", "subject", "received_at"},
					Range: credential.TimeRange{Since: since.Format(time.RFC3339)},
				})
				if others {
					p.connect("slack", chat)
				}
				var session *mcp.ClientSession
				pages := 0
				session = p.serve(revision, func(asked *mcp.ElicitParams) string {
					pages++
					if asked.Mode != "url" || !strings.HasPrefix(asked.URL, p.provider+"/") ||
						!strings.Contains(asked.Message, p.provider) {
						t.Errorf("the host is asked to show %+v", asked)
					}
					if others {
						if text, isError := p.query(session, chat, "chat_messages"); isError {
							t.Errorf("another call meanwhile: %s", text)
						}
					}
					if others || !isReal {
						p.approve(asked.URL)
					} else {
						p.approveIn(browser, asked.URL)
					}
					return "accept"
				})
				if text, isError := p.query(session, mail, "messages"); isError {
					t.Fatal(text)
				}
				if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if text, isError := p.query(session, mail, "messages"); isError || !strings.Contains(text, mail) {
						t.Errorf("after the approval: %s", text)
					}
				}
				after := p.stored()["gmail"]
				if after == nil || after.Credential.GrantID == before.Credential.GrantID || pages != 1 {
					t.Fatalf("after %d pages, %v is stored", pages, after)
				}
				if diff := cmp.Diff(before.Credential.Approved(), after.Credential.Approved()); diff != "" {
					t.Errorf("the new grant differs (-old +new):\n%s", diff)
				}
				if len(p.stored()) != map[bool]int{true: 2, false: 1}[others] {
					t.Errorf("stored: %v", p.stored())
				}
			})
		}
	}
}

// R-TRUST-3: a declined, dismissed, denied or late sign-in leaves the error with the command, and no page is shown for
// ten minutes.
func TestNotApproved(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for name, decide := range map[string]func(*person, string) string{
			"declined":  func(*person, string) string { return "decline" },
			"dismissed": func(*person, string) string { return "cancel" },
			"denied": func(p *person, page string) string {
				if _, err := p.owner.Deny(p.Context(), page); err != nil {
					p.Error(err)
				}
				return "accept"
			},
			"timed out": func(*person, string) string { return "accept" },
		} {
			t.Run(revision+" "+name, func(t *testing.T) {
				t.Parallel()
				p := newPerson(t)
				before := p.connect("gmail", mail)
				pages := 0
				session := p.serve(revision, func(asked *mcp.ElicitParams) string {
					pages++
					return decide(p, asked.URL)
				})
				if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					p.wantCommand(p.query(session, mail, "messages"))
				}
				if pages != 1 {
					t.Errorf("%d pages within ten minutes", pages)
				}
				p.elapsed.Store(int64(11 * time.Minute))
				p.wantCommand(p.query(session, mail, "messages"))
				if pages != 2 {
					t.Errorf("%d pages after ten minutes", pages)
				}
				if stored := p.stored()["gmail"]; len(p.stored()) != 1 || stored.Credential.GrantID != before.Credential.GrantID {
					t.Errorf("stored: %v", p.stored())
				}
			})
		}
	}
}

// rewriting replaces texts in the responses of the provider at paths that begin with a prefix.
type rewriting struct {
	prefix   string
	replacer *strings.Replacer
}

func (r rewriting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || !strings.HasPrefix(request.URL.Path, r.prefix) {
		return response, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	changed := r.replacer.Replace(string(body))
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(changed)), int64(len(changed))
	return response, err
}

// elsewhere moves the page of a sign-in to another origin.
func elsewhere(provider string) rewriting {
	return rewriting{
		"/agent-connect",
		strings.NewReplacer(`"approval_url":"`+provider, `"approval_url":"http://localhost:1`),
	}
}

// R-TRUST-3: a sign-in whose authorization server grants wider or other access than the ended grant had leaves the old
// entry, and the call gets its error. A code that could pass for a sentence of the message is not shown.
func TestOtherAccessIsRefused(t *testing.T) {
	t.Parallel()
	const limits = `"fields":["id","subject","received_at"],"instance_ids":["` + mail + `"],"name":"messages"`
	for name, change := range map[string][]string{
		"more streams, all fields": {limits, `"instance_ids":["` + mail + `"],"name":"messages"},{"instance_ids":["` + mail +
			`"],"name":"labels"`},
		"another owner":      {`"id":"owner_local"`, `"id":"owner_other"`},
		"another connection": {`"instance_ids":["` + mail + `"]`, `"instance_ids":["cin_gmail_work"]`},
		"another source":     {`/connectors/gmail"`, `/connectors/slack"`},
		"undescribed access": {`"access_mode":"continuous",`, ``},
		"a sentence as the code": {
			`"approval_url"`,
			`"user_code":"ABCD Your session expired. Open https://x","approval_url"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			before := p.connect("gmail", mail,
				credential.Stream{Name: "messages", Connections: []string{mail}, Fields: []string{"id", "subject", "received_at"}})
			p.transport = rewriting{"/agent-connect", strings.NewReplacer(change...)}
			pages := 0
			session := p.serve("2025-11-25", p.decider(true, &pages))
			if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
				t.Fatal(err)
			}
			p.wantCommand(p.query(session, mail, "messages"))
			if stored := p.stored()["gmail"]; len(p.stored()) != 1 || stored.Credential.GrantID != before.Credential.GrantID {
				t.Errorf("stored: %v", p.stored())
			}
			if want := map[bool]int{true: 0, false: 1}[strings.Contains(name, "code")]; pages != want {
				t.Errorf("%d pages were shown, want %d", pages, want)
			}
		})
	}
}

// R-TRUST-3: a page of the authorization server that the provider's metadata names is shown, on whatever origin.
func TestPageOfTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	before := p.connect("gmail", mail)
	as := httptest.NewServer(nil)
	t.Cleanup(as.Close)
	// the provider's server under another origin
	as.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		p.box.Handler().ServeHTTP(recorder, r)
		maps.Copy(w.Header(), recorder.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(recorder.Code)
		_, _ = io.WriteString(w, strings.ReplaceAll(recorder.Body.String(), p.provider, as.URL))
	})
	p.transport = rewriting{
		"/.well-known/oauth-protected-resource",
		strings.NewReplacer(`"authorization_servers":["`+p.provider, `"authorization_servers":["`+as.URL),
	}
	pages := 0
	session := p.serve("2025-11-25", func(asked *mcp.ElicitParams) string {
		pages++
		if !strings.HasPrefix(asked.URL, as.URL+"/") || !strings.Contains(asked.Message, as.URL) {
			t.Errorf("the host is asked to show %+v", asked)
		}
		p.approve(strings.Replace(asked.URL, as.URL, p.provider, 1))
		return "accept"
	})
	if err := p.box.Authorization().Revoke(before.Credential.GrantID); err != nil {
		t.Fatal(err)
	}
	if text, isError := p.query(session, mail, "messages"); isError || pages != 1 {
		t.Errorf("after %d pages: %s", pages, text)
	}
}

// R-TRUST-3: a host without URL elicitation gets the error with the command. So does the call of a grant whose access
// is not known exactly, and one whose page has another origin than the provider.
func TestNotOffered(t *testing.T) {
	t.Parallel()
	never := func(*mcp.ElicitParams) string { t.Error("a page is shown"); return "decline" }
	for _, revision := range revisions {
		for name, show := range map[string]func(*mcp.ElicitParams) string{
			"unsupported": nil, "unknown access": never,
			"another origin": never,
		} {
			t.Run(revision+" "+name, func(t *testing.T) {
				t.Parallel()
				p := newPerson(t)
				entry := p.connect("gmail", mail)
				switch name {
				case "another origin":
					p.transport = elsewhere(p.provider)
				case "unknown access":
					_, err := p.cache.Change(p.provider, entry.Credential.GrantID,
						func(e *credential.Entry, write func() error) error {
							e.Credential.Details = []byte(strings.Replace(string(e.Credential.Details), `"instance_ids"`,
								`"resources":["m1"],"instance_ids"`, 1))
							return write()
						})
					if err != nil {
						t.Fatal(err)
					}
				}
				session := p.serve(revision, show)
				if err := p.box.Authorization().Revoke(entry.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				known := p.box.Authorization().GrantIDs()
				p.wantCommand(p.query(session, mail, "messages"))
				if !slices.Equal(known, p.box.Authorization().GrantIDs()) {
					t.Error("a grant was issued")
				}
			})
		}
	}
}
